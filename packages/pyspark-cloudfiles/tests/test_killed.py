"""Exactly once, whatever happens: a real program is killed again and again while it ingests."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.slow

# Its program needs tables whose commits are atomic, and a session that starts quickly.
pytest.importorskip("streaming_classroom", reason="killed streams are tried with the repository's session")

KILLS = 8
FILES, ROWS, FILES_A_BATCH = 4000, 5, 5
START_TIMEOUT = 60
BATCH_TIMEOUT = 180  # beside other Sparks; alone it takes some three seconds
PROGRAM = """
import sys
from pathlib import Path
from streaming_classroom.session.spark_session import get_spark

root = Path(sys.argv[1])
spark = get_spark()
options = {
    "cloudFiles.format": "json",
    "cloudFiles.schemaLocation": f"file:{root}/checkpoint",
    "cloudFiles.maxFilesPerTrigger": sys.stdin.readline().strip(),
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


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_by_kills_at_random_moments(tmp_path: Path, spark):
    moments = random.Random(KILLS)
    land(tmp_path, FILES // 2)
    progress = []
    with ExitStack() as stack:
        program = stack.enter_context(started(tmp_path))
        for kill in range(KILLS):
            land(tmp_path, FILES // 2 // KILLS, FILES // 2 + kill * (FILES // 2 // KILLS))
            following = stack.enter_context(started(tmp_path))  # its Spark starts while the previous one is at work
            # Every fourth during the start: while files are listed and the first batch is planned.
            run_and_kill(program, tmp_path, moments.uniform(0.0, 2.0), after_a_batch=kill % 4 > 0)
            progress.append(commits(tmp_path))
            program = following
        # Were the moments no good, nothing would have been shown: kills must have hit a stream at work.
        assert len(set(progress)) > KILLS // 4, progress
        finish(program, tmp_path, 200)
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


def run_and_kill(program: subprocess.Popen[str], root: Path, seconds: float, after_a_batch: bool) -> None:
    """Let the program go and kill it, and all that it started, some time after its stream, or its first batch."""
    done = commits(root)
    go(program, FILES_A_BATCH)
    wait_for_start(program, root)
    until = time.monotonic() + BATCH_TIMEOUT
    while after_a_batch and commits(root) == done:
        assert time.monotonic() < until, f"no batch in {BATCH_TIMEOUT} s\n{said(root)}"
        time.sleep(0.02)
    time.sleep(seconds)
    kill_tree(program)


def commits(root: Path) -> int:
    return sum(1 for _ in (root / "checkpoint" / "commits").glob("[0-9]*"))


def finish(program: subprocess.Popen[str], root: Path, files_a_batch: int) -> None:
    out, _ = program.communicate(f"{files_a_batch}\n", timeout=240)
    assert out.split()[-1] == "done", said(root)


def said(root: Path) -> str:
    """Return the end of what the programs have written of errors."""
    return (root / "stderr").read_text(errors="replace")[-8000:]


@contextmanager
def started(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Start the program, which waits to be told to go; nothing of it is left afterwards."""
    command = [sys.executable, "-c", PROGRAM, str(root)]
    with (root / "stderr").open("a") as errors:
        program = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    try:
        yield program
    finally:
        kill_tree(program)


def go(program: subprocess.Popen[str], files_a_batch: int) -> None:
    program.stdin.write(f"{files_a_batch}\n")
    program.stdin.flush()


def wait_for_start(program: subprocess.Popen[str], root: Path) -> None:
    deadline = threading.Timer(START_TIMEOUT, program.kill)
    deadline.start()
    try:
        assert program.stdout.readline() == "started\n", f"the program ended before its stream began\n{said(root)}"
    finally:
        deadline.cancel()


def kill_tree(program: subprocess.Popen[str]) -> None:
    """Kill by SIGKILL, the JVM and its Python workers too, none of which gets to say a word."""
    if program.poll() is None:  # else its number may be another's by now
        for process in psutil.Process(program.pid).children(recursive=True):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)
        program.kill()
        program.wait(timeout=120)
    for pipe in (program.stdin, program.stdout):
        with suppress(BrokenPipeError):
            pipe.close()
