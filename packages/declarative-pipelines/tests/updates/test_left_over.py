"""What updates leave in the process: no objects of the JVM and no threads, however many updates there are."""

from __future__ import annotations

import gc
import threading
import time

import pytest
from py4j.clientserver import ClientServerConnection
from py4j.java_gateway import JavaObject

from ..conftest import Pipeline

pytestmark = pytest.mark.slow

WITHIN = 30  # seconds, in which the JVM says what it no longer needs
EVERY_KIND = """
    @dlt.table
    def appended():
        return spark.readStream.table("source")

    @dlt.table
    def total():
        return spark.read.table("appended").groupBy().agg(F.sum("v").alias("v"))

    dlt.create_streaming_table("filled")

    @dlt.append_flow(target="filled", once=True)
    def backfill():
        return spark.range(2)

    dlt.create_streaming_table("people")
    dlt.apply_changes(target="people", source="source", keys=["v"], sequence_by="v", stored_as_scd_type=2)

    dlt.create_streaming_table("members")
    dlt.apply_changes_from_snapshot(target="members", source="source", keys=["v"], stored_as_scd_type=1)

    dlt.create_sink("outside", "noop")

    @dlt.append_flow(target="outside")
    def sent():
        return spark.readStream.table("appended")

    @dlt.table
    @dlt.expect_or_fail("small", "v < 1000")
    def checked():
        return spark.readStream.table("source").where("v <> 0")
"""


def waiting_threads() -> int:
    """Return how many threads wait for calls from the JVM."""
    targets = [getattr(thread, "_target", None) for thread in threading.enumerate()]
    return sum(isinstance(getattr(target, "__self__", None), ClientServerConnection) for target in targets)


def objects_of_the_jvm(pipeline: Pipeline, at_most: int | None = None) -> int:
    """Return how many objects of the JVM this process has; where there are more than allowed, wait for fewer.

    A function that the JVM can call is kept here until the JVM says that it needs it no more.
    """
    deadline = time.monotonic() + (WITHIN if at_most is not None else 3)
    while True:
        pipeline.spark._jvm.java.lang.System.gc()
        gc.collect()
        found = sum(isinstance(one, JavaObject) for one in gc.get_objects())
        if time.monotonic() > deadline or (at_most is not None and found <= at_most):
            return found
        time.sleep(0.3)


def test_updates_keep_no_objects_of_the_jvm_and_no_threads(pipeline: Pipeline) -> None:
    pipeline.write(EVERY_KIND)
    threads = []

    def update(value: int) -> None:
        pipeline.land(value)
        pipeline.run(dry_run=True).raise_if_failed()
        pipeline.run().raise_if_failed()
        threads.append(waiting_threads())

    update(1)
    update(2)
    before = objects_of_the_jvm(pipeline)
    update(3)
    update(4)
    assert objects_of_the_jvm(pipeline, before) <= before
    assert min(threads[2:]) <= threads[1], threads  # one may have been used a moment ago

    pipeline.land(1001)
    for number in range(2):
        # An error has the frames in which it was raised; nobody keeps it here.
        assert pipeline.run(observer=lambda _: None).error is not None
        if number == 0:
            before = objects_of_the_jvm(pipeline)
    assert objects_of_the_jvm(pipeline, before) <= before
