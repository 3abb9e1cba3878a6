from __future__ import annotations

import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stream_view import first_batch_where
from stream_view.past_batches.replayed_batch import ReplayedBatch

from .seeded_queries import KINDS, land, read, run

RETAIN = "spark.sql.streaming.minBatchesToRetain"


def of(value: int) -> list[dict]:
    return [{"id": 1, "key": "a", "time": 0, "value": value}]


def planted(spark: SparkSession, folder: Path, batches: int, bad: int):
    """Run a sum over so many batches, of which one takes something off that no batch brings back."""
    land(folder / "left", [of(-1_000_000 if batch == bad else 1) for batch in range(batches)])
    frame = read(spark, folder / "left").groupBy("key").agg(F.sum("value").alias("total"))
    before = spark.conf.get(RETAIN)
    spark.conf.set(RETAIN, str(batches + 10))
    try:
        return run(KINDS["updated"], frame, folder)[0], (folder / "checkpoint").as_uri()
    finally:
        spark.conf.set(RETAIN, before)


class Wrong:
    """Whether the sum is wrong after a batch; which batches were asked."""

    def __init__(self, part: str) -> None:
        self.part, self.asked = part, []

    def __call__(self, batch: ReplayedBatch) -> bool:
        self.asked.append(batch.number)
        if self.part == "state":
            return batch.state.where("value.sum < 0").count() > 0
        return batch.output.where("total < 0").count() > 0


@pytest.mark.parametrize("part", ["state", "output"])
def test_the_first_wrong_batch_is_found_by_halving(spark: SparkSession, tmp_path: Path, part: str) -> None:
    query, checkpoint = planted(spark, tmp_path, 12, 5)
    wrong = Wrong(part)
    assert first_batch_where(checkpoint, query, wrong, "update") == 5
    assert len(wrong.asked) <= 5


@pytest.mark.parametrize(("bad", "found"), [(0, 0), (3, 3), (99, None)])
def test_the_first_the_last_and_none_are_told(spark: SparkSession, tmp_path: Path, bad: int, found: int | None) -> None:
    query, checkpoint = planted(spark, tmp_path, 4, bad)
    assert first_batch_where(checkpoint, query, Wrong("state")) == found


@pytest.mark.long
def test_one_bad_batch_of_five_hundred_is_found_in_less_than_a_minute(spark: SparkSession, tmp_path: Path) -> None:
    query, checkpoint = planted(spark, tmp_path, 500, 347)
    for part in ("state", "output"):
        wrong, began = Wrong(part), time.monotonic()
        assert first_batch_where(checkpoint, query, wrong, "update") == 347
        seconds = time.monotonic() - began
        print(f"by its {part}: {seconds:.1f} s, {len(wrong.asked)} batches looked at")
        assert seconds < 60
