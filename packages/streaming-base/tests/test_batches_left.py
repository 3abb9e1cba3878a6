"""Which batch a stream is at, and about how many there are (batches_left.py)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from streaming_base.waiting import MOST_REPORTS, BatchesLeft


def query(*reports: dict[str, Any]) -> Any:
    last = reports[-1] if reports else None
    return SimpleNamespace(name="clicks", recentProgress=list(reports), lastProgress=last)


def at_batch(query: Any, rows_there: int | None = None) -> str:
    return BatchesLeft(query, lambda: rows_there).wait().removeprefix("waiting for ")


def test_of_a_stream_that_has_run_for_long_only_the_last_report_is_read() -> None:
    long = query(*(report(number) for number in range(MOST_REPORTS + 1)))
    long.lastProgress = report(7)
    assert at_batch(long, 10_000) == "clicks, batch 8"


def test_a_wait_reads_a_report_once() -> None:
    asked: list[int] = []

    class Reports(list):
        def __getitem__(self, position):
            asked.append(position)
            return super().__getitem__(position)

    running = query(report(0), report(1))
    running._jsq = SimpleNamespace(recentProgress=lambda: Reports(running.recentProgress))
    wait = BatchesLeft(running, lambda: 10)
    assert wait.wait() == "waiting for clicks, batch 2 of about 4"
    running.lastProgress = report(2)
    running.recentProgress.append(running.lastProgress)
    asked.clear()
    assert wait.wait() == "waiting for clicks, batch 3 of about 4"
    assert asked == [2, 1]  # the new one, and the one that it is told by


def report(number: int, rows: int = 2, **metrics: str) -> dict[str, Any]:
    return {
        "batchId": number,
        "durationMs": {"addBatch": 1},
        "numInputRows": rows,
        "sources": [{"metrics": metrics}],
    }


NOTHING_TO_DO = {"batchId": 1, "durationMs": {"latestOffset": 1}, "numInputRows": 0, "sources": [{"metrics": {}}]}


def test_a_stream_that_has_reported_nothing_may_have_resumed_at_any_batch() -> None:
    assert at_batch(query()) == "clicks, which has not finished a batch yet"


def test_a_stream_without_a_name_has_its_id() -> None:
    unnamed = query(report(0))
    unnamed.name, unnamed.id = None, "1-2"
    assert at_batch(unnamed) == "1-2, batch 1"


def test_a_look_that_found_nothing_is_no_batch() -> None:
    assert at_batch(query(report(0), NOTHING_TO_DO)) == "clicks, batch 1"


@pytest.mark.parametrize(("rows_there", "of"), [(10, " of about 4"), (9, " of about 4"), (4, ""), (3, ""), (0, "")])
def test_known_rows_say_about_how_many_batches_there_are(rows_there: int, of: str) -> None:
    assert at_batch(query(report(0), report(1)), rows_there) == f"clicks, batch 2{of}"


def test_a_stream_that_resumes_from_a_checkpoint_has_read_rows_that_nobody_counted() -> None:
    assert at_batch(query(report(7), report(8)), 100) == "clicks, batch 9"


@pytest.mark.parametrize("metric", ["numFilesOutstanding", "avgOffsetsBehindLatest"])
def test_what_a_source_counts_as_outstanding_says_about_how_many_batches_there_are(metric: str) -> None:
    reports = [report(number, **{metric: left}) for number, left in enumerate(("8", "6", "4"))]
    assert at_batch(query(*reports)) == "clicks, batch 3 of about 4"


def test_a_source_that_falls_behind_tells_no_end() -> None:
    reports = [report(number, numFilesOutstanding=left) for number, left in enumerate(("4", "6"))]
    assert at_batch(query(*reports)) == "clicks, batch 2"
