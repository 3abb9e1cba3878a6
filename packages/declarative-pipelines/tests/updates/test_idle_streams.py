"""A stream is left out only where its checkpoint says that its tables have nothing new; otherwise it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.engine.storage import Checkpoint, Storage
from declarative_pipelines.updates import idle_streams
from declarative_pipelines.updates.flow_runs import StreamRun
from declarative_pipelines.updates.results import State

from ..conftest import Pipeline

CHAIN = """
    @dlt.table
    def first():
        return spark.readStream.table("source")
    @dlt.view
    def seen():
        return spark.readStream.table("first")
    @dlt.table
    @dlt.expect("some", "v > 1")
    def second():
        return spark.readStream.table("seen").where("v > 0")
"""


@pytest.fixture
def started() -> Iterator[list[str]]:
    """Give the names of the flows whose queries were started."""
    names: list[str] = []
    start = StreamRun._start

    def noted(self: StreamRun):
        names.append(self.flow.name)
        return start(self)

    with patch.object(StreamRun, "_start", noted):
        yield names


@pytest.mark.slow
def test_a_stream_of_a_table_with_nothing_new_is_not_started_and_the_next_row_is_read(
    pipeline: Pipeline, started: list[str]
) -> None:
    pipeline.write(CHAIN)
    pipeline.land(1, 2)
    pipeline.run().raise_if_failed()
    assert started == ["first", "second"]
    idle = pipeline.run().raise_if_failed()
    assert started == ["first", "second"]
    assert {one.name: (one.state, one.rows) for one in idle.datasets if one.name != "seen"} == {
        "first": (State.COMPLETED, 0),
        "second": (State.COMPLETED, 0),
    }
    assert [(one.passed, one.failed) for one in idle.expectations] == [(0, 0)]
    pipeline.land(3)
    pipeline.run().raise_if_failed()
    assert started == ["first", "second"] * 2
    assert pipeline.values("second") == [1, 2, 3]
    pipeline.rows("DELETE FROM source WHERE v = 1")
    assert pipeline.run().state is State.FAILED  # as Delta's source says
    assert started == [*["first", "second"] * 2, "first"]


TABLE = "a1"


AT_END = {"reservoirId": TABLE, "reservoirVersion": 4, "index": -1, "isStartingVersion": False}


@pytest.mark.parametrize(
    ("files", "is_idle"),
    [
        ({"offsets/0": AT_END, "commits/0": {}}, True),
        ({"offsets/0": {**AT_END, "reservoirVersion": 3}, "offsets/1": AT_END, "commits/1": {}}, True),
        ({"offsets/0": AT_END}, False),
        ({"offsets/0": AT_END, "offsets/1": AT_END, "commits/0": {}}, False),
        ({"offsets/0": AT_END, "commits/0": {}, "state/0": {}}, False),
        ({"offsets/0": {**AT_END, "reservoirVersion": 3}, "commits/0": {}}, False),
        ({"offsets/0": {**AT_END, "reservoirId": "another"}, "commits/0": {}}, False),
        ({"offsets/0": {**AT_END, "index": 2}, "commits/0": {}}, False),
        ({"offsets/0": {**AT_END, "isStartingVersion": True}, "commits/0": {}}, False),
        ({"offsets/0": {"logOffset": 4}, "commits/0": {}}, False),
        ({"offsets/0": 4, "commits/0": {}}, False),
        ({"offsets/0": "not JSON", "commits/0": {}}, False),
        ({}, False),
    ],
)
def test_all_that_a_checkpoint_may_say(files: dict, is_idle: bool, spark: SparkSession, tmp_path: Path) -> None:
    for name, content in files.items():
        path = tmp_path / "c" / "0" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"v1\n{{}}\n{content if isinstance(content, str) else json.dumps(content)}")
    checkpoint = Checkpoint(Storage(spark, tmp_path.as_uri()), ("c",), 0)
    offsets = idle_streams._last_offsets(checkpoint)
    found = bool(offsets) and all(idle_streams._is_at_end(offset, {TABLE: 3}) for offset in offsets)
    assert found is is_idle
