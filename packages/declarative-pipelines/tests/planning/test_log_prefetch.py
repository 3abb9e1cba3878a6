"""Logs of tables are read while something else happens: in order, for nobody to wait, and without an error."""

from __future__ import annotations

import threading
from unittest.mock import patch

import pytest

from declarative_pipelines.definitions.model import Dataset, DatasetKind, SourceLocation
from declarative_pipelines.engine.spark_engine import SparkEngine
from declarative_pipelines.planning.flow_nodes import FlowKind, FlowNode
from declarative_pipelines.planning.log_prefetch import prefetch_logs

from ..conftest import Pipeline

HERE = SourceLocation("pipeline.py", 1)


class Engine:
    """Reads logs by noting the tables' names."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.may_go_on = threading.Event()
        self.has_read = threading.Semaphore(0)

    def use_in_this_thread(self) -> None:
        """Nothing to do."""

    def read_log(self, dataset: Dataset) -> None:
        assert self.may_go_on.wait(120)
        self.read.append(dataset.name)
        self.has_read.release()
        if dataset.name == "dropped":
            raise OSError("it is gone")


def flow(name: str, kind: DatasetKind = DatasetKind.STREAMING_TABLE, format: str | None = None) -> FlowNode:
    dataset = Dataset(name, kind, HERE, format=format)
    return FlowNode(name, dataset, FlowKind.APPEND, dataset)


def test_each_table_of_delta_is_looked_at_once_whatever_became_of_the_one_before() -> None:
    engine = Engine()
    engine.may_go_on.set()
    flows = [
        flow("dropped"),
        flow("view", DatasetKind.TEMPORARY_VIEW),
        flow("sink", DatasetKind.SINK),
        flow("files", DatasetKind.MATERIALIZED_VIEW, "parquet"),
        flow("two"),
        flow("two"),
        flow("last", DatasetKind.TABLE, "delta"),
    ]
    with prefetch_logs(engine, flows):  # type: ignore[arg-type]
        for _ in range(3):
            assert engine.has_read.acquire(timeout=120)
    assert engine.read == ["dropped", "two", "last"]


def test_nobody_waits_and_what_has_not_begun_by_the_end_does_not_begin() -> None:
    engine = Engine()
    with prefetch_logs(engine, [flow("one"), flow("two")]):  # type: ignore[arg-type]
        pass
    engine.may_go_on.set()
    assert engine.has_read.acquire(timeout=120)
    assert not engine.has_read.acquire(timeout=0.2)
    assert engine.read == ["one"]


@pytest.mark.slow
def test_an_update_has_the_log_of_a_streams_table_read_where_there_is_something_new_and_a_dry_run_does_not(
    pipeline: Pipeline,
) -> None:
    pipeline.land(1)
    pipeline.write("""
        @dlt.table
        def a():
            return spark.readStream.table("source")
        @dlt.table
        def b():
            return spark.read.table("a")
    """)
    pipeline.run().raise_if_failed()
    with patch.object(SparkEngine, "read_log", autospec=True) as read:
        pipeline.run(dry_run=True).raise_if_failed()
        pipeline.run().raise_if_failed()
        assert read.call_count == 0
        pipeline.land(2)
        pipeline.run().raise_if_failed()
    assert read.call_args_list[0].args[1].name == "a"
