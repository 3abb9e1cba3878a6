from __future__ import annotations

from dataclasses import replace

import pytest

from stream_view import ServiceTarget
from stream_view.backlogs import Backlog
from stream_view.health.service_target import NotATarget
from stream_view.health.watched_streams import StreamReading

FINE = StreamReading(
    "clicks", "running", batch=7, rows_per_second=50, processed_per_second=100, batch_seconds=2, running_seconds=1,
    age_seconds=3, phases={"addBatch": 1.5, "walCommit": 0.5}, backlog=Backlog(rows=1000.0), growing_batches=2,
    watermark_lag_seconds=600, state_rows=100, state_bytes=2**20,
)  # fmt: skip


def test_as_expected_nothing_is_said() -> None:
    assert ServiceTarget().problems(FINE) == []


@pytest.mark.parametrize(
    ("changed", "target", "column", "text"),
    [
        ({"batch_seconds": 75, "phases": {"addBatch": 70.0, "walCommit": 5.0}}, {}, "batch_seconds",
         "The last batch took 75 s, of which 70 s were addBatch; at most 60 s are expected."),
        ({"running_seconds": 300}, {}, "batch_seconds",
         "A batch has been running for 5 min; at most 60 s are expected."),
        ({"age_seconds": 50}, {"age_seconds": 30}, "age_seconds",
         "The last batch ended 50 s ago; one every 30 s is expected."),
        ({"backlog": Backlog(rows=12_000.0)}, {}, "backlog_seconds",
         "12,000 rows wait: 2 min of work at 100 rows/s; at most 60 s are expected."),
        ({"backlog": Backlog(rows=12_000.0, is_estimate=True, files=3)}, {}, "backlog_seconds",
         "About 12,000 rows wait: 2 min of work at 100 rows/s; at most 60 s are expected."),
        ({}, {"backlog_rows": 500}, "backlog_rows", "1,000 rows wait; at most 500 are expected."),
        ({"growing_batches": 5}, {}, "backlog_rows",
         "The backlog has grown with each of the last 5 batches: more comes in than the stream processes."),
        ({}, {"watermark_lag_seconds": 60}, "watermark_lag_seconds",
         "The watermark is 10 min behind the newest event time; at most 60 s are expected."),
        ({}, {"state_rows": 99}, "state_rows", "The state has 100 rows; at most 99 are expected."),
        ({"state_bytes": 3 * 2**30}, {}, "state_bytes", "The state takes 3 GiB; at most 1 GiB are expected."),
        ({"state": "failed", "error": "[DIVIDE_BY_ZERO] Division.\nmore"}, {}, "state",
         "The stream has failed: [DIVIDE_BY_ZERO] Division."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(changed: dict, target: dict, column: str, text: str) -> None:
    [problem] = ServiceTarget(**target).problems(replace(FINE, **changed))
    assert (problem.column, problem.text) == (column, text)


def test_of_a_stream_that_was_stopped_nothing_is_expected() -> None:
    assert ServiceTarget(batch_seconds=0.1).problems(replace(FINE, state="stopped")) == []


@pytest.mark.parametrize("value", [0, -1, "60", True])
def test_what_is_no_target_is_refused(value: object) -> None:
    with pytest.raises(NotATarget, match=r"batch_seconds=.* is no target"):
        ServiceTarget(batch_seconds=value)  # type: ignore[arg-type]
