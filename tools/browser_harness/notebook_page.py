"""A notebook that is open in JupyterLab: run a cell, find its output, choose from a menu."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

from .chromium import SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Response, ViewportSize


# Of the notebook in front: a page that is loaded again opens what another one of the same server has left as well.
CELLS = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell.jp-CodeCell"


def _is_saved(response: Response) -> bool:
    """Whether a requested save has ended: JupyterLab makes a checkpoint after those alone."""
    return response.request.method == "POST" and response.url.split("?")[0].endswith("/checkpoints") and response.ok


def choose_theme(page: Page, name: str) -> None:
    """Choose ``Light`` or ``Dark`` in JupyterLab, and return when the colors are there, which change gradually."""
    _choose(page, "Settings", "Theme", f"JupyterLab {name}")
    page.wait_for_selector(f"body[data-jp-theme-light={str(name == 'Light').lower()}]", state="attached")
    page.wait_for_timeout(1000)


def _choose(page: Page, menu: str, *items: str) -> None:
    page.locator(f".lm-MenuBar-itemLabel:text-is('{menu}')").click()
    for item in items:
        page.locator(f".lm-Menu-itemLabel:text-is('{item}')").click()


class Notebook:
    """A notebook that is open in JupyterLab.

    Parameters
    ----------
    browser : Browser
        Where its page is opened.
    lab : str
        JupyterLab's address.
    path : Path
        The file, below ``root``.
    root : Path
        The folder that JupyterLab shows.
    cells : list of str
        The code cells with which the file is written; without any, it is opened as it is.
    width, height : int
        Of the page, in pixels.
    """

    def __init__(
        self,
        browser: Browser,
        lab: str,
        path: Path,
        root: Path,
        cells: list[str],
        width: int = 1300,
        height: int = 1200,
    ) -> None:
        if cells:
            kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
            notebook = nbformat.v4.new_notebook(metadata=kernel, cells=list(map(nbformat.v4.new_code_cell, cells)))
            nbformat.write(notebook, path)
        self.path = path
        self.name = path.stem
        self._browser = browser
        self._address = f"{lab}/tree/{path.relative_to(root).as_posix()}?reset&token=t"
        self._size: ViewportSize = {"width": width, "height": height}
        self.open_page()
        self.wait_for_kernel()

    def open_page(self) -> Page:
        """Open the notebook, or open it once more, in a tab of its own; from now on that is the page meant."""
        self.page: Page = self._browser.new_page(viewport=self._size)
        self.page.set_default_timeout(SECONDS * 1000)
        self.page.goto(self._address)
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell >> visible=true")
        return self.page

    def wait_for_kernel(self) -> None:
        """Return when the status bar says that the kernel is there."""
        self.page.wait_for_selector("text=Python 3 (ipykernel) | Idle")

    @property
    def cells(self) -> Locator:
        """The code cells."""
        return self.page.locator(CELLS)

    def output(self, cell: int) -> Locator:
        """Return the first output of a code cell, by its number from 0."""
        return self.cells.nth(cell).locator(".jp-OutputArea-output").first

    def view(self, cell: int) -> Locator:
        """Return the live view, or the sortable table, that is to be seen below a code cell."""
        return self.cells.nth(cell).locator(".sc-view:visible")

    def run(self, cell: int) -> None:
        """Run one code cell and wait until it has ended."""
        self.start(cell)
        self.wait_for_end(cell)

    def start(self, cell: int) -> None:
        """Begin to run one code cell."""
        from playwright.sync_api import expect

        editor = self.cells.nth(cell).locator(".jp-InputArea-editor")
        editor.scroll_into_view_if_needed()
        editor.click()
        expect(self.cells.nth(cell)).to_have_class(re.compile("jp-mod-active"))
        self.page.keyboard.press("Control+Enter")

    def wait_for_end(self, cell: int) -> None:
        """Return when a code cell that runs has ended."""
        self.page.wait_for_function(
            "([cells, i]) => /\\[\\d+\\]/.test(document.querySelectorAll(cells)[i]"
            ".querySelector('.jp-InputPrompt').textContent)",
            arg=[CELLS, cell],
        )

    def restart_kernel(self) -> None:
        """Restart the kernel by the menu and return when it is there again."""
        self.choose("Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog button.jp-mod-accept").click()
        self.wait_for_kernel()

    def save(self) -> None:
        """Save the notebook and return when the file is written, with what the page has now."""
        with self.page.expect_response(_is_saved):
            self.page.keyboard.press("Control+s")

    def reload(self) -> None:
        """Open the page again, as it is on the disk."""
        self.page.reload()
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell >> visible=true")

    def choose(self, menu: str, *items: str) -> None:
        """Choose from the menu bar."""
        _choose(self.page, menu, *items)

    def choose_theme(self, name: str) -> None:
        """Choose ``Light`` or ``Dark``, and return when the colors are there, which change gradually."""
        choose_theme(self.page, name)
