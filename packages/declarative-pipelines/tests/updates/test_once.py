"""Flows that run once: in the first update that has them, and again only where the table is read again."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from declarative_pipelines.engine import auto_cdc
from declarative_pipelines.engine.storage import Checkpoint
from declarative_pipelines.errors import PipelineError
from declarative_pipelines.updates import flow_runs
from declarative_pipelines.updates.results import State

from ..conftest import Pipeline

pytestmark = pytest.mark.slow

BACKFILL = """
    dlt.create_streaming_table("every", expect_all={"even": "v % 2 = 0"}, expect_all_or_drop={"there": "v IS NOT NULL"})
    @dlt.append_flow(target="every")
    def new():
        return spark.readStream.table("source")
    @dlt.append_flow(target="every", once=True)
    def old():
        return spark.read.table("archive").select("n", "v")
"""
CHANGES = """
    dlt.create_streaming_table("people", expect_all_or_drop={"a name": "name IS NOT NULL"})
    dlt.apply_changes(target="people", source="feed", keys=["id"], sequence_by="at", name="new")
    dlt.apply_changes(target="people", source="archive", keys=["id"], sequence_by="at", name="old", once=True)
"""


@pytest.fixture
def backfill(pipeline: Pipeline) -> Pipeline:
    pipeline.write(BACKFILL)
    pipeline.land(1, 2)
    save(pipeline, "archive", "(-1, 10), (-2, 11), (-3, NULL) AS t(n, v)")
    return pipeline


@pytest.fixture
def changes(pipeline: Pipeline) -> Pipeline:
    pipeline.write(CHANGES)
    save(pipeline, "feed", "(1, 'Ada', 5) AS t(id, name, at)")
    save(pipeline, "archive", "(1, 'A.', 1), (2, 'Bo', 2), (3, NULL, 3) AS t(id, name, at)")
    return pipeline


def save(pipeline: Pipeline, table: str, values: str) -> None:
    pipeline.rows(f"CREATE TABLE IF NOT EXISTS {table} USING delta AS SELECT * FROM VALUES {values} WHERE FALSE")
    pipeline.rows(f"INSERT INTO {table} SELECT * FROM VALUES {values}")


def test_a_backfill_is_appended_in_one_update_only_and_again_where_all_is_read_anew(backfill: Pipeline) -> None:
    update = backfill.run().raise_if_failed()
    assert backfill.values("every") == [1, 2, 10, 11]
    counted = {(one.flow, one.name): (one.passed, one.failed) for one in update.expectations}
    assert (counted["old", "even"], counted["old", "there"]) == ((1, 2), (2, 1))
    assert update.dataset("every").rows == 4

    save(backfill, "archive", "(-4, 12) AS t(n, v)")
    backfill.land(3)
    again = backfill.run().raise_if_failed()
    assert backfill.values("every") == [1, 2, 3, 10, 11]
    assert again.dataset("every").rows == 1

    backfill.run(full_refresh="every").raise_if_failed()
    assert backfill.values("every") == [1, 2, 3, 10, 11, 12]


def test_a_backfill_that_was_killed_is_there_once(backfill: Pipeline) -> None:
    with patch.object(flow_runs.OnceRun, "_frame", side_effect=OSError("before its rows were there")):
        assert backfill.run().state is State.FAILED
    assert backfill.values("every") == [1, 2]
    with patch.object(flow_runs.OnceRun, "_counted", side_effect=OSError("after that")):
        assert backfill.run().state is State.FAILED
    assert backfill.values("every") == [1, 2, 10, 11]
    with pytest.warns(RuntimeWarning, match="The rows of old are written"):
        backfill.run().raise_if_failed()
    assert backfill.values("every") == [1, 2, 10, 11]


def test_changes_are_merged_until_it_is_noted_that_they_were(changes: Pipeline) -> None:
    with patch.object(Checkpoint, "end_once", side_effect=OSError("killed")):
        assert changes.run().state is State.FAILED
    update = changes.run().raise_if_failed()
    assert changes.rows("SELECT id, name FROM people ORDER BY id") == [(1, "Ada"), (2, "Bo")]
    counted = {one.flow: (one.passed, one.failed) for one in update.expectations}
    assert counted == {"new": (0, 0), "old": (2, 1)}

    save(changes, "archive", "(4, 'Di', 1) AS t(id, name, at)")
    save(changes, "feed", "(2, 'Bob', 9) AS t(id, name, at)")
    with patch.object(auto_cdc, "merge_changes", wraps=auto_cdc.merge_changes) as merged:
        changes.run().raise_if_failed()
    assert merged.call_count == 1
    assert changes.rows("SELECT id, name FROM people ORDER BY id") == [(1, "Ada"), (2, "Bob")]
    changes.run(full_refresh="people").raise_if_failed()
    assert changes.rows("SELECT id FROM people ORDER BY id") == [(1,), (2,), (4,)]


def test_a_stream_is_refused(pipeline: Pipeline) -> None:
    pipeline.land(1)
    pipeline.write(BACKFILL.replace('read.table("archive")', 'readStream.table("source")'))
    with pytest.raises(PipelineError, match="old is to run once, and reads a stream"):
        pipeline.run(dry_run=True).raise_if_failed()
