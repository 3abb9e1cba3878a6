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
LANGUAGE = '"file_extension": ".py",\n'


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


def test_one_that_says_something_else_of_its_language_is(open_notebook, path: Path) -> None:
    """This is how it would look: the check above can fail."""
    text = path.read_text(encoding="utf-8")
    assert LANGUAGE in text
    path.write_text(text.replace(LANGUAGE, LANGUAGE + '   "version": "3.0.0",\n'), encoding="utf-8")
    expect(tab_of(open_notebook(path.stem))).to_have_class(DIRTY)
