"""What ``DA.present()`` puts into a page; that the page looks so is shown in ``tests/browser``."""

from __future__ import annotations

import re
import time

import pytest

from stream_view.timelines.layout import WIDTH
from streaming_base import front_end
from streaming_classroom.lesson import presenting
from streaming_classroom.lesson.presenting import LONGEST, NOBODY, OFF, ON, present


@pytest.fixture(autouse=True)
def nothing_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presenting, "_shown", None)


def test_it_is_one_output_with_a_style_and_no_setting(screen) -> None:
    present()
    [output] = screen.outputs
    assert output["text/plain"] == ON
    assert re.search(r":root\.sc-presenting \{ --sc-scale: 1\.5; \}", output["text/html"])
    assert output["text/html"].endswith("})(true);</script>")


def test_taking_it_back_leaves_no_style(screen) -> None:
    present()
    present(False)
    assert [output["text/plain"] for output in screen.outputs] == ["", OFF]
    assert not any("<style>" in output["text/html"] for output in screen.outputs)
    assert screen.outputs[1]["text/html"].endswith("})(false);</script>")


def test_beginning_twice_leaves_one_output_that_does_anything(screen) -> None:
    present()
    present()
    assert [output["text/html"] == "" for output in screen.outputs] == [True, False]


def test_after_a_restart_of_the_kernel_it_can_still_be_taken_back(screen) -> None:
    present(False)
    assert screen.outputs[0]["text/plain"] == OFF


def test_an_output_that_was_saved_does_nothing_on_another_day(screen) -> None:
    present()
    until = int(re.search(r"Date\.now\(\) < (\d+)\)", screen.outputs[0]["text/html"])[1])
    assert 0 < until / 1000 - time.time() <= LONGEST
    style = re.search("<style>(.*)</style>", screen.outputs[0]["text/html"], re.DOTALL)[1]
    lists = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    selectors = [selector.strip() for each in lists for selector in each.split(",")]
    assert len(selectors) == 9
    assert all(selector.startswith(":root.sc-presenting") for selector in selectors)  # a class that the script gives


def test_without_a_person_it_says_so_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    present()
    assert capsys.readouterr().out == NOBODY + "\n"


def test_pictures_keep_the_width_in_which_they_were_drawn() -> None:
    style = (presenting.STYLES / "custom.css").read_text(encoding="utf-8")
    assert f"width: max({WIDTH}px, 100%)" in style
