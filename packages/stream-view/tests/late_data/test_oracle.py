from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from stream_view import late_rows

from . import oracle, queries


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
