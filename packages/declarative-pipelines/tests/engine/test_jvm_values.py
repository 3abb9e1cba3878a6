"""What the JVM has is looked up once, and Scala's values are those of Python's that they are made from."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StructType

from declarative_pipelines.engine.jvm_values import JvmValues


@pytest.fixture
def values(spark: SparkSession) -> JvmValues:
    return JvmValues(spark)


def test_a_name_is_looked_up_once_in_all(values: JvmValues) -> None:
    class Silent:
        def __getattr__(self, name: str) -> None:
            raise AssertionError(f"the JVM was asked for {name}")

    found = values.named("java.util.HashMap"), values.named("scala.Option.apply")
    again = JvmValues(values.session)
    again._jvm = Silent()
    assert (again.named("java.util.HashMap"), again.named("scala.Option.apply")) == found


def test_collections(values: JvmValues) -> None:
    assert values.list(values.seq(["a", None, "b"])) == ["a", None, "b"]
    assert values.list(values.seq([])) == []
    assert values.map({"a": "b"}).apply("a") == "b"
    assert dict(values.as_java(values.map({"a": "b"}))) == {"a": "b"}


def test_options(values: JvmValues) -> None:
    assert values.some("a").get() == "a"
    assert values.some(None).isEmpty() and values.none().isEmpty()


@pytest.mark.parametrize("schema", ["a BIGINT", StructType().add("a", LongType())])
def test_schemas(values: JvmValues, schema: str | StructType) -> None:
    assert values.schema(schema).toDDL() == "a BIGINT"
    assert values.schema(None) is None
