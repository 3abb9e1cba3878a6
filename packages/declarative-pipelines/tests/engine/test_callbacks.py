"""Threads that wait for calls from the JVM do not add up over the updates of a session."""

from __future__ import annotations

import threading
import time

import pytest
from py4j.clientserver import ClientServerConnection

from declarative_pipelines.engine.jvm_values import close_idle_connections

from ..conftest import Pipeline

TWO_STREAMS = """
@dlt.table
@dlt.expect("even", "v % 2 = 0")
def first():
    return spark.readStream.table("source")

@dlt.table
@dlt.expect("even", "v % 2 = 0")
def second():
    return spark.readStream.table("source")
"""


def waiting_threads() -> int:
    targets = [getattr(thread, "_target", None) for thread in threading.enumerate()]
    return sum(isinstance(getattr(target, "__self__", None), ClientServerConnection) for target in targets)


@pytest.mark.slow
def test_updates_do_not_leave_more_and_more_threads(pipeline: Pipeline) -> None:
    pipeline.write(TWO_STREAMS)
    counts = []
    for number in range(6):
        pipeline.land(number)
        pipeline.run().raise_if_failed()
        counts.append(waiting_threads())
    # Without the cure each count is greater than the previous one; with it one may have been used a moment ago.
    assert min(counts[3:]) <= counts[2], counts


@pytest.mark.slow
def test_a_thread_whose_connection_was_closed_can_call_again(pipeline: Pipeline) -> None:
    called: list[int] = []
    pipeline.land(1)
    source = pipeline.spark.readStream.table(f"{pipeline.database}.source")
    writer = source.writeStream.foreachBatch(lambda _rows, number: called.append(number))
    query = writer.option("checkpointLocation", str(pipeline.folder / "checkpoint")).start()
    try:
        query.processAllAvailable()
        for _ in range(2):
            close_idle_connections(pipeline.spark)
        pipeline.land(2)
        query.processAllAvailable()
    finally:
        query.stop()
    deadline = time.monotonic() + 120
    while called != [0, 1]:
        assert time.monotonic() < deadline, called
