from __future__ import annotations

import json
from typing import Any

import pytest

from stream_view.backlogs import Backlog, backlog_of, growing_batches


def kafka(latest: Any, end: Any) -> dict[str, Any]:
    return {"latestOffset": latest, "endOffset": end, "metrics": {"avgOffsetsBehindLatest": "0.0"}}


def files(left: object, rows: int = 0, size: int | None = None) -> dict[str, Any]:
    metrics = {"numFilesOutstanding": str(left)} | ({} if size is None else {"numBytesOutstanding": str(size)})
    return {"numInputRows": rows, "sources": [{"endOffset": {"seqNum": 4}, "latestOffset": None, "metrics": metrics}]}


@pytest.mark.parametrize("written", [lambda offset: offset, json.dumps])
def test_kafkas_rows_are_counted_over_topics_and_partitions(written) -> None:
    source = kafka(written({"a": {"0": 10, "1": 5}, "b": {"0": 7}}), written({"a": {"0": 4, "1": 5}, "b": {"0": 6}}))
    assert backlog_of([{"sources": [source]}]) == Backlog(rows=7.0)


def test_files_are_counted_and_their_rows_estimated_by_those_that_were_read() -> None:
    reports = [files(10), files(8, rows=40), files(6, rows=60, size=900)]
    assert backlog_of(reports) == Backlog(rows=6 * 25.0, is_estimate=True, files=6.0, size=900.0)


def test_the_offsets_of_cloudfiles_tell_files_and_bytes() -> None:
    end, latest = {"seqNum": 4, "numBytes": 100}, {"seqNum": 9, "numBytes": 350}
    assert backlog_of([{"sources": [{"endOffset": end, "latestOffset": latest}]}]) == Backlog(files=5.0, size=250.0)


def test_without_files_that_were_read_their_rows_are_not_guessed() -> None:
    assert backlog_of([files(10)]) == Backlog(files=10.0)
    assert backlog_of([files(5), files(9, rows=30)]) == Backlog(files=9.0)


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"metrics": None},
        {"latestOffset": {"logOffset": 4}, "endOffset": {"logOffset": 2}},
        {"latestOffset": "5"},
        {"metrics": {"numFilesOutstanding": "NaN"}},
        {"latestOffset": "no JSON {", "endOffset": "no JSON"},
    ],
)
def test_a_source_that_does_not_tell_has_an_unknown_backlog(source: dict[str, Any]) -> None:
    assert backlog_of([{"sources": [source]}]) == Backlog()
    assert backlog_of([]) == Backlog()


def test_it_grows_while_each_batch_leaves_more() -> None:
    assert growing_batches([files(left) for left in (9, 1, 2, 4, 5)]) == 3
    assert growing_batches([files(left) for left in (1, 2, 2)]) == 0
    assert growing_batches([{"sources": [{}]}] * 4) == 0
