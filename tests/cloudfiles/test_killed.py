"""Exactly once, whatever happens: a real program is killed again and again while it ingests."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

KILLS = 50 if os.environ.get("CLASSROOM_LONG_TESTS") else 20
FILES, ROWS, FILES_A_BATCH = 4000, 5, 5
START_TIMEOUT = 60
PROGRAM = """
import sys
from pathlib import Path
from streaming_classroom.session import get_spark

root = Path(sys.argv[1])
spark = get_spark()
options = {
    "cloudFiles.format": "json",
    "cloudFiles.schemaLocation": f"file:{root}/checkpoint",
    "cloudFiles.maxFilesPerTrigger": sys.argv[2],
}

def start():
    frame = spark.readStream.format("cloudFiles").options(**options).load(f"file:{root}/in")
    writer = frame.writeStream.option("checkpointLocation", f"file:{root}/checkpoint").option("mergeSchema", "true")
    return writer.trigger(availableNow=True).start(f"file:{root}/table")

while True:
    query = start()
    print("started", flush=True)
    try:
        query.awaitTermination()
        break
    except Exception as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error):
            raise
print("done", flush=True)
"""


def test_nothing_is_lost_or_doubled_by_kills_at_random_moments(tmp_path: Path, spark):
    land(tmp_path, FILES // 2)
    draw = random.Random()
    progress = []
    for kill in range(KILLS):
        land(tmp_path, FILES // 2 // KILLS, FILES // 2 + kill * (FILES // 2 // KILLS))
        # Every fourth during the start: while files are listed and the first batch is planned.
        run_and_kill(tmp_path, draw.uniform(0.0, 2.0), after_a_batch=kill % 4 > 0)
        progress.append(commits(tmp_path))
    # Were the moments no good, nothing would have been shown: kills must have hit a stream at work.
    assert len(set(progress)) > KILLS // 4, progress
    finish(tmp_path, 200)
    table = spark.read.load(f"file:{tmp_path / 'table'}")
    count, distinct, _ = table.selectExpr("count(*)", "count(DISTINCT id)", "max(int(id))").first()
    assert (count, distinct) == (FILES * ROWS, FILES * ROWS)
    assert {"drifted_0", "drifted_1"} <= set(table.columns)


def land(root: Path, count: int, first: int = 0) -> None:
    """Land files of rows; every thousandth has a column that was not there before."""
    (root / "in").mkdir(exist_ok=True)
    for number in range(first, first + count):
        rows = [{"id": number * ROWS + row, "text": "x" * 20} for row in range(ROWS)]
        if number % 1000 == 300:
            rows[0][f"drifted_{number // 1000}"] = "new"
        hidden = root / "in" / f".{number}.json"
        hidden.write_text("".join(json.dumps(row) + "\n" for row in rows))
        hidden.rename(root / "in" / f"{number:05d}.json")


def run_and_kill(root: Path, seconds: float, after_a_batch: bool) -> None:
    """Start the program and kill it, and all that it started, some time after its stream, or its first batch."""
    done = commits(root)
    program = start(root, FILES_A_BATCH)
    try:
        wait_for_start(program)
        until = time.monotonic() + START_TIMEOUT
        while after_a_batch and commits(root) == done and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(seconds)
    finally:
        kill_tree(program)


def commits(root: Path) -> int:
    return sum(1 for _ in (root / "checkpoint" / "commits").glob("[0-9]*"))


def finish(root: Path, files_a_batch: int) -> None:
    program = start(root, files_a_batch)
    try:
        out, _ = program.communicate(timeout=240)
    finally:
        kill_tree(program)
    assert out.split()[-1] == "done"


def start(root: Path, files_a_batch: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, str(root), str(files_a_batch)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def wait_for_start(program: subprocess.Popen[str]) -> None:
    assert program.stdout is not None
    deadline = threading.Timer(START_TIMEOUT, program.kill)
    deadline.start()
    try:
        assert program.stdout.readline() == "started\n", "the program ended before its stream began"
    finally:
        deadline.cancel()


def kill_tree(program: subprocess.Popen[str]) -> None:
    """Kill by SIGKILL, the JVM and its Python workers too, none of which gets to say a word."""
    with suppress(psutil.Error):
        for process in psutil.Process(program.pid).children(recursive=True):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)
    program.kill()
    program.wait(timeout=30)
    if program.stdout:
        program.stdout.close()
