from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from streaming_base.progress_reports import (
    _wrap_reports,
    observed_metrics,
    report_count,
    reports_since,
    rows_per_batch,
    rows_read,
    state_rows,
)
from streaming_base.waiting import block_until_stream_is_ready


def report(number: int) -> dict[str, Any]:
    return {"runId": "r", "timestamp": f"2025-01-01T00:00:{number:02}Z", "batchId": number // 2, "numInputRows": number}


class Kept:
    """A JVM's array of reports that counts how many were fetched."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers
        self.fetched = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, position: int) -> SimpleNamespace:
        self.fetched += 1
        return SimpleNamespace(json=lambda: json.dumps(report(self.numbers[position])))


def query_of(kept: Kept) -> Any:
    return SimpleNamespace(_jsq=SimpleNamespace(recentProgress=lambda: kept))


def test_only_the_new_reports_are_fetched() -> None:
    kept = Kept(*range(40))
    assert report_count(query_of(kept)) == 40 and kept.fetched == 0
    assert reports_since(query_of(kept), report(37)) == [report(38), report(39)]
    assert kept.fetched == 3


def test_over_connect_the_answer_is_the_same() -> None:
    query = SimpleNamespace(recentProgress=[report(1), report(2), report(3)])
    assert report_count(query) == 3
    assert reports_since(query, report(1)) == [report(2), report(3)]


def test_over_connect_the_rows_of_a_batch_are_those_of_its_sources() -> None:
    sources = [{"numInputRows": 15}, {"numInputRows": None}, {"numInputRows": 3}]
    reports = [{"numInputRows": None, "sources": sources}, {"numInputRows": 0, "sources": []}, {"numInputRows": 7}]
    assert [rows_read(one) for one in reports] == [18, 0, 7]
    assert rows_per_batch(SimpleNamespace(recentProgress=reports)) == [18, 7]


def test_what_a_batch_has_observed_is_the_same_over_connect() -> None:
    schema = {"type": "struct", "fields": [{"name": "first", "type": "double"}, {"name": "rows", "type": "long"}]}
    here, elsewhere = Row(first=0.5, rows=3), Row("values", "schema")([0.5, 3], schema)
    for row in (here, elsewhere):
        assert observed_metrics({"observedMetrics": {"arrivals": row}}, "arrivals") == {"first": 0.5, "rows": 3}


def test_over_connect_a_report_names_what_it_has_observed() -> None:
    schema = {"fields": [{"name": "first"}, {"name": "rows"}]}
    report = {"observedMetrics": {"arrivals": Row("values", "schema")([0.5, 3], schema), "named": Row(first=1)}}
    named = {"observedMetrics": {"arrivals": Row(first=0.5, rows=3), "named": Row(first=1)}}
    for answer, expected in ((report, named), ([report, {}], [named, {}]), (None, None)):
        reports = _wrap_reports(property(lambda _query, answer=answer: answer))
        assert reports.fget is not None
        assert reports.fget(SimpleNamespace()) == expected


@pytest.mark.parametrize("report", [{}, {"observedMetrics": {}}, {"observedMetrics": {"other": Row(first=1)}}])
def test_a_batch_that_has_observed_nothing_has_no_metrics(report: dict[str, Any]) -> None:
    assert observed_metrics(report, "arrivals") == {}


def test_a_real_querys_reports_come_once(spark: SparkSession) -> None:
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    query = rows.writeStream.format("memory").queryName("reports").start()
    seen: list[Any] = []
    while len(seen) < 5:
        assert not query.awaitTermination(0.05)
        seen += reports_since(query, seen[-1] if seen else None)
    query.stop()
    seen += reports_since(query, seen[-1])
    assert [r["timestamp"] for r in seen] == [r["timestamp"] for r in query.recentProgress]
    assert pytest.approx(report_count(query)) == len(seen)


@pytest.mark.slow
def test_rows_of_state_below_an_order_by_are_counted_once(spark) -> None:
    numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 70).load()
    groups = numbers.selectExpr("value % 7 AS k").groupBy("k").count()
    for name, frame in {"plain": groups, "sorted": groups.orderBy("k")}.items():
        query = frame.writeStream.format("memory").queryName(name).outputMode("complete").start()
        block_until_stream_is_ready(spark, query, min_batches=1, timeout=120)
        query.stop()
        assert state_rows(query.recentProgress[0], "numRowsTotal") == 7, name


@pytest.mark.parametrize(
    ("operator", "stores", "rows"),
    [("stateStoreSave", 8, 14), ("stateStoreSave", 16, 7), ("symmetricHashJoin", 32, 14), ("symmetricHashJoin", 8, 14)],
)
def test_a_join_has_four_stores_a_partition_or_one(operator: str, stores: int, rows: int) -> None:
    said = {"operatorName": operator, "numShufflePartitions": 8, "numStateStoreInstances": stores, "numRowsTotal": 14}
    assert state_rows({"stateOperators": [said]}, "numRowsTotal") == rows
