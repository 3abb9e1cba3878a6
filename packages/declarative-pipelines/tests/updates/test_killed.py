"""An update whose process is killed while it writes: the next one, in another process, loses and doubles nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from textwrap import dedent

import pytest

pytestmark = pytest.mark.slow

PIPELINE = """
import dlt
@dlt.table
@dlt.expect("even", "v % 2 = 0")
def checked():
    return spark.readStream.option("maxFilesPerTrigger", 1).table("source")
"""
UPDATE = """
import json, os
from streaming_classroom import get_spark
spark = get_spark()
from declarative_pipelines import event_log, run_pipeline
from declarative_pipelines.updates import flow_runs
if {first}:
    spark.sql("CREATE SCHEMA killed")
    for start in (0, 10, 20):
        spark.range(start, start + 10).toDF("v").coalesce(1).write.mode("append").saveAsTable("killed.source")
    keep = flow_runs.StreamRun._keep
    def end(self, number, counts):
        if number == 1:
            os._exit(9)  # its rows are in the table, and the checkpoint does not know
        keep(self, number, counts)
    flow_runs.StreamRun._keep = end
update = run_pipeline({file!r}, database="killed").raise_if_failed()
rows = "get_json_object(details, '$.flow_progress.metrics.num_output_rows')"
logged = event_log(update).selectExpr(f"CAST({{rows}} AS INT) n")
print(json.dumps([
    spark.table("killed.checked").count(), spark.table("killed.checked").distinct().count(),
    [(one.passed, one.failed) for one in update.expectations], sorted(row.n for row in logged.na.drop().collect()),
]))
"""


def test_a_killed_update_is_gone_on_with(run_python: Callable[..., CompletedProcess[str]], tmp_path: Path) -> None:
    file = tmp_path / "pipeline.py"
    file.write_text(PIPELINE)
    first = run_python(dedent(UPDATE).format(first=True, file=str(file)))
    assert first.returncode == 9, first.stderr
    second = run_python(dedent(UPDATE).format(first=False, file=str(file)))
    assert second.returncode == 0, second.stderr
    rows, different, counted, logged = json.loads(second.stdout.splitlines()[-1])
    assert (rows, different) == (30, 30)
    assert counted == [[10, 10]]  # its own batches: the one that was replayed, and the last
    assert logged == [10, 20]
