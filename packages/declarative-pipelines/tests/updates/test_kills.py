"""Processes that are killed with their JVM at any moment of an update: no row is lost or doubled, nor a count.

Each life of the process lands rows and begins the next update of the same pipeline, which continues with what the lives
before have left, and is killed in it; every few lives one runs its update to the end, and checks tables and log.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("CLASSROOM_KILLS", "4"))  # half a minute each, more as the tables grow
IN_A_ROW = 2  # kills before an update that is let run to its end
TIMEOUT = 240  # seconds for the start of a process, its check and its update
PIPELINE = """
import dlt

@dlt.table
@dlt.expect("even", "v % 2 = 0")
@dlt.expect_or_drop("no seven", "v % 7 <> 0")
def appended():
    return spark.readStream.option("maxFilesPerTrigger", 1).table("source")

@dlt.table
@dlt.expect("many", "n > 100000")
def total():
    return spark.read.table("appended").groupBy().agg({"*": "count"}).toDF("n")

dlt.create_streaming_table("filled", expect_all={"even": "v % 2 = 0"})

@dlt.append_flow(target="filled", once=True)
def backfill():
    return spark.read.table("archive")

@dlt.append_flow(target="filled")
def news():
    return spark.readStream.table("source").select("v")

dlt.create_streaming_table("people")
dlt.apply_changes(target="people", source="feed", keys=["id"], sequence_by="at", stored_as_scd_type=2)

dlt.create_streaming_table("members")
dlt.apply_changes_from_snapshot(target="members", source="snapshot", keys=["id"], stored_as_scd_type=1)
"""
LIFE = """
import json, os, sys
from pathlib import Path
from streaming_classroom import get_spark
spark = get_spark()
from pyspark.sql import functions as F
from declarative_pipelines import event_log, run_pipeline

def say(**what):
    print(json.dumps(what), flush=True)

def table(name):
    return spark.table(f"killed.{name}")

def save(name, frame, mode="append"):
    frame.coalesce(1).write.mode(mode).saveAsTable(f"killed.{name}")

def land(number):
    for part in range(2):
        save("source", spark.range(number * 20 + part * 10, number * 20 + part * 10 + 10).toDF("v"))
    save("feed", spark.range(5).selectExpr("id", f"{number} AS at", f"id * {number} AS n"))
    save("snapshot", spark.range(number % 3, number % 3 + 4).selectExpr("id", f"{number} AS at"), "overwrite")

def multiset(frame):
    return sorted(map(str, frame.collect()))

def check(log):
    source = table("source")
    assert multiset(table("appended")) == multiset(source.where("v % 7 <> 0")), "appended"
    assert [row.n for row in table("total").collect()] == [source.where("v % 7 <> 0").count()], "total"
    assert multiset(table("filled")) == multiset(source.union(table("archive"))), "filled"
    newest = spark.sql("SELECT id, max_by(n, at) AS n, max(at) AS at FROM killed.feed GROUP BY id")
    assert multiset(table("people").where("__END_AT IS NULL").select("id", "n", "at")) == multiset(newest), "people"
    assert table("people").count() == table("feed").distinct().count(), "versions"
    assert multiset(table("members")) == multiset(table("snapshot")), "members"
    number = "CAST(get_json_object(details, '$.flow_progress.metrics.num_output_rows') AS BIGINT)"
    summed = log.where("event_type = 'flow_progress'").groupBy("origin.flow_name").agg(F.sum(F.expr(number)).alias("n"))
    logged = {row.flow_name: row.n or 0 for row in summed.collect()}
    there = {"appended": table("appended"), "news": source, "people": table("feed"), "backfill": table("archive")}
    return {flow: logged.get(flow, 0) - rows.count() for flow, rows in there.items()}

number, full = int(sys.argv[1]), sys.argv[2] == "full"
if number == 0:
    spark.sql("CREATE SCHEMA killed")
    save("archive", spark.range(-6, 0).toDF("v"))
land(number)
say(begins=number)
update = run_pipeline(sys.argv[3], database="killed", full_refresh_all=full, observer=lambda _: None)
update.raise_if_failed()
log = event_log(update)
killed = log.where("message LIKE '% was killed. %'").selectExpr("origin.update_id AS id")
say(ended=update.id)
say(difference=check(log), killed=[row.id for row in killed.collect()])
"""


class Lives:
    """Processes, one after another, in one home."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "life.py").write_text(dedent(LIFE))
        (folder / "pipeline.py").write_text(PIPELINE)
        self.number = 0
        self.seconds = 0.0  # of the last update that was let run to its end

    def live(self, full: bool, after: float | None) -> list[dict]:
        """Run one until some seconds after its update has begun, or to its end; return what it has said."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK")}
        environment |= {"CLASSROOM_HOME": str(self._folder / "home"), "PYTHONUTF8": "1"}
        command = [sys.executable, "life.py", str(self.number), "full" if full else "some", "pipeline.py"]
        self.number += 1
        with (self._folder / "errors").open("w") as errors:
            process = subprocess.Popen(
                command, cwd=self._folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True,
                start_new_session=True,
            )  # fmt: skip
        said: list[dict] = []
        began = time.monotonic()
        try:
            for line in process.stdout:
                said.append(json.loads(line))
                if "ended" in said[-1]:
                    self.seconds = time.monotonic() - began
                began = time.monotonic()
                if "begins" in said[-1] and after is not None:
                    time.sleep(after)
                    break
            if after is None:
                assert process.wait(TIMEOUT) == 0, (self._folder / "errors").read_text()[-3000:]
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(120)
        said += [json.loads(line) for line in process.stdout if line.endswith("\n")]  # it may have ended just before
        assert any("begins" in one for one in said), (self._folder / "errors").read_text()[-3000:]
        return said


def test_nothing_is_lost_or_doubled_wherever_processes_are_killed(tmp_path: Path) -> None:
    chance = random.Random("13")
    lives, hit, logged = Lives(tmp_path), 0, 0
    before = lives.live(False, None)[-1]["difference"]
    for number in range(0, KILLS, IN_A_ROW):
        full = number > 0 and chance.random() < 0.3
        # The update of the first life, which makes all tables, takes about twice as long as those after it.
        longest = lives.seconds / (1 if number else 2)
        for _ in range(min(IN_A_ROW, KILLS - number)):
            said = lives.live(full and chance.random() < 0.5, chance.uniform(0, longest))
            hit += "begins" in said[-1]
        [*_, end] = lives.live(full, None)
        # What is in the log beyond the rows that are there: those of before the last full refresh. A kill between the
        # rows of a flow that runs once and their counts leaves these unknown, and the log says so of that update.
        difference, are_marked = end["difference"], len(end["killed"]) > logged
        if not full:
            assert {**difference, "backfill": 0} == {**before, "backfill": 0}, (number, end)
            assert difference["backfill"] - before["backfill"] in ((0, -6) if are_marked else (0,)), (number, end)
        before, logged = difference, len(end["killed"])
        assert logged == len(set(end["killed"])) <= hit  # before it has read its plan, none has begun
        print(number + IN_A_ROW, "kills", hit, "in an update", logged, "in the log", difference, flush=True)
    assert hit >= KILLS / 3, f"{hit} of {KILLS} kills hit an update"
