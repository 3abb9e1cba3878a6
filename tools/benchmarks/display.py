"""What a live view costs a stream: the same query with one on the screen and without, alternating in one kernel.

So does the page of all streams' health, by itself.

The source makes the next batch as soon as the last one is done, so whatever the view takes from the two is missing in
the rows a second.  The kernel is a real one, which sends what it draws to a client that reads it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks._waits import waits
from browser_harness import CHROMIUM, Notebook, running_browser, running_lab

if TYPE_CHECKING:
    from jupyter_client.blocking import BlockingKernelClient

ROUNDS = 7
TIMEOUT = 180  # seconds for one cell
QUERIES = ("append", "complete")
NONE, VIEW, HEALTH = "nothing", "view", "health"  # what is on the screen
SET_UP = """
import json
import time

from stream_view import stream_health
from streaming_classroom import display, get_spark, set_up_notebook

set_up_notebook(globals())
source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 50_000).option("numPartitions", 2).load()
frames = {
    "append": source.selectExpr("timestamp", "value", "value % 7 AS key").where("value % 100 = 0"),
    "complete": source.selectExpr("value % 1000 AS key").groupBy("key").count(),
}


def rows_a_second(mode, shown, warm=10, measured=40):
    name = f"{mode}_{shown}_{time.monotonic_ns()}"
    health = stream_health()
    if shown == "health":
        health._ipython_display_()
    if shown == "view":
        display(frames[mode], streamName=name, outputMode=mode)
        query = next(query for query in spark.streams.active if query.name == name)
    else:
        query = frames[mode].writeStream.format("memory").queryName(name).outputMode(mode).start()
    wait_for(query, warm)
    began, first = time.monotonic(), query.lastProgress["batchId"]
    wait_for(query, first + measured)
    done = query.lastProgress["batchId"] - first
    seconds = time.monotonic() - began
    query.stop()
    query.awaitTermination()
    health.close()
    spark.catalog.dropTempView(name)
    return done * 50_000 / seconds


def wait_for(query, batch):
    while (query.lastProgress or {"batchId": -1})["batchId"] < batch:
        if query.awaitTermination(0.02):
            raise RuntimeError("the stream has ended")
"""


# When the first view is there, and when the table first had so many rows, in milliseconds since 1970.
WATCH_THE_SCREEN = """
window.seen = {paint: null, rows: []};
new MutationObserver(() => {
  const view = document.querySelector(".sc-view:has(.sc-header)"); // not the frame that stands by
  if (!view) return;
  window.seen.paint ??= Date.now();
  const rows = parseInt(view.querySelector(".sc-caption")?.textContent) || 0;
  if (rows > (window.seen.rows.at(-1)?.[0] ?? 0)) window.seen.rows.push([rows, Date.now()]);
}).observe(document.body, {subtree: true, childList: true, characterData: true});
"""
LIVE_CELL = 1
GROWTH_CELL = """
ticks = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 100).load()
display(ticks, processingTime="100 milliseconds")
"""
SCREEN_CELLS = [
    """
ticks = spark.readStream.format("rate").option("rowsPerSecond", 20).load()
began = time.time()
display(ticks, streamName="ticks", processingTime="1 second")
""",
    """
def seconds_to_display(rows):
    begin = time.monotonic()
    display(spark.range(rows).selectExpr("id", "id * 2 AS twice"))
    return time.monotonic() - begin

seconds_to_display(10)
times = {"small": [], "large": []}
for _ in range(5):
    times["small"].append(seconds_to_display(1000))
    times["large"].append(seconds_to_display(100_000_000))
""",
    """
from datetime import datetime

[query] = [query for query in spark.streams.active if query.name == "ticks"]
rows, ends = 0, []
for p in query.recentProgress:
    if p["numInputRows"] > 0:
        rows += p["numInputRows"]
        began_batch = datetime.fromisoformat(p["timestamp"]).timestamp()
        ends.append((rows, began_batch + p["durationMs"]["triggerExecution"] / 1000))
query.stop()
print(json.dumps({"began": began, "ends": ends} | times))
""",
]


def main() -> None:
    """Run both sides, print tables, and as the last line the figures as JSON."""
    figures = throughput()
    if CHROMIUM is None:
        print("No Chromium here, so nothing was measured on the screen: on Debian, apt install chromium.")
    else:
        figures |= screen() | waits()
        if minutes := float(os.environ.get("CLASSROOM_BENCH_MINUTES", "0")):
            figures |= growth(minutes)
    print(json.dumps(figures))


def throughput() -> dict[str, float]:
    """Return the rows a second with a view, or a page of health, over those without, and the lowest as ``ratio``."""
    from jupyter_client.manager import start_new_kernel

    rates: dict[str, dict[str, list[float]]] = {query: {NONE: [], VIEW: [], HEALTH: []} for query in QUERIES}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        environ = os.environ | {"CLASSROOM_HOME": home}
        manager, client = start_new_kernel(env=environ, cwd=home, stderr=subprocess.DEVNULL)
        try:
            _execute(client, SET_UP)
            for query in QUERIES:
                _measure(client, query, VIEW)  # what is compiled and loaded at the first time
            for _round in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
                for query, sides in rates.items():
                    for shown, found in sides.items():
                        found.append(_measure(client, query, shown))
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    medians = {q: {shown: statistics.median(found) for shown, found in sides.items()} for q, sides in rates.items()}
    ratios = {q: {shown: sides[shown] / sides[NONE] for shown in (VIEW, HEALTH)} for q, sides in medians.items()}
    _print_table(medians, ratios)
    figures = {f"{query}_ratio": round(of[VIEW], 3) for query, of in ratios.items()}
    figures |= {f"{query}_health_ratio": round(of[HEALTH], 3) for query, of in ratios.items()}
    return {"ratio": min(figures.values())} | figures


def screen() -> dict[str, float]:
    """Return what a person waits for, in seconds: the first paint, a batch, large frames against small ones."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        root = Path(scratch)
        with running_lab(root) as lab, running_browser() as browser:
            notebook = Notebook(browser, lab, root / "display.ipynb", root, [SET_UP, *SCREEN_CELLS])
            notebook.page.evaluate(WATCH_THE_SCREEN)
            for cell in range(1 + len(SCREEN_CELLS)):
                notebook.run(cell)
                if cell == LIVE_CELL:
                    notebook.page.wait_for_timeout(15_000)  # batches to look at
            seen = notebook.page.evaluate("window.seen")
            printed = json.loads(notebook.output(1 + len(SCREEN_CELLS) - 1).inner_text())
    shown = [(end, [at for had, at in seen["rows"] if had >= rows]) for rows, end in printed["ends"]]
    late = [at[0] / 1000 - end for end, at in shown if at]
    figures = {
        "first_paint_s": round(seen["paint"] / 1000 - printed["began"], 2),
        "batch_to_screen_s": round(statistics.median(late), 2),
        "batch_to_screen_worst_s": round(max(late), 2),
        "hundred_million_rows_s": round(statistics.median(printed["large"]), 2),
        "thousand_rows_s": round(statistics.median(printed["small"]), 2),
    }
    table = Table(title=f"On the screen, {len(late)} batches", title_justify="left", show_header=False)
    for name, value in figures.items():
        table.add_row(name, f"{value:.2f}")
    Console().print(table)
    return figures


def growth(minutes: float) -> dict[str, float]:
    """Return by how many megabytes kernel, JVM and page grow while a view follows ten batches a second.

    The first tenth of the time is not counted: in it everything is loaded and compiled.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        root = Path(scratch)
        with running_lab(root) as lab, running_browser() as browser:
            notebook = Notebook(browser, lab, root / "growth.ipynb", root, [SET_UP, GROWTH_CELL])
            notebook.run(0)
            notebook.run(1)
            notebook.page.wait_for_timeout(minutes * 60_000 / 10)
            before = _megabytes(notebook)
            notebook.page.wait_for_timeout(minutes * 60_000 * 9 / 10)
            after = _megabytes(notebook)
            batches = notebook.view(1).locator(".sc-numbers").inner_text()
    print(f"After {minutes:g} minutes: {batches}")
    return {f"{name}_growth_mb": round(after[name] - before[name], 1) for name in before}


def _megabytes(notebook: Notebook) -> dict[str, float]:
    """Return the memory of the kernel's process, of its JVM and of the page's scripts."""
    own = psutil.Process().children(recursive=True)
    kernel = next(process for process in own if "ipykernel_launcher" in " ".join(process.cmdline()))
    jvm = next(process for process in kernel.children(recursive=True) if process.name() == "java")
    session = notebook.page.context.new_cdp_session(notebook.page)
    session.send("HeapProfiler.collectGarbage")
    heap = notebook.page.evaluate("performance.memory.usedJSHeapSize")
    return {"kernel": kernel.memory_info().rss / 1e6, "jvm": jvm.memory_info().rss / 1e6, "page": heap / 1e6}


def _measure(client: BlockingKernelClient, query: str, shown: str) -> float:
    return float(_execute(client, f"print(json.dumps(rows_a_second({query!r}, {shown!r})))").splitlines()[-1])


def _execute(client: BlockingKernelClient, code: str) -> str:
    """Run a cell as a person's front end does, which may be asked for input; return what it printed."""
    printed: list[str] = []

    def collect(message: dict) -> None:
        content = message["content"]
        if message["msg_type"] == "stream" and content["name"] == "stdout":
            printed.append(content["text"])

    reply = client.execute_interactive(code, allow_stdin=True, timeout=TIMEOUT, output_hook=collect)
    if reply["content"]["status"] != "ok":
        raise RuntimeError(f"{reply['content']['ename']}: {reply['content']['evalue']}")
    return "".join(printed)


def _print_table(medians: dict[str, dict[str, float]], ratios: dict[str, dict[str, float]]) -> None:
    table = Table(title=f"Rows a second, medians of {ROUNDS}", title_justify="left")
    table.add_column("output mode")
    for heading in ("nothing shown", "a view", "ratio", "the page of health", "ratio"):
        table.add_column(heading, justify="right")
    for query, sides in medians.items():
        view, health = [(f"{sides[shown]:,.0f}", f"{ratios[query][shown]:.3f}") for shown in (VIEW, HEALTH)]
        table.add_row(query, f"{sides[NONE]:,.0f}", *view, *health)
    Console().print(table)


if __name__ == "__main__":
    main()
