"""The cost of a live view for a stream, and of the page of all streams' health: rows per second with and without.

The sides alternate in one real kernel, whose client reads everything that it draws.  The source makes the next batch as
soon as the last one is done, so the time of a view is missing in the rows per second.
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

from benchmarks._measuring import print_table

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


def main() -> None:
    """Run all sides, print a table, and as the last line the figures as JSON."""
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
    medians = {
        query: {shown: statistics.median(found) for shown, found in sides.items()} for query, sides in rates.items()
    }
    rows, figures = [], {}
    for query, sides in medians.items():
        for shown in (VIEW, HEALTH):
            figures[f"{query}_{shown}_ratio"] = round(sides[shown] / sides[NONE], 3)
            rows.append(
                (query, shown, f"{sides[NONE]:,.0f}", f"{sides[shown]:,.0f}", f"{sides[shown] / sides[NONE]:.3f}")
            )
    headings = ("output mode", "shown", "rows per second without", "with", "ratio")
    print_table(f"Rows per second, medians of {ROUNDS}", headings, rows)
    print(json.dumps({"ratio": min(figures.values())} | figures))


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


if __name__ == "__main__":
    main()
