"""A program is killed at each point of a batch: the logs, and the sink, are those of a crash there."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import psutil
import pytest

from streaming_classroom import CRASH_POINTS, kill_at
from streaming_classroom.errors import NotAvailable

pytestmark = pytest.mark.slow

PROGRAM = """
import sys, time
from pathlib import Path
from pyspark import TaskContext
from pyspark.sql.functions import udf
from streaming_classroom import get_spark

folder, tasks, seconds_a_row = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
spark = get_spark()
# Tasks that run side by side end one after the other.
slow = udf(lambda number: time.sleep(seconds_a_row * TaskContext.get().partitionId()) or number, "int")
landed = spark.readStream.schema("id INT").option("maxFilesPerTrigger", 1).json(f"{folder}/landed")
rows = landed.repartition(tasks).select(slow("id").alias("id"))

def write(batch, number):
    batch.write.mode("append").json(f"{folder}/copied")
    Path(f"{folder[7:]}/written-{number}").touch()

writer = rows.writeStream.foreachBatch(write).queryName("copy").option("checkpointLocation", f"{folder}/checkpoint")
writer.trigger(availableNow=True).start().awaitTermination()
"""
# The entry of the offset log, the sink's rows, the entry of the commit log.
THERE = {
    "before the offset log": [False, False, False],
    "after the offset log": [True, False, False],
    "in mid-batch": [True, False, False],
    "after the sink's write": [True, True, False],
    "after the commit log": [True, True, True],
}


def program(folder: Path, tasks: int, seconds_a_row: float) -> list[str]:
    """Land three files of a hundred rows, and return a program that copies them."""
    (folder / "landed").mkdir()
    for number in range(3):
        rows = "".join(json.dumps({"id": number * 100 + row}) + "\n" for row in range(100))
        (folder / f"landed/{number}.json").write_text(rows)
    return [sys.executable, "-c", PROGRAM, folder.as_uri(), str(tasks), str(seconds_a_row)]


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_the_program_is_killed_at_the_point(tmp_path: Path, point: str) -> None:
    exit_code = kill_at(point, program(tmp_path, tasks=4, seconds_a_row=0.02), batch=1, query="copy")

    assert exit_code == -9
    names = ("checkpoint/offsets/1", "written-1", "checkpoint/commits/1")
    assert [(tmp_path / name).exists() for name in names] == THERE[point]
    assert not (tmp_path / "checkpoint/offsets/2").exists()
    assert _left(tmp_path.as_uri()) == []


def test_a_batch_that_is_never_in_the_middle_is_said_to_be_too_quick(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match=r"Batch 1 was over before it was in mid-batch\. Give it several tasks that"):
        kill_at("in mid-batch", program(tmp_path, tasks=1, seconds_a_row=0), batch=1, query="copy")
    assert _left(tmp_path.as_uri()) == []


def _left(argument: str) -> list[psutil.Process]:
    """Return the processes that are there with an argument, after those that were killed had time to go."""
    time.sleep(0.5)
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if argument in (process.info["cmdline"] or ()) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


@pytest.mark.parametrize(
    ("point", "command", "queries", "says"),
    [
        ("at the end", ["-c", "pass"], None, r"is no point of a batch\. Choose one of: 'before the offset log'"),
        ("in mid-batch", ["-c", "pass"], ["one", "two"], "'in mid-batch' is a point of one query"),
        ("in mid-batch", [], None, "is no Python program"),
        ("in mid-batch", ["-c"], None, "is no Python program"),
        ("in mid-batch", ["-m", "this"], None, "is no Python program"),
    ],
)
def test_what_cannot_be_killed_at_a_point_is_refused(
    point: str, command: list[str], queries: list[str] | None, says: str
) -> None:
    with pytest.raises(NotAvailable, match=says):
        kill_at(point, [sys.executable, *command], 0, queries)


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("SPARK_REMOTE", "sc://127.0.0.1:15002", r"in the server, which is not killed\. Unset SPARK_REMOTE"),
        ("DATABRICKS_RUNTIME_VERSION", "client.5", "has no Spark. Leave this section out"),
    ],
)
def test_a_query_that_would_run_elsewhere_is_told_why_it_is_not_killed(
    variable: str, value: str, says: str, monkeypatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(NotAvailable, match=says):
        kill_at("after the offset log", [sys.executable, "-c", "pass"], 0)


@pytest.mark.parametrize("as_file", [True, False])
def test_a_program_has_its_arguments_and_one_that_ends_first_is_told(tmp_path: Path, as_file: bool) -> None:
    code = "import sys; raise SystemExit(len(sys.argv) + (sys.argv[1] == 'one') + (__name__ == '__main__'))"
    (tmp_path / "program.py").write_text(code)
    command = [sys.executable, *([str(tmp_path / "program.py")] if as_file else ["-c", code]), "one", "two"]
    with pytest.raises(RuntimeError, match="exit code 5 before"):
        kill_at(CRASH_POINTS[0], command, 0)
