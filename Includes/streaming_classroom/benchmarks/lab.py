"""A JupyterLab with files of its own and a browser to look at it, for benchmarks and the tests of the live view."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import psutil

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS = 120  # that anything on the page may take; CI's machines are slow


@contextmanager
def running_lab(folder: Path) -> Iterator[str]:
    """Start JupyterLab on a folder; give its address. It and every kernel of it are gone afterwards."""
    port = _free_port()
    log = folder / "lab.log"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += [f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=t", "--ServerApp.port_retries=0"]
    with log.open("w") as file:
        server = psutil.Popen(command, env=_environment(folder), cwd=folder, stdout=file, stderr=subprocess.STDOUT)
    try:
        _wait_for(server, port, log)
        yield f"http://127.0.0.1:{port}/lab"
    finally:
        family = [*server.children(recursive=True), server]
        server.terminate()
        _gone, alive = psutil.wait_procs(family, timeout=20)
        for process in alive:
            process.kill()


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start the machine's own Chromium without a window."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=SECONDS * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Notebook:
    """A notebook that is open in JupyterLab.

    Parameters
    ----------
    browser : Browser
        Where its page is opened.
    lab : str
        JupyterLab's address.
    path : Path
        The file, which is written; below ``root``.
    root : Path
        The folder that JupyterLab shows.
    cells : list of str
        Its code cells.
    width : int
        Of the page, in pixels.
    """

    def __init__(self, browser: Browser, lab: str, path: Path, root: Path, cells: list[str], width: int = 1300) -> None:
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
        notebook = nbformat.v4.new_notebook(metadata=kernel, cells=list(map(nbformat.v4.new_code_cell, cells)))
        nbformat.write(notebook, path)
        self.name = path.stem
        self.page: Page = browser.new_page(viewport={"width": width, "height": 1200})
        self.page.set_default_timeout(SECONDS * 1000)
        self.page.goto(f"{lab}/tree/{path.relative_to(root).as_posix()}?reset&token=t")
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell >> visible=true")
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        """Return when the status bar says that the kernel is there."""
        self.page.wait_for_selector("text=Python 3 (ipykernel) | Idle")

    @property
    def cells(self) -> Locator:
        """The code cells."""
        return self.page.locator(".jp-Notebook .jp-Cell.jp-CodeCell")

    def output(self, cell: int) -> Locator:
        """Return the first output of a code cell, by its number from 0."""
        return self.cells.nth(cell).locator(".jp-OutputArea-output").first

    def view(self, cell: int) -> Locator:
        """Return the live view, or the sortable table, below a code cell."""
        return self.cells.nth(cell).locator(".sc-view")

    def run(self, cell: int) -> None:
        """Run one code cell and wait until it has ended."""
        from playwright.sync_api import expect

        editor = self.cells.nth(cell).locator(".jp-InputArea-editor")
        editor.scroll_into_view_if_needed()
        editor.click()
        expect(self.cells.nth(cell)).to_have_class(re.compile("jp-mod-active"))
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(
            "i => /\\[\\d+\\]/.test(document.querySelectorAll('.jp-Notebook .jp-Cell.jp-CodeCell')[i]"
            ".querySelector('.jp-InputPrompt').textContent)",
            arg=cell,
        )

    def choose(self, menu: str, *items: str) -> None:
        """Choose from the menu bar."""
        self.page.locator(f".lm-MenuBar-itemLabel:text-is('{menu}')").click()
        for item in items:
            self.page.locator(f".lm-Menu-itemLabel:text-is('{item}')").click()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which nothing of the user's own is read or written."""
    settings = folder / ".settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    # Cells that are scrolled out of sight stay in the page, so that one can look at them.
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps({"windowingMode": "none"}), encoding="utf-8")
    return os.environ | {
        "CLASSROOM_HOME": str(folder / "home"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / ".settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / ".workspaces"),
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
    }


def _wait_for(server: psutil.Popen, port: int, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token=t", timeout=5).close()
            return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}") from None
            time.sleep(0.2)
