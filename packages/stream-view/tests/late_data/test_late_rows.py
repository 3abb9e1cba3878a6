from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

from stream_view import late_rows
from stream_view.late_data.counts import NoLateRows
from stream_view.late_data.late_rows import IncompleteLateRows
from streaming_base.errors import NotAvailable

from . import queries
from .oracle import BEGIN, SECOND, Row

# Minutes after ten, one list for each batch: the third is late, and so are three rows of the fourth in two windows.
LANDED = [[0], [50], [20], [1, 2, 44, 39], [60]]


def per_ten_minutes(rows: DataFrame) -> DataFrame:
    return rows.withWatermark("time", "10 minutes").groupBy(F.window("time", "10 minutes"), "key").count()


def rows_of(landed: Sequence[Sequence[int]]) -> list[list[Row]]:
    times = [[BEGIN + minute * 60 * SECOND for minute in minutes] for minutes in landed]
    return [
        [Row(time, "a", f"{batch}-{number}") for number, time in enumerate(batch_times)]
        for batch, batch_times in enumerate(times)
    ]


@pytest.fixture
def files(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Give a stream of the rows, a file for each batch."""
    queries.land(tmp_path / "landed", rows_of(LANDED))
    return _stream(spark, tmp_path)


def _stream(spark: SparkSession, tmp_path: Path) -> DataFrame:
    stream = spark.readStream.schema(queries.SCHEMA).option("maxFilesPerTrigger", 1)
    return stream.json((tmp_path / "landed").as_uri())


def ids(rows: DataFrame) -> list[str]:
    return sorted(row.id for row in rows.select("row.id").collect())


def reported(query: StreamingQuery) -> list[int]:
    batches = [report for report in query.recentProgress if "addBatch" in report["durationMs"]]
    return [report["stateOperators"][0]["numRowsDroppedByWatermark"] for report in batches]


def test_a_row_says_in_which_batch_it_was_dropped_at_which_watermark_and_how_late_it_was(
    files: DataFrame, tmp_path: Path
) -> None:
    late = late_rows(queries.run(per_ten_minutes(files), tmp_path))

    columns = ("operator", "name", "batch", "watermark", "event_time", "late_by", "row.id")
    text = [
        tuple(map(str, row))
        for row in late.select(*columns).orderBy("event_time").collect()
        if row.id in ("3-0", "3-3")
    ]
    assert text == [
        ("0", "stateStoreSave", "3", "2025-06-02 10:40:00", "2025-06-02 10:01:00", "0:30:00", "3-0"),
        ("0", "stateStoreSave", "3", "2025-06-02 10:40:00", "2025-06-02 10:39:00", "0:00:00", "3-3"),
    ]


@pytest.mark.slow
def test_the_counts_say_why_spark_counts_fewer(files: DataFrame, tmp_path: Path) -> None:
    query = queries.run(per_ten_minutes(files), tmp_path)

    [counts] = late_rows(query).counts.collect()

    assert reported(query) == [0, 0, 0, 2, 0, 0]
    assert (counts.batch, counts.rows, counts.counted, counts.dropped) == (3, 3, 2, 2)
    assert counts.why == "Spark drops groups, after it has aggregated 3 rows to 2."


@pytest.mark.slow
def test_a_running_query_goes_on_undisturbed(files: DataFrame, spark: SparkSession, tmp_path: Path) -> None:
    writer = (
        per_ten_minutes(files)
        .writeStream.format("noop")
        .option("checkpointLocation", (tmp_path / "checkpoint").as_uri())
    )
    query = writer.start()
    query.processAllAvailable()
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))

    assert ids(late_rows(query)) == ["3-0", "3-1", "3-3"]

    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    file = tmp_path / "landed" / "more.json"
    file.write_text('{"time": "2025-06-02T10:03:00Z", "key": "a", "id": "more"}\n')
    query.processAllAvailable()
    assert ids(late_rows(query)) == ["3-0", "3-1", "3-3", "more"]
    assert query.isActive


@pytest.mark.slow
def test_a_query_that_was_started_again_is_told_of_batches_without_a_report(files: DataFrame, tmp_path: Path) -> None:
    queries.run(per_ten_minutes(files), tmp_path)
    (tmp_path / "landed" / "more.json").write_text('{"time": "2025-06-02T10:03:00Z", "key": "a", "id": "more"}\n')

    late = late_rows(queries.run(per_ten_minutes(files), tmp_path))

    assert ids(late) == ["3-0", "3-1", "3-3", "more"]
    first, second = late.counts.collect()
    assert (first.batch, first.rows, first.dropped, first.why) == (3, 3, None, "Spark has no report of this batch.")
    assert (second.rows, second.dropped, second.why) == (1, 1, None)


@pytest.mark.slow
def test_files_that_are_gone_are_named(files: DataFrame, tmp_path: Path) -> None:
    query = queries.run(per_ten_minutes(files), tmp_path)
    (tmp_path / "landed" / "003.json").unlink()

    with pytest.raises(NoLateRows, match=r"Batch 3: the file .*/landed/003.json is gone\."):
        late_rows(query)


@pytest.mark.slow
def test_what_is_known_is_told_and_what_is_not_is_said(spark: SparkSession, tmp_path: Path) -> None:
    queries.land(tmp_path / "landed", rows_of([[0], [50], [20], [1, 2], [3]]))
    query = queries.run(per_ten_minutes(_stream(spark, tmp_path)), tmp_path)
    (tmp_path / "landed" / "003.json").unlink()

    with pytest.warns(IncompleteLateRows, match=r"Batch 3: the file .* is gone") as said:
        late = late_rows(query)

    assert ids(late) == ["4-0"]
    assert [(row.batch, row.rows, row.dropped) for row in late.counts.collect()] == [(3, None, 1), (4, 1, 1)]
    assert said[0].filename == __file__


@pytest.mark.slow
def test_a_file_that_was_changed_is_noticed(files: DataFrame, tmp_path: Path) -> None:
    query = queries.run(per_ten_minutes(files), tmp_path)
    (tmp_path / "landed" / "003.json").write_text('{"time": "2025-06-02T10:03:00Z", "key": "a", "id": "other"}\n')

    with pytest.warns(IncompleteLateRows, match=r"Batch 3: what was read again is not what the batch has read"):
        late = late_rows(query)

    [counts] = late.counts.collect()
    assert (counts.rows, counts.counted, counts.dropped) == (1, 1, 2)
    assert counts.why.startswith("What was read again is not what the batch has read")


def run_and_forget(frame: DataFrame, tmp_path: Path, mode: str = "append") -> tuple[StreamingQuery, list[int]]:
    """Run a query, and start it again: it has no report then, and every batch is read; also return what was dropped."""
    dropped = reported(queries.run(frame, tmp_path, mode))
    return queries.run(frame, tmp_path, mode), dropped


@pytest.mark.slow
def test_filters_that_spark_applies_before_an_operator_keep_rows_from_it(spark: SparkSession, tmp_path: Path) -> None:
    rows = [[Row(row.time, "b" if row.id == "3-1" else "a", row.id) for row in batch] for batch in rows_of(LANDED)]
    queries.land(tmp_path / "landed", rows)
    query, dropped = run_and_forget(per_ten_minutes(_stream(spark, tmp_path)).where("key = 'a'"), tmp_path)

    late = late_rows(query)

    assert sum(dropped) == 2
    assert ids(late) == ["3-0", "3-3"]


@pytest.mark.slow
def test_where_nothing_was_dropped_the_frame_is_empty(files: DataFrame, tmp_path: Path) -> None:
    late = late_rows(queries.run(per_ten_minutes(files).where("key = 'b'"), tmp_path))

    assert late.count() == 0 == late.counts.count()
    assert late.select("row.*").columns == ["window", "time", "key", "id"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["update", "complete"])
def test_output_modes_drop_what_spark_drops(files: DataFrame, tmp_path: Path, mode: str) -> None:
    query, dropped = run_and_forget(per_ten_minutes(files), tmp_path, mode)

    assert late_rows(query).count() == (3 if mode == "update" else 0)
    assert sum(dropped) == (2 if mode == "update" else 0)


def late_in_the_second(rows: DataFrame) -> DataFrame:
    tens = per_ten_minutes(rows)
    return tens.groupBy(F.window(F.window_time("window"), "20 minutes")).count()


@pytest.mark.slow
def test_the_first_of_two_operators_is_told_and_the_second_says_nothing_where_it_dropped_nothing(
    files: DataFrame, tmp_path: Path
) -> None:
    late = late_rows(queries.run(late_in_the_second(files), tmp_path))

    assert {(row.operator, row.batch) for row in late.select("operator", "batch").collect()} == {(1, 3)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "why"),
    [("rand(1)", "depend on chance"), ("current_timestamp()", "reads the clock")],
    ids=["chance", "clock"],
)
def test_rows_that_would_be_others_now_are_refused(files: DataFrame, tmp_path: Path, column: str, why: str) -> None:
    query = queries.run(per_ten_minutes(files.withColumn("now", F.expr(column)).where("now IS NOT NULL")), tmp_path)

    with pytest.raises(NoLateRows, match=rf"Batch 3: .*{why}"):
        late_rows(query)


@pytest.mark.slow
def test_operators_whose_code_decides_are_refused(files: DataFrame, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")

    def once(_key, _frames, _state):
        yield pandas.DataFrame({"n": [1]})

    keys = files.withWatermark("time", "10 minutes").groupBy("key")
    counted = keys.applyInPandasWithState(once, "n INT", "n INT", "append", "EventTimeTimeout")

    with pytest.raises(NoLateRows, match=r"Batch(es)? .*: what FlatMapGroupsInPandasWithState drops is decided by"):
        late_rows(queries.run(counted, tmp_path))


@pytest.mark.slow
def test_a_query_without_a_watermark_has_no_late_rows(files: DataFrame, tmp_path: Path) -> None:
    query = queries.run(files.groupBy("key").count(), tmp_path, "update")

    with pytest.raises(NoLateRows, match="has no watermark"):
        late_rows(query)


def test_a_query_over_connect_is_refused() -> None:
    with pytest.raises(NotAvailable, match="Connect"):
        late_rows(SimpleNamespace())  # type: ignore[arg-type]


def test_a_query_without_a_batch_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "landed").mkdir()
    query = queries.run(per_ten_minutes(_stream(spark, tmp_path)), tmp_path)

    with pytest.raises(NoLateRows, match="not finished a batch"):
        late_rows(query)
