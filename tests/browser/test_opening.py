"""A lesson that is only opened stays as it is: JupyterLab writes into it what the kernel says of its language."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from streaming_classroom.files import directories

pytestmark = pytest.mark.slow

LESSON = directories.notebooks() / "00-Start-Here.ipynb"
DIRTY = re.compile(r"\bjp-mod-dirty\b")


@pytest.fixture
def path(project: Path) -> Path:
    """Give a copy of a committed lesson, as it is."""
    return Path(shutil.copy(LESSON, project / "notebooks"))


def tab_of(notebook):
    return notebook.page.locator(".lm-TabBar-tab.jp-mod-current", has_text=LESSON.name)


def test_a_lesson_is_not_unsaved_because_it_was_opened_and_saving_it_changes_nothing(open_notebook, path: Path) -> None:
    notebook = open_notebook(path.stem)
    expect(tab_of(notebook)).to_have_count(1)
    with pytest.raises(AssertionError):  # what the kernel says comes a moment later
        expect(tab_of(notebook)).to_have_class(DIRTY, timeout=3000)
    notebook.save()
    assert path.read_bytes() == LESSON.read_bytes()
