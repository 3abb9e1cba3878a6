from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stream_view import compare, replay

from .seeded_queries import KINDS, land, read, run

pytestmark = pytest.mark.slow

ROWS = [
    [{"id": 1, "key": "a", "time": 0, "value": 5}, {"id": 2, "key": "b", "time": 0, "value": 1}],
    [{"id": 3, "key": "a", "time": 0, "value": 2}],
]


def test_two_batches_differ_in_what_they_read_kept_and_wrote(spark: SparkSession, tmp_path: Path) -> None:
    land(tmp_path / "left", ROWS)
    query, _written = run(KINDS["updated"], read(spark, tmp_path / "left").groupBy("key").agg(F.sum("value")), tmp_path)
    checkpoint = (tmp_path / "checkpoint").as_uri()

    found = compare(replay(checkpoint, 0, query), replay(checkpoint, 1, query))

    assert found.summary.to_dict("split") == {
        "index": ["input", "output", "state before, stateStoreSave", "state after, stateStoreSave"],
        "columns": ["batch 0", "batch 1", "only in one", "only in other"],
        "data": [[2, 1, 2, 1], [2, 1, 2, 1], [0, 2, 0, 2], [2, 2, 1, 1]],
    }
    [(row,)] = found.only_in_other["output"].collect()
    assert row == '{"key":"a","sum(value)":7}'
    assert "batch 0" in repr(found) and "<table" in found._repr_html_()


def test_a_corrected_query_is_compared_with_the_one_before(spark: SparkSession, tmp_path: Path) -> None:
    land(tmp_path / "left", ROWS)
    source = read(spark, tmp_path / "left")
    wrong, right = source.selectExpr("id", "value * 2 AS v"), source.selectExpr("id", "value * id AS v")
    run(KINDS["stateless"], wrong, tmp_path)
    checkpoint = (tmp_path / "checkpoint").as_uri()

    found = compare(replay(checkpoint, 0, wrong), replay(checkpoint, 0, right))

    assert found.summary.loc["output"].tolist() == [2, 2, 1, 1]
    assert [row[0] for row in found.only_in_one["output"].collect()] == ['{"id":1,"v":10}']
    assert [row[0] for row in found.only_in_other["output"].collect()] == ['{"id":1,"v":5}']
    assert found.summary.loc["input"].tolist() == [2, 2, 0, 0]
