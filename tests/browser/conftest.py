"""A real JupyterLab in a real Chromium, on files of the tests' own."""

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
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import psutil
import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

from streaming_classroom import places

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
SCREENSHOTS = os.environ.get("CLASSROOM_SCREENSHOTS")


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
    for include in (places.PROJECT / "Includes").glob("*.py"):
        shutil.copy(include, folder / "Includes")
    return folder


@pytest.fixture(scope="module")
def lab(project: Path) -> Iterator[str]:
    """Start JupyterLab on the project; give its address. Every kernel of it is gone afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = project / ".settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    # Cells that are scrolled out of sight stay in the page, so that a test can look at them.
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps({"windowingMode": "none"}))
    environ = os.environ | {
        "CLASSROOM_HOME": str(project / "home"),
        "JUPYTERLAB_SETTINGS_DIR": str(project / ".settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(project / ".workspaces"),
        "JUPYTER_CONFIG_DIR": str(project / ".config"),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += [f"--ServerApp.root_dir={project}", "--IdentityProvider.token=t", "--ServerApp.port_retries=0"]
    with (project / "lab.log").open("w") as log:
        server = subprocess.Popen(command, env=environ, cwd=project, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for_server(server, port, project / "lab.log")
        yield f"http://127.0.0.1:{port}/lab"
    finally:
        family = [*psutil.Process(server.pid).children(recursive=True), server]
        server.terminate()
        _gone, alive = psutil.wait_procs([p for p in family if isinstance(p, psutil.Process)], timeout=20)
        for process in alive:
            process.kill()
        server.wait(20)


def _wait_for_server(server: subprocess.Popen, port: int, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token=t", timeout=5).close()
            return
        except OSError:
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)


class Notebook:
    """A notebook that is open in JupyterLab."""

    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.name = name

    @property
    def cells(self) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell.jp-CodeCell")

    def output(self, cell: int) -> Locator:
        """Return the output of a code cell, by its number from 0."""
        return self.cells.nth(cell).locator(".jp-OutputArea-output").first

    def view(self, cell: int) -> Locator:
        """Return the live view, or the sortable table, below a code cell."""
        return self.cells.nth(cell).locator(".sc-view")

    def run(self, cell: int) -> None:
        """Run one code cell and wait until it has ended."""
        editor = self.cells.nth(cell).locator(".jp-InputArea-editor")
        editor.scroll_into_view_if_needed()
        editor.click()
        expect(self.cells.nth(cell)).to_have_class(re.compile("jp-mod-active"))
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(
            "i => /\\[\\d+\\]/.test(document.querySelectorAll('.jp-Notebook .jp-Cell.jp-CodeCell')[i]"
            ".querySelector('.jp-InputPrompt').textContent)",
            arg=cell,
            timeout=SECONDS * 1000,
        )

    def choose(self, menu: str, *items: str) -> None:
        """Choose from the menu bar."""
        self.page.locator(f".lm-MenuBar-itemLabel:text-is('{menu}')").click()
        for item in items:
            self.page.locator(f".lm-Menu-itemLabel:text-is('{item}')").click()

    def screenshot(self, name: str) -> None:
        """Keep a picture, where pictures are asked for."""
        if SCREENSHOTS:
            self.page.screenshot(path=Path(SCREENSHOTS) / f"{self.name}-{name}.png")


@pytest.fixture(scope="module")
def open_notebook(lab: str, project: Path) -> Iterator[Callable[..., Notebook]]:
    """Open a notebook with the given code cells, in a new kernel, in a page of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

        def make(name: str, *cells: str, width: int = 1300) -> Notebook:
            kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
            notebook = nbformat.v4.new_notebook(metadata=kernel, cells=list(map(nbformat.v4.new_code_cell, cells)))
            nbformat.write(notebook, project / "notebooks" / f"{name}.ipynb")
            page = browser.new_page(viewport={"width": width, "height": 1200})
            page.set_default_timeout(SECONDS * 1000)
            expect.set_options(timeout=SECONDS * 1000)
            page.goto(f"{lab}/tree/notebooks/{name}.ipynb?reset&token=t")
            page.wait_for_selector(".jp-Notebook .jp-CodeCell >> visible=true")
            page.wait_for_selector("text=Python 3 (ipykernel) | Idle")  # the kernel, in the status bar
            return Notebook(page, name)

        yield make
        browser.close()
