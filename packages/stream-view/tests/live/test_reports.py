from __future__ import annotations

import json

import pytest

from stream_view.live.reports import KEPT, WINDOW, Reports, Work, latest_rate, report_of

BATCH = {
    "batchId": 3,
    "numInputRows": 10,
    "timestamp": "2025-06-01T10:00:00.000Z",
    "durationMs": {"addBatch": 100, "walCommit": 20, "triggerExecution": 130},
    "stateOperators": [
        {"numRowsTotal": 4, "memoryUsedBytes": 100, "numRowsDroppedByWatermark": 1},
        {"numRowsTotal": 6, "memoryUsedBytes": 200, "numRowsDroppedByWatermark": 0},
    ],
    "eventTime": {"max": "2025-06-01T10:00:00.000Z", "watermark": "2025-06-01T09:30:00.000Z"},
    "sources": [{"metrics": {"numFilesOutstanding": "7"}}, {"metrics": None}],
}
IDLE = {"batchId": 4, "numInputRows": 0, "durationMs": {"latestOffset": 1, "triggerExecution": 1}}

NEWEST = 2**61


def test_a_report_adds_up_what_the_operators_say() -> None:
    report = report_of(BATCH)
    assert (report.state_rows, report.state_bytes, report.dropped) == (10, 300, 1)
    assert report.phases["addBatch"] == 100 and report.phases["getBatch"] == 0
    assert report.watermark_lag == 1800.0
    assert report.backlog == 7.0


def test_a_watermark_that_is_not_set_yet_has_no_lag() -> None:
    event_time = {"max": "2025-06-01T10:00:00.000Z", "watermark": "1970-01-01T00:00:00.000Z"}
    assert report_of(BATCH | {"eventTime": event_time}).watermark_lag is None


def test_an_idle_look_is_no_batch_and_changes_nothing() -> None:
    reports = Reports()
    reports.add(BATCH)
    reports.add(IDLE)
    assert (reports.batch, reports.up_to(NEWEST).rows) == (3, 10)
    assert json.loads(reports.up_to(NEWEST).raw)["batchId"] == 3


def test_the_raw_report_says_where_spark_has_counted_the_state_twice() -> None:
    operator = {"operatorName": "stateStoreSave", "numShufflePartitions": 2, "numStateStoreInstances": 4}
    reports = Reports()
    reports.add(BATCH | {"stateOperators": [operator | {"numRowsTotal": 6}]})
    first, *raw = reports.up_to(NEWEST).raw.splitlines()
    assert first == "The state has 3 rows: a sort reads its input twice, and numRowsTotal adds up both."
    assert json.loads("".join(raw))["stateOperators"][0]["numRowsTotal"] == 6


class Clock:
    """A time that a test lets pass."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_the_rate_is_of_the_last_seconds_and_none_once_nothing_comes() -> None:
    clock = Clock()
    reports = Reports(clock)
    for second in range(10):
        reports.add(BATCH | {"batchId": second, "timestamp": f"2025-06-01T10:00:{second:02}.000Z"})
    assert reports.rate == 10
    assert reports.up_to(NEWEST).columns["rate"][-1] == 10 and reports.up_to(NEWEST).columns["capacity"][-1] == round(
        10 / 0.13, 3
    )
    clock.seconds = 5.9
    assert reports.rate == 10
    clock.seconds = 6.1
    assert reports.rate == 0
    reports.add(IDLE)
    assert reports.rate == 0


def test_old_batches_are_forgotten_but_their_rows_are_counted() -> None:
    reports = Reports()
    for batch in range(KEPT + 5):
        reports.add(BATCH | {"batchId": batch})
    assert reports.up_to(NEWEST).columns["batch"] == list(range(5, KEPT + 5))
    assert reports.up_to(NEWEST).rows == 10 * (KEPT + 5)


def test_up_to_a_batch_later_ones_are_left_out() -> None:
    reports = Reports()
    for batch in range(5):
        reports.add(BATCH | {"batchId": batch})
    known = reports.up_to(2)
    assert (known.batch, known.rows, known.columns["batch"]) == (2, 30, [0, 1, 2])
    assert json.loads(known.raw)["batchId"] == 2


def steady(interval: float, rows: int, took: float, batches: int) -> list[Work]:
    return [Work(1000 + number * interval, took, rows) for number in range(batches)]


def test_the_source_of_five_rows_a_second_is_neither_fifty_nor_eight() -> None:
    uneven = [Work(1000 + second, 0.3 + 0.5 * (second % 2), 5) for second in range(20)]
    assert latest_rate(uneven).by_clock == pytest.approx(5, rel=0.1)


def test_a_pause_before_a_batch_does_not_count() -> None:
    batches = [*steady(1, rows=5, took=0.5, batches=10), Work(1060, 0.5, 100)]
    assert latest_rate(batches).by_clock == 100 / WINDOW


def test_the_first_batch_of_a_stream_is_no_burst() -> None:
    assert latest_rate([Work(1000, 0.1, 50)]).by_clock == 50
    assert latest_rate([Work(1000, 4, 50)]).by_clock == 12.5


def test_batches_without_rows_add_no_processing_time_to_the_capacity() -> None:
    assert latest_rate([Work(1000, 2, 100), Work(1002, 1, 0)]).capacity == 50


@pytest.mark.parametrize(("interval", "holds"), [(0.5, 5.5), (4, 9), (10, 15), (60, 5)])
def test_a_stream_is_idle_after_the_window_and_one_of_its_intervals(interval: float, holds: float) -> None:
    assert latest_rate(steady(interval, rows=1, took=0.1, batches=4)).holds == holds
