"""A query of many runs behaves like one that keeps running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import StreamingQueryException

from streaming_classroom.session.repeated_query import RepeatedQuery


class Run:
    """A run that has ended: with the rows that were there, or with an error."""

    name, id, runId, isActive = "counts", "q", "r", False

    def __init__(self, batch: int, rows: int, error: Exception | None = None) -> None:
        self.recentProgress = [{"batchId": batch, "numInputRows": rows}]
        self._error = error

    def awaitTermination(self, _seconds: float) -> bool:
        if self._error is not None:
            raise self._error
        return True

    def exception(self) -> Exception | None:
        return self._error


class EndlessRun(Run):
    """A run over processing time: batches without rows follow one another until it is stopped."""

    def __init__(self) -> None:
        super().__init__(0, 5)
        self.isActive = True

    def awaitTermination(self, _seconds: float) -> bool:
        offset = {"sources": [{"startOffset": "1", "endOffset": "1"}], "durationMs": {"addBatch": 1}}
        self.recentProgress.append({"batchId": len(self.recentProgress), "numInputRows": 0, **offset})
        return not self.isActive

    def stop(self) -> None:
        self.isActive = False


def repeated(runs: Iterator[Run]) -> RepeatedQuery:
    return RepeatedQuery(lambda: next(runs))


def test_the_reports_of_all_runs_are_those_of_one_query() -> None:
    query = repeated(Run(batch, 10 * batch) for batch in range(3))
    query.processAllAvailable()
    query.processAllAvailable()
    assert [report["numInputRows"] for report in query.recentProgress] == [0, 10, 20]
    assert query.lastProgress == {"batchId": 2, "numInputRows": 20}


def test_between_two_runs_it_is_active_and_waits() -> None:
    query = repeated(Run(batch, 1) for batch in range(9))
    assert query.isActive and query.status["message"].startswith("Waiting for")
    assert query.awaitTermination(0.01) is False


def test_a_run_that_only_lets_time_pass_is_stopped_and_the_query_stays_active() -> None:
    runs = [EndlessRun(), EndlessRun()]
    query = repeated(iter(runs))
    query.processAllAvailable()
    assert [run.isActive for run in runs] == [False, False] and query.isActive


def test_after_stop_no_run_begins() -> None:
    query = repeated(iter([Run(0, 1)]))
    query.stop()
    query.processAllAvailable()
    assert not query.isActive and query.awaitTermination(1) is True and len(query.recentProgress) == 1


def test_the_error_of_a_run_is_raised_and_ends_the_query() -> None:
    failure = StreamingQueryException("no such column")
    query = repeated(iter([Run(0, 1), Run(1, 0, failure)]))
    with pytest.raises(StreamingQueryException, match="no such column"):
        query.processAllAvailable()
    assert not query.isActive and query.exception() is failure
    with pytest.raises(StreamingQueryException):
        query.awaitTermination(1)
