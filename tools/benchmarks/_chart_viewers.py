"""What is left of a chart in a saved notebook: bytes, and what a reader sees where no kernel runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

from benchmarks._chart_page import SHOWN
from benchmarks._chart_sides import CHARTS, table_html
from browser_harness import Notebook

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from playwright.sync_api import Browser, Page

SECONDS = 5  # until what a page loads by itself is there
SET_UP = "from benchmarks._chart_sides import leave"
SAVED = {
    "ours": "our own",
    "vega": "Vega-Lite, saved by JupyterLab",
    "headless": "Vega-Lite, run headless",
    "both": "the same with our table beside it",
}


def compare_viewers(browser: Browser, lab: str, root: Path) -> dict[str, dict[str, str]]:
    """Return, for each way to save, the bytes of each chart's output and what each viewer shows of the notebook."""
    saved = {side: _saved(browser, lab, root, side) for side in ("ours", "vega")}
    saved["headless"] = _without_pictures(saved["vega"], root / "headless.ipynb")
    saved["both"] = _with_tables(saved["headless"], root / "both.ipynb")
    return {
        SAVED[side]: _sizes(path) | {viewer: look(browser, lab, root, path) for viewer, look in VIEWERS.items()}
        for side, path in saved.items()
    }


def _saved(browser: Browser, lab: str, root: Path, side: str) -> Path:
    path = root / f"saved-{side}.ipynb"
    notebook = Notebook(browser, lab, path, root, [SET_UP, *(f"leave({side!r}, {chart!r})" for chart in CHARTS)])
    for cell in range(1 + len(CHARTS)):
        notebook.run(cell)
    notebook.page.wait_for_timeout(1000 * SECONDS)  # a picture may still be made of the last one
    notebook.page.keyboard.press("Control+s")
    notebook.page.wait_for_timeout(1000 * SECONDS)
    notebook.page.close()
    return path


def _without_pictures(path: Path, copy: Path) -> Path:
    """Write a notebook as a run without a browser leaves it: JupyterLab's page makes the pictures."""
    notebook = nbformat.read(path, 4)
    for output in _outputs(notebook):
        output.data.pop("image/png", None)
    nbformat.write(notebook, copy)
    return copy


def _with_tables(path: Path, copy: Path) -> Path:
    """Write a notebook in which each bundle has our static frame as well, for viewers that know no Vega-Lite."""
    notebook = nbformat.read(path, 4)
    for output, chart in zip(_outputs(notebook), CHARTS, strict=True):
        output.data["text/html"] = table_html(chart)
    nbformat.write(notebook, copy)
    return copy


def _outputs(notebook: NotebookNode) -> list[NotebookNode]:
    return [output for cell in notebook.cells for output in cell.outputs]


def _sizes(path: Path) -> dict[str, str]:
    outputs = _outputs(nbformat.read(path, 4))
    sizes = [len(nbformat.v4.writes(nbformat.v4.new_notebook(cells=[_cell(output)]))) for output in outputs]
    return {f"bytes: {CHARTS[chart]}": f"{size:,}" for chart, size in zip(CHARTS, sizes, strict=True)}


def _cell(output: NotebookNode) -> NotebookNode:
    return nbformat.v4.new_code_cell(outputs=[output])


def _reopened(browser: Browser, lab: str, root: Path, path: Path) -> str:
    return _in_lab(browser, lab, root, path)


def _untrusted(browser: Browser, lab: str, root: Path, path: Path) -> str:
    """A notebook from somebody else, which this JupyterLab has not signed."""
    notebook = nbformat.read(path, 4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("from somebody else"))
    copy = path.with_name(f"untrusted-{path.name}")
    nbformat.write(notebook, copy)
    return _in_lab(browser, lab, root, copy)


def _in_lab(browser: Browser, lab: str, root: Path, path: Path) -> str:
    page = browser.new_page()
    page.goto(f"{lab}/tree/{path.relative_to(root).as_posix()}?reset&token=t")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell >> visible=true")
    return _seen(page)


def _as_page(browser: Browser, _lab: str, root: Path, path: Path) -> str:
    return _exported(browser, path, java_script_enabled=True)


def _without_scripts(browser: Browser, _lab: str, root: Path, path: Path) -> str:
    return _exported(browser, path, java_script_enabled=False)


def _exported(browser: Browser, path: Path, java_script_enabled: bool) -> str:
    from nbconvert import HTMLExporter

    page = path.with_suffix(".html")
    page.write_text(HTMLExporter().from_filename(str(path))[0], encoding="utf-8")
    context = browser.new_context(offline=True, java_script_enabled=java_script_enabled)
    opened = context.new_page()
    opened.goto(page.as_uri(), wait_until="domcontentloaded")
    return _seen(opened)


def _seen(page: Page) -> str:
    """Say what is on a page at once, and what more after a click on a tab *Chart*."""
    page.wait_for_timeout(1000 * SECONDS)
    at_once = page.evaluate(SHOWN)
    chart = page.get_by_role("tab", name="Chart")
    if at_once != "chart" and chart.count():
        chart.first.click()
        at_once += ", and a click away: " + page.evaluate(SHOWN)
    page.context.close()
    return at_once


VIEWERS = {
    "JupyterLab, opened again": _reopened,
    "JupyterLab, from somebody else": _untrusted,
    "a page made by nbconvert, offline": _as_page,
    "the same, without scripts": _without_scripts,
}
