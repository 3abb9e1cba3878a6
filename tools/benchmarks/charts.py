"""Charts of a live stream: our own SVG against the Vega-Lite that JupyterLab brings, in a real JupyterLab.

The same data on both sides: time until a chart stands on the screen, what an update costs and disturbs, how large a
saved chart is, and what is left of it where no kernel runs.  Vega-Lite is measured as JupyterLab draws it, and once
more with what makes it quicker: SVG, no menu, no PNG made of each chart.  No Spark is needed.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks._chart_page import DISTURBED, WATCH
from benchmarks._chart_sides import CHARTS, EVERY, SIDES, TABS, UPDATES
from benchmarks._chart_viewers import compare_viewers
from browser_harness import CHROMIUM, Notebook, running_browser, running_lab

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

ROUNDS = 3
ALL_UPDATES = (UPDATES + 4) * EVERY  # seconds
SHOWS = [("line", "first"), *((chart, chart) for chart in CHARTS)]
FIRST_UPDATED = 2  # the cell of the chart: before it are the set-up and the first chart of the page
SET_UP = "import json; from benchmarks._chart_sides import *"
# What has the focus while a chart is updated. Without its menu, Vega-Lite has nothing that could have it.
FOCUS = {
    "ours": {"line": "[aria-selected=true]", "stack": "[aria-selected=true]", "rows": "select"},
    "vega": dict.fromkeys(CHARTS, ".vega-embed summary"),
    "tuned": dict.fromkeys(CHARTS, ".vega-embed summary"),
}
DISTURBANCES = {
    "blank": "frames without a chart, %",
    "scrolled": "pixels that the page has moved",
    "focus": "focus stays (1: yes, 0: no, -1: nothing to focus)",
}

Samples = dict[tuple[str, str], list[float]]


def main() -> None:
    """Measure both sides, print tables, and as the last line the figures as JSON."""
    if CHROMIUM is None:
        sys.exit("This needs Chromium: on Debian, apt install chromium.")
    samples: dict[str, Samples] = {side: defaultdict(list) for side in SIDES}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        root = Path(scratch)
        with running_lab(root) as lab, running_browser() as browser:
            for number in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
                for side in SIDES:
                    cells = [SET_UP, *_cells(side)]
                    notebook = Notebook(browser, lab, root / f"{side}{number}.ipynb", root, cells)
                    for measured, found in _measure(side, notebook).items():
                        samples[side][measured] += found
                    notebook.page.close()
            viewers = compare_viewers(browser, lab, root)
    medians = {side: {key: statistics.median(v) for key, v in found.items()} for side, found in samples.items()}
    _print_times(medians)
    _print_disturbed(medians)
    _print_saved(viewers)
    print(json.dumps(_figures(medians)))


def _cells(side: str) -> list[str]:
    shows = [f"show({side!r}, {chart!r}, {name!r})" for chart, name in SHOWS]
    updates = [f"update({side!r}, {chart!r}, 'update {chart}')" for chart in CHARTS]
    return [*shows, *updates, "print(json.dumps(sent))"]


def _measure(side: str, notebook: Notebook) -> Samples:
    """Return what one page tells: paint times in seconds, busy seconds an update, what an update disturbs."""
    page = notebook.page
    page.evaluate(WATCH)
    protocol = page.context.new_cdp_session(page)
    protocol.send("Performance.enable")
    notebook.run(0)
    for cell, (chart, _name) in enumerate(SHOWS, start=1):
        page.evaluate("tab => { window.tab = tab; }", TABS[chart])
        notebook.run(cell)
        page.wait_for_timeout(2500)
    idle, _ = _watch(protocol, page, FOCUS[side]["line"], FIRST_UPDATED)
    found: Samples = {}
    for number, chart in enumerate(CHARTS):
        notebook.run(1 + len(SHOWS) + number)
        busy, disturbed = _watch(protocol, page, FOCUS[side][chart], FIRST_UPDATED + number)
        found["busy", chart] = [(busy - idle) / UPDATES]
        found |= {(name, chart): [float(value)] for name, value in disturbed.items()}
    sent = _printed(notebook, len(SHOWS) + len(CHARTS) + 1)
    drawn = page.evaluate("window.drawn")
    found |= {("paint", name): _delays(sent[name], drawn) for _chart, name in SHOWS}
    return found | {("update", chart): _delays(sent[f"update {chart}"], drawn) for chart in CHARTS}


def _printed(notebook: Notebook, cell: int) -> dict[str, list[float]]:
    """Run a cell and return what it prints, which may come later than the number of its prompt."""
    from playwright.sync_api import expect

    notebook.run(cell)
    expect(notebook.output(cell)).to_contain_text("}")
    return json.loads(notebook.output(cell).inner_text())


def _watch(protocol: CDPSession, page: Page, focus: str, cell: int) -> tuple[float, dict[str, float]]:
    """Return how long the main thread works while all updates come, and what they disturb."""
    before = _worked(protocol)
    look = {"cell": cell, "focus": focus, "milliseconds": 1000 * ALL_UPDATES}
    disturbed = page.evaluate(DISTURBED, look)
    return _worked(protocol) - before, disturbed


def _worked(protocol: CDPSession) -> float:
    metrics = protocol.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def _delays(sent: list[float], drawn: list[float]) -> list[float]:
    """Return how long after each message a chart stood on the screen; a message that was overtaken counts too."""
    return [at - one for one in sent if (at := min((d for d in drawn if d > one), default=None)) is not None]


def _figures(medians: dict[str, dict[tuple[str, str], float]]) -> dict[str, float]:
    """Return Vega-Lite's times over ours; ``ratio`` is that of updates as it comes, of the chart where it is lowest."""
    figures = {
        f"{side}_{measured}_{name}_ratio": round(medians[side][measured, name] / medians["ours"][measured, name], 2)
        for side in ("vega", "tuned")
        for measured, names in {"paint": ("first", *CHARTS), "update": CHARTS, "busy": CHARTS}.items()
        for name in names
    }
    return {"ratio": min(figures[f"vega_update_{chart}_ratio"] for chart in CHARTS)} | figures


def _print_times(medians: dict[str, dict[tuple[str, str], float]]) -> None:
    rows = [("the first chart of a page, on the screen", "paint", "first")]
    for measured, words in (("paint", "on the screen"), ("update", "updated"), ("busy", "main thread, an update")):
        rows += [(f"{CHARTS[chart]}, {words}", measured, chart) for chart in CHARTS]
    cells = [[words, *(f"{1000 * medians[side][what, name]:.0f}" for side in SIDES)] for words, what, name in rows]
    _print(f"Milliseconds, medians of {ROUNDS} pages, {UPDATES} updates a chart and page", cells)


def _print_disturbed(medians: dict[str, dict[tuple[str, str], float]]) -> None:
    rows = [
        [f"{CHARTS[chart]}, {words}", *(f"{medians[side][name, chart]:.3g}" for side in SIDES)]
        for name, words in DISTURBANCES.items()
        for chart in CHARTS
    ]
    _print("What updates disturb", rows)


def _print_saved(viewers: dict[str, dict[str, str]]) -> None:
    table = Table(title="A saved chart", title_justify="left")
    for heading in ("", *viewers):
        table.add_column(heading)
    for row in next(iter(viewers.values())):
        table.add_row(row, *(found[row] for found in viewers.values()))
    Console(width=160).print(table)


def _print(title: str, rows: list[list[str]]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in SIDES.values():
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
