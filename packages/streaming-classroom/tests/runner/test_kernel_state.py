from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from streaming_classroom.runner.kernel import EXPRESSION, active_streams


class SparkSession:
    """Stands in for Spark's, with the streams it is given."""

    active: SparkSession | None = None
    _instantiatedSession: SparkSession | None = None

    def __init__(self, *queries: tuple[str, str | None]) -> None:
        self.streams = SimpleNamespace(active=[SimpleNamespace(id=id, name=name) for id, name in queries])

    @classmethod
    def getActiveSession(cls) -> SparkSession | None:
        return cls.active


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> type[SparkSession]:
    module: Any = ModuleType("pyspark.sql")
    module.SparkSession = type("SparkSession", (SparkSession,), {})
    monkeypatch.setitem(sys.modules, "pyspark.sql", module)
    return module.SparkSession


def test_without_spark_no_stream_is_active(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pyspark.sql", raising=False)
    assert active_streams() == []
    assert "pyspark.sql" not in sys.modules


def test_without_a_session_no_stream_is_active(spark: type[SparkSession]) -> None:
    assert active_streams() == []


def test_streams_are_named_and_unnamed_ones_have_their_id(spark: type[SparkSession]) -> None:
    spark.active = spark(("2", None), ("1", "numbers"))
    assert active_streams() == ["numbers", "unnamed, id 2"]


def test_a_session_that_another_thread_made_is_looked_at(spark: type[SparkSession]) -> None:
    spark._instantiatedSession = spark(("1", "numbers"))
    assert active_streams() == ["numbers"]


def test_every_session_that_the_lesson_holds_is_looked_at(
    spark: type[SparkSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.active = spark(("1", "numbers"))
    monkeypatch.setattr(sys.modules["__main__"], "second", spark(("2", "letters")), raising=False)
    assert active_streams() == ["letters", "numbers"]


def test_the_expression_works_without_any_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pyspark.sql", raising=False)
    assert eval(EXPRESSION, {}) == []
