"""A real JupyterLab in a real Chromium, on files of the tests' own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error

from browser_harness import CELLS, CHROMIUM, Notebook, running_browser, running_lab
from streaming_classroom.files import directories

SCREENSHOTS = os.environ.get("CLASSROOM_SCREENSHOTS")


_OPENED: list[Notebook] = []  # the page that was opened last


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Tell of a failed test what its page had: on another machine nobody can look."""
    report = yield
    if report.failed and _OPENED and Path(__file__).parent in item.path.parents:
        report.sections.append(("What the page has", _described(_OPENED[0])))
    return report


def _described(notebook: Notebook) -> str:
    """Return the outputs' HTML of each code cell, cut, and what stands below the page."""
    with suppress(Error):
        outputs = notebook.page.evaluate(
            "cells => [...document.querySelectorAll(cells)].map(cell =>"
            " [...cell.querySelectorAll('.jp-OutputArea-child')].map(one => one.outerHTML.slice(0, 3000)).join('\\n'))",
            CELLS,
        )
        status = notebook.page.locator("#jp-main-statusbar").inner_text(timeout=2000)
        return "\n\n".join([*(f"cell {i}: {html}" for i, html in enumerate(outputs)), status])
    return "the page did not answer"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a browser where there is none, and say how to get one."""
    if CHROMIUM is None:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="needs Chromium: on Debian, apt install chromium"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the includes, where notebooks can be opened without touching the committed ones."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "Includes").mkdir()
    (folder / "notebooks").mkdir()
    for include in (directories.PROJECT / "Includes").glob("*.py"):
        shutil.copy(include, folder / "Includes")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the machine's Chromium, one for all tests of a process: playwright starts once in a thread."""
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def open_notebook(project: Path, browser: Browser) -> Iterator[Callable[..., Notebook]]:
    """Open a notebook with the given code cells, or as it is, in a new kernel, in a page of its own.

    Kernels and pages end with the module: their streams would take the next one's time.
    """
    with running_lab(project) as lab:

        def make(name: str, *cells: str, width: int = 1300, height: int = 1200) -> Notebook:
            path = project / "notebooks" / f"{name}.ipynb"
            _OPENED[:] = [Notebook(browser, lab, path, project, list(cells), width, height)]
            return _OPENED[0]

        yield make
    for context in browser.contexts:
        context.close()


@pytest.fixture
def screenshot() -> Callable[[Notebook, str], None]:
    """Keep a picture, where pictures are asked for."""

    def take(notebook: Notebook, name: str) -> None:
        if SCREENSHOTS:
            notebook.page.screenshot(path=Path(SCREENSHOTS) / f"{notebook.name}-{name}.png")

    return take
