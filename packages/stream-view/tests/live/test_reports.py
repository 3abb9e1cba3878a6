from __future__ import annotations

import json
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from stream_view.live.reports import KEPT, Reports, report_of

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

numbers = st.none() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=5)
operators = st.lists(st.fixed_dictionaries({}, optional={"numRowsTotal": st.integers(0, 2**60)}), max_size=3)
progresses = st.fixed_dictionaries(
    {
        "batchId": st.integers(0, 2**60),
        "durationMs": st.just({"addBatch": 1}) | st.just({"addBatch": 1, "triggerExecution": 5}),
    },
    optional={
        "numInputRows": st.none() | st.integers(0, 2**60),
        "timestamp": st.none() | st.datetimes(datetime(1970, 1, 1)).map(lambda time: f"{time.isoformat()}Z"),
        "stateOperators": operators,
        "eventTime": st.none() | st.just({}) | st.just({"watermark": "1970-01-01T00:00:00.000Z"}),
        "sources": st.none()
        | st.lists(st.fixed_dictionaries({"metrics": st.fixed_dictionaries({"numFilesOutstanding": numbers})})),
    },
)


def test_a_report_adds_up_what_the_operators_say() -> None:
    report = report_of(BATCH)
    assert (report.state_rows, report.state_bytes, report.dropped) == (10, 300, 1)
    assert report.phases["addBatch"] == 100 and report.phases["getBatch"] == 0
    assert report.watermark_lag == 1800.0
    assert report.backlog == 7.0


def test_a_stateless_query_has_no_state_and_no_watermark() -> None:
    report = report_of({"batchId": 0, "durationMs": {"addBatch": 1}})
    assert report.rows == 0
    assert (report.state_rows, report.dropped, report.watermark, report.backlog) == (None, None, None, None)


def test_a_watermark_that_is_not_set_yet_has_no_lag() -> None:
    event_time = {"max": "2025-06-01T10:00:00.000Z", "watermark": "1970-01-01T00:00:00.000Z"}
    assert report_of(BATCH | {"eventTime": event_time}).watermark_lag is None


def test_an_idle_look_is_no_batch_and_changes_nothing() -> None:
    reports = Reports()
    reports.add(BATCH)
    reports.add(IDLE)
    assert (reports.batch, reports.up_to(NEWEST).rows) == (3, 10)
    assert json.loads(reports.up_to(NEWEST).raw)["batchId"] == 3


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


def test_a_report_without_a_time_has_no_rate_and_changes_none() -> None:
    reports = Reports()
    reports.add({"batchId": 0, "numInputRows": 5, "durationMs": {"addBatch": 1, "triggerExecution": 1}})
    assert reports.rate == 0 and reports.up_to(NEWEST).columns["rate"] == [None]


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


def test_without_a_batch_there_is_nothing_and_no_error() -> None:
    assert (Reports().batch, Reports().rate, Reports().up_to(0).raw) == (-1, 0.0, "")
    assert Reports().up_to(0).columns["batch"] == []


@given(st.lists(progresses, max_size=5))
def test_whatever_spark_reports_becomes_columns_that_json_can_hold(found: list[dict]) -> None:
    reports = Reports()
    for progress in found:
        reports.add(progress)
    columns = reports.up_to(NEWEST).columns
    json.dumps(columns, allow_nan=False)
    assert {len(values) for name, values in columns.items() if name != "watermarkText"} == {len(found)}
