from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from stream_view import late_rows

from . import oracle, queries

STREAMS = 40  # each read by six operators


def compare(spark: SparkSession, seed: int, folder: Path) -> int:
    """Compare the rows that each operator has dropped with the oracle's, both ways, and return how many there are."""
    given = oracle.stream(seed)
    query = queries.start(spark, given, oracle.KINDS, folder)
    late = late_rows(query)
    marks = oracle.watermarks([(given.left, given.delay), (given.right, given.right_delay)])
    counts = {(row.batch, row.operator): row for row in late.counts.collect()}
    reports = [report for report in query.recentProgress if "addBatch" in report["durationMs"]]
    total = 0
    for position, kind in enumerate(oracle.KINDS):
        expected = oracle.expected(given, kind, marks)
        by_text = {"key": str}
        assert sorted(queries.found(late, position), **by_text) == sorted(expected.rows, **by_text), (seed, kind)
        for report in reports:
            batch, dropped = report["batchId"], report["stateOperators"][position]["numRowsDroppedByWatermark"]
            assert dropped == expected.counts.get(batch, 0), (seed, kind, batch)
            if dropped:
                row = counts[batch, position]
                assert row.counted == row.dropped == dropped, (seed, kind, batch)
        total += len(expected.rows)
    return total


@pytest.mark.slow
def test_the_rows_of_random_streams_are_those_that_plain_python_expects(spark: SparkSession, tmp_path: Path) -> None:
    found = [compare(spark, seed, tmp_path / str(seed)) for seed in (1, 2)]

    assert sum(found) > 0


@pytest.mark.slow
def test_the_rows_of_many_random_streams_are_those_that_plain_python_expects(
    spark: SparkSession, tmp_path: Path
) -> None:
    assert sum(compare(spark, seed, tmp_path / str(seed)) for seed in range(STREAMS)) > STREAMS


def test_the_oracle_knows_windows_edges_and_the_watermark_of_the_batch_before() -> None:
    row = oracle.Row
    begin, second = oracle.BEGIN, oracle.SECOND
    left = [[row(begin, "a", "0")], [row(begin + 90 * second, "a", "1")], [row(begin - 90 * second, "b", "2")]]
    left += [[row(begin + 59 * second, "a", "3"), row(begin + 60 * second, "a", "4"), row(begin, "a", "5")]]
    given = oracle.Stream(0, left, [], 30, 0, 60, 20, 1)

    marks = oracle.watermarks([(left, 30)])

    assert marks == [0, 0, begin - 30 * second, begin + 60 * second]
    tumbling = oracle.expected(given, "tumbling", marks)
    assert [late[2] for late in tumbling.rows] == ["2", "3", "5"]
    assert tumbling.counts == {0: 0, 1: 0, 2: 1, 3: 1}
    assert [late[2] for late in oracle.expected(given, "dedupe", marks).rows] == ["2", "3", "4", "5"]
    assert [late[2] for late in oracle.expected(given, "session", marks).rows] == ["2", "3", "5"]
