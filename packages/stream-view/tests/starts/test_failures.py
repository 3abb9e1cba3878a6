"""A stream's failure is told once, below the cell that started it."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession

from stream_view import starts
from stream_view.starts import failures
from streaming_base import front_end, hooks

WITHIN = 20.0


@pytest.fixture(autouse=True)
def _a_person(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(front_end, "parent_message", lambda: {"header": {"msg_id": "cell 3"}})
    monkeypatch.setattr(failures, "_cells", failures._Cells())
    starts.install(spark)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    monkeypatch.setattr(front_end, "print_below", lambda cell, text: lines.append((cell["header"]["msg_id"], text)))
    return lines


def numbers(spark: SparkSession) -> DataFrame:
    return spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()


def failing(spark: SparkSession) -> DataFrame:
    return numbers(spark).selectExpr("assert_true(value < 12) AS x", "value")


def wait_for(lines: list) -> None:
    deadline = time.monotonic() + WITHIN
    while not lines and time.monotonic() < deadline:
        time.sleep(0.05)


def end_of(query) -> None:
    with pytest.raises(Exception, match="is not true"):
        query.awaitTermination(60)


def test_the_line_names_stream_batch_cause_and_what_to_do(spark: SparkSession, told: list) -> None:
    failing(spark).writeStream.format("noop").queryName("orders").start()
    wait_for(told)
    assert [cell for cell, _ in told] == ["cell 3"]
    line = told[0][1]
    assert line.startswith("The stream orders failed in batch 2: [USER_RAISED_EXCEPTION]")
    assert line.endswith("Fix that and run this cell again: it has no checkpoint and starts over.") and "\n" not in line
    assert "SQLSTATE" not in line


def test_a_function_of_ones_own_is_named_with_its_line(spark: SparkSession, told: list, tmp_path) -> None:
    def upsert(batch: DataFrame, number: int) -> None:
        raise ValueError("no such key")

    writer = numbers(spark).writeStream.foreachBatch(upsert)
    writer.option("checkpointLocation", (tmp_path / "c").as_uri()).start()
    wait_for(told)
    line = told[0][1]
    assert "failed: ValueError: no such key (upsert, line " in line
    assert "of test_failures.py: raise ValueError" in line and "py4j" not in line
    assert line.endswith("it resumes from its checkpoint.")


@pytest.mark.slow
def test_a_cell_that_waits_and_raises_it_has_said_so_already(spark: SparkSession, told: list) -> None:
    failures._cells.begin()
    query = failing(spark).writeStream.format("noop").start()
    try:
        query.awaitTermination(60)
    except Exception as error:
        failures._cells.end(SimpleNamespace(error_in_exec=error))
    time.sleep(failures.RAISE_TIMEOUT + 0.5)
    assert told == []


@pytest.mark.slow
def test_code_that_catches_the_error_or_asks_for_it_has_heard_of_it(spark: SparkSession, told: list) -> None:
    failures._cells.begin()
    end_of(failing(spark).writeStream.format("noop").start())
    asked = failing(spark).writeStream.format("noop").start()
    while asked.isActive:
        time.sleep(0.05)
    assert asked.exception() is not None
    time.sleep(failures.RAISE_TIMEOUT + 0.5)
    assert told == []


@pytest.mark.slow
def test_a_stream_that_is_stopped_one_with_a_view_and_one_without_a_person_say_nothing(
    spark: SparkSession, told: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers(spark).writeStream.format("noop").start().stop()
    with failures.without_reports():
        end_of(failing(spark).writeStream.format("noop").start())
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    end_of(failing(spark).writeStream.format("noop").start())
    time.sleep(failures.RAISE_TIMEOUT + 0.5)
    assert told == []


def test_after_uninstall_nothing_is_told_and_spark_has_its_own_methods(spark: SparkSession, told) -> None:
    starts.uninstall()

    assert not [hook for hook in hooks.table() if hook.by == "stream_view"]
    end_of(failing(spark).writeStream.format("noop").start())
    time.sleep(0.5)
    assert told == []
