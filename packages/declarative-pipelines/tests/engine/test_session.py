"""Settings of a session for a while, values of its JVM, and what its writes have observed."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructType

from declarative_pipelines.engine.session import JvmValues, temporary_settings
from declarative_pipelines.engine.spark_engine import WriteObserver
from declarative_pipelines.updates import flow_runs

PARTITIONS = "spark.sql.shuffle.partitions"


def test_settings_are_there_for_a_while_and_then_what_was_before(spark: SparkSession) -> None:
    before = spark.conf.get(PARTITIONS)
    with temporary_settings(spark, {PARTITIONS: "7", "pipelines.never.set": "x"}):
        assert (spark.conf.get(PARTITIONS), spark.conf.get("pipelines.never.set")) == ("7", "x")
    assert (spark.conf.get(PARTITIONS), spark.conf.get("pipelines.never.set", None)) == (before, None)


def test_a_setting_that_a_session_refuses_leaves_the_others_and_the_next_flow_as_they_were(spark: SparkSession) -> None:
    before = spark.conf.get(PARTITIONS)
    refused = {PARTITIONS: "7", "spark.sql.warehouse.dir": "/elsewhere"}
    with pytest.raises(PySparkException), flow_runs._settings(spark, refused):
        raise AssertionError("not reached")
    assert spark.conf.get(PARTITIONS) == before
    assert not flow_runs._setting.locked()


def test_values_of_scala_are_those_of_python_and_a_name_is_looked_up_once(spark: SparkSession) -> None:
    values = JvmValues(spark)
    assert values.list(values.seq(["a", None, "b"])) == ["a", None, "b"] and values.list(values.seq([])) == []
    assert values.map({"a": "b"}).apply("a") == "b"
    assert values.some("a").get() == "a" and values.some(None).isEmpty()
    for schema in ("a BIGINT", StructType().add("a", LongType())):
        assert values.schema(schema).toDDL() == "a BIGINT"

    again = JvmValues(spark)
    again._jvm = None
    assert again.named("scala.Option.apply") == values.named("scala.Option.apply")


def test_an_observer_hears_writes_until_it_has_left(spark: SparkSession) -> None:
    def write(name: str) -> None:
        spark.range(5).observe(name, F.count("*").alias("rows")).write.format("noop").mode("overwrite").save()

    with WriteObserver(spark) as first:
        write("one")
        assert first.wait_for("one", 60) == {"one": {"rows": 5}}
    with WriteObserver(spark) as second:
        write("two")
        assert second.wait_for("two", 60) == {"two": {"rows": 5}}
        assert first.wait_for("two", 0.5) is None
