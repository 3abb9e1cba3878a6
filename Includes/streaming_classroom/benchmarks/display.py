"""What a live view costs a stream: the same query with one on the screen and without, alternating in one kernel.

The source makes the next batch as soon as the last one is done, so whatever the view takes from the two is missing in
the rows a second.  The kernel is a real one, which sends what it draws to a client that reads it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track
from rich.table import Table

if TYPE_CHECKING:
    from jupyter_client.blocking import BlockingKernelClient

ROUNDS = 7
TIMEOUT = 180  # seconds for one cell
QUERIES = ("append", "complete")
SET_UP = """
import json
import time

from streaming_classroom import display, get_spark, set_up_notebook

set_up_notebook(globals())
source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 50_000).option("numPartitions", 2).load()
frames = {
    "append": source.selectExpr("timestamp", "value", "value % 7 AS key").where("value % 100 = 0"),
    "complete": source.selectExpr("value % 1000 AS key").groupBy("key").count(),
}


def rows_a_second(mode, view, warm=10, measured=40):
    name = f"{mode}_{'with' if view else 'without'}_{time.monotonic_ns()}"
    if view:
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
    spark.catalog.dropTempView(name)
    return done * 50_000 / seconds


def wait_for(query, batch):
    while (query.lastProgress or {"batchId": -1})["batchId"] < batch:
        if query.awaitTermination(0.02):
            raise RuntimeError("the stream has ended")
"""


def main() -> None:
    """Run both sides, print a table, and as the last line the figures as JSON."""
    from jupyter_client.manager import start_new_kernel

    rates: dict[str, dict[bool, list[float]]] = {query: {False: [], True: []} for query in QUERIES}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        manager, client = start_new_kernel(
            env=os.environ | {"CLASSROOM_HOME": home}, cwd=home, stderr=subprocess.DEVNULL
        )
        try:
            _execute(client, SET_UP)
            for query in QUERIES:
                _measure(client, query, view=True)  # what is compiled and loaded at the first time
            for _round in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
                for query, sides in rates.items():
                    for view, found in sides.items():
                        found.append(_measure(client, query, view))
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    medians = {q: {view: statistics.median(found) for view, found in sides.items()} for q, sides in rates.items()}
    ratios = {query: sides[True] / sides[False] for query, sides in medians.items()}
    _print_table(medians, ratios)
    figures = {f"{query}_ratio": round(ratio, 3) for query, ratio in ratios.items()}
    print(json.dumps(figures | {"ratio": round(min(ratios.values()), 3)}))


def _measure(client: BlockingKernelClient, query: str, view: bool) -> float:
    return float(_execute(client, f"print(json.dumps(rows_a_second({query!r}, {view})))").splitlines()[-1])


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


def _print_table(medians: dict[str, dict[bool, float]], ratios: dict[str, float]) -> None:
    table = Table(title=f"Rows a second, medians of {ROUNDS}", title_justify="left")
    table.add_column("output mode")
    for heading in ("without a view", "with one", "ratio"):
        table.add_column(heading, justify="right")
    for query, sides in medians.items():
        table.add_row(query, f"{sides[False]:,.0f}", f"{sides[True]:,.0f}", f"{ratios[query]:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
