from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pandas as pd
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from stream_view import displaying
from stream_view.displaying import display
from stream_view.errors import NoInterval
from stream_view.starts import start_hooks
from streaming_base import front_end, waiting
from streaming_base.errors import StreamTimeout


def names(spark: SparkSession) -> list[str]:
    return sorted(query.name for query in spark.streams.active)


def test_a_statement_without_a_result_says_that_it_is_done(spark: SparkSession, capsys) -> None:
    display(spark.sql("CREATE OR REPLACE TEMP VIEW one AS SELECT 1"))
    assert capsys.readouterr().out == "Done: the statement has no rows to show.\n"


def test_without_a_person_a_stream_leaves_one_final_frame_and_goes_on(
    spark: SparkSession, stream: DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    display(stream, streamName="rows")
    assert capsys.readouterr().out == "id\n 3\n 2\n 1\n(rows: 3 rows)\n"
    assert names(spark) == ["rows"]


@pytest.mark.slow
def test_an_aggregation_is_complete_and_anything_else_is_appended(
    spark: SparkSession, stream: DataFrame, land, capsys: pytest.CaptureFixture[str]
) -> None:
    display(stream.groupBy().count(), streamName="total")
    display(stream, streamName="rows")
    land(4)
    for query in spark.streams.active:
        query.processAllAvailable()
    assert [row[0] for row in spark.table("total").collect()] == [4]
    assert spark.table("rows").count() == 4


@pytest.mark.parametrize("trigger", ["availableNow", "soon"])
def test_a_trigger_that_is_another_string_says_what_may_stand_there(
    spark: SparkSession, stream: DataFrame, trigger: str
) -> None:
    with pytest.raises(NoInterval, match=rf"trigger='{trigger}' is no interval.*'1 second'.*'availableNow': True"):
        display(stream, streamName="rows", trigger=trigger)
    assert names(spark) == []


def test_a_query_that_spark_refuses_raises_sparks_own_error(stream: DataFrame) -> None:
    with pytest.raises(AnalysisException, match=r"[Aa]ppend"):
        display(stream.groupBy("id").count(), outputMode="append")
    with pytest.raises(AnalysisException, match=r"ROW_NUMBER|window"):
        display(stream.selectExpr("row_number() OVER (ORDER BY id)"))


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        ("SELECT id, count(DISTINCT id) FROM landed GROUP BY id", "Distinct aggregations are not supported"),
        ("SELECT row_number() OVER (ORDER BY id) FROM landed GROUP BY id", "NON_TIME_WINDOW_NOT_SUPPORTED"),
        ("SELECT id FROM landed ORDER BY id", "Sorting is not supported"),
        ("SELECT count(*) FROM landed JOIN landed AS other USING (id)", "append.* aggregations without watermark"),
    ],
)
def test_where_no_output_mode_can_run_the_query_the_error_names_the_cause(
    spark: SparkSession, stream: DataFrame, query: str, cause: str
) -> None:
    stream.createOrReplaceTempView("landed")
    with pytest.raises(AnalysisException, match=cause):
        display(spark.sql(query))
    assert names(spark) == []


def test_a_long_stream_shows_its_newest_rows_and_says_so(spark: SparkSession, land, stream: DataFrame, capsys) -> None:
    land(*range(1000))
    display(stream, streamName="rows")
    assert capsys.readouterr().out.endswith("(rows: newest 1,000 rows)\n")


def test_without_a_person_a_source_that_is_never_dry_is_shown_at_the_deadline(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(displaying, "DRAIN_TIMEOUT", 3.0)
    endless = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    display(endless.selectExpr("value % 2 AS odd").groupBy("odd").count(), streamName="endless")
    assert "(endless: " in capsys.readouterr().out


@pytest.mark.slow
def test_a_stream_with_processing_time_timeouts_is_shown_with_its_rows(
    stream: DataFrame, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    timeouts: list[StreamTimeout] = []
    wait = waiting.wait_until_processed
    monkeypatch.setattr(waiting, "wait_until_processed", lambda *given: _noting(timeouts, wait, *given))
    counted = stream.groupBy("id").applyInPandasWithState(
        _counted, "id LONG, n INT", "n INT", "append", GroupStateTimeout.ProcessingTimeTimeout
    )
    display(counted, streamName="counted", outputMode="append")
    assert "(counted: 3 rows)" in capsys.readouterr().out and not timeouts


def _noting(timeouts: list[StreamTimeout], wait: Callable[..., None], *given: object) -> None:
    try:
        wait(*given)
    except StreamTimeout as error:
        timeouts.append(error)
        raise


def _counted(key: tuple, frames: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
    for frame in frames:
        yield pd.DataFrame({"id": [key[0]], "n": [len(frame)]})
    state.update((1,))
    state.setTimeoutDuration(3_600_000)


@pytest.mark.slow
def test_without_a_person_a_stream_that_does_nothing_is_an_error_at_the_deadline(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(displaying, "DRAIN_TIMEOUT", 1.0)
    stuck = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    with pytest.raises(StreamTimeout, match="stuck had not processed all that is there"):
        display(stuck.select(udf(lambda value: time.sleep(10) or value)("value")), streamName="stuck")


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3, 0.6, 1.0])
def test_interrupted_before_there_is_a_view_it_leaves_no_stream(
    spark: SparkSession, stream: DataFrame, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    views = []

    class View:
        def __init__(self, *_of: object) -> None:
            time.sleep(30)  # the interrupt comes before it is there
            views.append(self)

    monkeypatch.setattr("stream_view.live.live_view.LiveView", View)
    with pytest.raises((KeyboardInterrupt, Py4JError)), interrupted_after(seconds):
        display(stream, streamName="short_lived")
    assert views == []
    start_hooks.wait_for_stopped("short_lived")
    assert [query.name for query in spark.streams.active] == []


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Send this process the signal of an interrupt; the test's own handler raises, whatever the session has set."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
