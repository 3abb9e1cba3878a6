"""What ``DA.present()`` puts into a page; that the page looks so is shown in ``tests/browser``."""

from __future__ import annotations

import re
import time

import pytest

from streaming_base import front_end
from streaming_classroom.lesson import page
from streaming_classroom.lesson.page import LONGEST, NOBODY, present


@pytest.fixture(autouse=True)
def nothing_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_shown", None)


def test_an_output_that_was_saved_does_nothing_on_another_day(screen) -> None:
    present()
    until = int(re.search(r"Date\.now\(\) < (\d+)\)", screen.outputs[0]["text/html"])[1])
    assert 0 < until / 1000 - time.time() <= LONGEST
    style = re.search("<style>(.*)</style>", screen.outputs[0]["text/html"], re.DOTALL)[1]
    lists = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    selectors = [selector.strip() for each in lists for selector in each.split(",")]
    assert len(selectors) == 11
    assert all(selector.startswith(":root.sc-presenting") for selector in selectors)  # a class that the script gives


def test_without_a_person_it_says_so_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    present()
    assert capsys.readouterr().out == NOBODY + "\n"
