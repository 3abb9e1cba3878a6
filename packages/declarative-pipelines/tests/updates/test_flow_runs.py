"""What a flow leaves when it is ended at a bad moment, tried again, or interrupted: each row and each count once."""

from __future__ import annotations

import _thread
import threading
from unittest.mock import patch

import pytest

from declarative_pipelines import event_log
from declarative_pipelines.engine.spark_engine import WriteObserver
from declarative_pipelines.updates import event_log as event_logs
from declarative_pipelines.updates import execution, flow_runs, idle_streams
from declarative_pipelines.updates.flow_runs import StreamRun
from declarative_pipelines.updates.results import FlowProgress, Progress, State

from ..conftest import Pipeline

CHECKED = """
    @dlt.table
    @dlt.expect("even", "v % 2 = 0")
    @dlt.expect_or_drop("positive", "v > 0")
    def checked():
        return spark.readStream.option("maxFilesPerTrigger", 1).table("source")
"""


class Killed(BaseException):
    """The process ends here, as far as the update can tell."""


@pytest.fixture
def checked(pipeline: Pipeline) -> Pipeline:
    pipeline.write(CHECKED)
    pipeline.land(1, 2, -1)
    pipeline.land(3, None)
    return pipeline


def logged(pipeline: Pipeline, update) -> list[tuple[int, int]]:
    """Return rows written and rows that are not even, of each update that the log has."""
    quality = "$.flow_progress.data_quality.expectations[0].failed_records"
    rows = (
        event_log(update)
        .where("event_type = 'flow_progress' AND get_json_object(details, '$.flow_progress.metrics') IS NOT NULL")
        .selectExpr(
            "CAST(get_json_object(details, '$.flow_progress.metrics.num_output_rows') AS INT)",
            f"CAST(get_json_object(details, '{quality}') AS INT)",
        )
        .collect()
    )
    return sorted(tuple(row) for row in rows)


COUNTED = """
    @dlt.table
    @dlt.expect("even", "v % 2 = 0")
    def counted():
        return spark.read.table("source")
"""


@pytest.mark.slow
def test_a_report_of_spark_that_does_not_come_makes_counts_unknown_and_says_so(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.write(COUNTED)
    pipeline.land(1, 2, 4)
    monkeypatch.setattr(flow_runs, "OBSERVATION_TIMEOUT", 0.2)
    monkeypatch.setattr(WriteObserver, "onSuccess", lambda *_: None)
    with pytest.warns(RuntimeWarning, match="The rows of counted are written, but Spark's report"):
        update = pipeline.run()
    assert update.state is State.COMPLETED and pipeline.values("counted") == [1, 2, 4]
    assert (update.dataset("counted").rows, update.dataset("counted").dropped) == (None, None)
    assert [(one.passed, one.failed, one.dropped) for one in update.expectations] == [(None, None, 0)]
    table, expectations, end = str(update).split("\n\n")
    assert table.split()[-3:-1] == ["unknown", "unknown"] and expectations.split()[-2:] == ["unknown", "unknown"]
    assert "is unknown. Count them with a query." in end
    (row,) = event_log(update).where("event_type = 'flow_progress' AND level = 'WARN'").collect()
    assert "Spark's report of them did not come" in row.message and "num_output_rows" not in row.details


@pytest.mark.slow
def test_a_batch_that_ended_between_table_and_checkpoint_is_neither_lost_nor_counted_twice(checked: Pipeline) -> None:
    with patch.object(StreamRun, "_keep", side_effect=OSError("no space")):
        assert checked.run().state is State.FAILED
    assert checked.values("checked") == [1, 2]  # the first batch is in the table, and nobody has counted it
    update = checked.run()
    assert checked.values("checked") == [1, 2, 3]
    [even, positive] = update.expectations
    assert (even.passed, even.failed) == (1, 4)
    assert (positive.passed, positive.failed) == (3, 2)
    assert update.dataset("checked").rows == 3


@pytest.mark.slow
def test_what_a_killed_update_has_counted_is_put_into_the_log_by_the_next_one(checked: Pipeline) -> None:
    with patch.object(event_logs.UpdateRecord, "keep", side_effect=Killed), pytest.raises(Killed):
        checked.run()
    checked.land(5)
    update = checked.run()
    assert checked.values("checked") == [1, 2, 3, 5]
    assert update.dataset("checked").rows == 1
    assert logged(checked, update) == [(1, 1), (3, 4)]
    with patch.object(idle_streams, "forget"):  # killed after the log was written
        checked.land(7)
        checked.run()
    assert logged(checked, checked.run()) == [(0, 0), (1, 1), (1, 1), (3, 4)]


@pytest.mark.slow
def test_a_flow_that_is_tried_again_counts_each_record_once(pipeline: Pipeline) -> None:
    marker = pipeline.folder / "failed_once"
    pipeline.write(f"""
        from pathlib import Path
        @F.udf("int")
        def flaky(v):
            if v == 3 and not Path({str(marker)!r}).exists():
                Path({str(marker)!r}).touch()
                raise ValueError("flaky")
            return v
        @dlt.table
        @dlt.expect("even", "v % 2 = 0")
        def checked():
            frame = spark.readStream.option("maxFilesPerTrigger", 1).table("source")
            return frame.withColumn("v", flaky("v"))
    """)
    pipeline.land(1, 2)
    pipeline.land(3, 4)
    with patch.object(execution, "FIRST_PAUSE", 0.0):
        update = pipeline.run(development=False)
    [flow], [even] = update.flows, update.expectations
    assert (flow.state, flow.attempts, flow.rows) == (State.COMPLETED, 2, 4)
    assert (even.passed, even.failed) == (2, 2)
    assert pipeline.values("checked") == [1, 2, 3, 4]


@pytest.mark.slow
def test_an_interrupt_stops_the_update_and_the_next_one_goes_on(pipeline: Pipeline) -> None:
    slow = """
        @dlt.table
        def slow():
            # A method that returns nothing gives this text; Spark calls it for each row.
            return spark.readStream.table("source").where("java_method('java.lang.Thread', 'sleep', {}L) = 'null'")
    """
    pipeline.write(slow.format(30_000))
    pipeline.land(1, 2)
    # Once: a second interrupt would come after the update has ended, wherever the tests are by then.
    timer = threading.Timer(2.0, _thread.interrupt_main)

    def interrupt(progress: Progress) -> None:
        if timer.ident is None and isinstance(progress, FlowProgress) and progress.state is State.RUNNING:
            timer.start()

    with pytest.raises(KeyboardInterrupt):
        pipeline.run(observer=interrupt)
    assert pipeline.spark.streams.active == []
    pipeline.write(slow.format(0))
    assert pipeline.run().state is State.COMPLETED
    assert pipeline.values("slow") == [1, 2]


@pytest.mark.slow
def test_changes_are_merged_before_their_target_is_read(pipeline: Pipeline) -> None:
    pipeline.write("""
        dlt.create_streaming_table("newest", expect_all_or_drop={"has a key": "v IS NOT NULL"})
        dlt.apply_changes(target="newest", source="feed", keys=["v"], sequence_by=F.col("n"), stored_as_scd_type=1)
        @dlt.view
        def feed():
            return spark.readStream.table("source")
        @dlt.table
        def total():
            return spark.read.table("newest").groupBy().agg(F.count("*").alias("v"))
    """)
    pipeline.land(1, 2, 1, None)
    update = pipeline.run()
    assert update.error is None
    assert (pipeline.values("newest"), pipeline.values("newest", "n")) == ([1, 2], [1, 2])
    assert [(one.passed, one.failed) for one in update.expectations] == [(3, 1)]
    pipeline.land(1, 3)
    pipeline.run()
    assert (pipeline.values("newest", "n"), pipeline.values("total")) == ([1, 4, 5], [3])


@pytest.mark.slow
def test_a_sink_gets_the_rows_of_several_flows_each_once(pipeline: Pipeline) -> None:
    location = f"file:{pipeline.folder}/sink"
    pipeline.write(f"""
        dlt.create_sink("outside", "delta", {{"path": {location!r}}})
        @dlt.append_flow(target="outside")
        def first():
            return spark.readStream.table("source")
        @dlt.append_flow(target="outside", name="second")
        def _():
            return spark.readStream.table("source").withColumn("v", F.col("v") * 10)
    """)
    pipeline.land(1, 2)
    update = pipeline.run()
    assert update.error is None and update.dataset("outside").rows == 4
    pipeline.run()
    assert sorted(row.v for row in pipeline.spark.read.load(location).collect()) == [1, 2, 10, 20]


@pytest.mark.slow
def test_a_sink_may_be_a_function_of_each_batch_which_gets_one_that_has_failed_again(pipeline: Pipeline) -> None:
    text = """
        @dlt.foreach_batch_sink
        def twice(batch, number):
            if {fails}:
                raise LookupError("the service is away")
            batch.withColumn("batch", F.lit(number)).write.mode("append").saveAsTable("{database}.one")
        @dlt.append_flow(target="twice")
        def new():
            return spark.readStream.option("maxFilesPerTrigger", 1).table("source")
    """
    for value in (1, 2, 3):
        pipeline.land(value)
    pipeline.write(text.format(fails=True, database=pipeline.database))
    assert "the service is away" in str(pipeline.run().error)
    pipeline.write(text.format(fails=False, database=pipeline.database))
    kept = "spark.sql.streaming.numRecentProgressUpdates"
    pipeline.spark.conf.set(kept, 2)  # less than there are batches, as a hundred are of many
    try:
        update = pipeline.run().raise_if_failed()
    finally:
        pipeline.spark.conf.unset(kept)
    assert (pipeline.values("one"), pipeline.values("one", "batch")) == ([1, 2, 3], [0, 1, 2])
    assert update.dataset("twice").rows == 3
