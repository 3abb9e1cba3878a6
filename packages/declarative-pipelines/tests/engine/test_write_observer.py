"""What a session's batch writes have observed is heard while somebody listens, and by nobody afterwards."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from declarative_pipelines.engine.spark_engine import WriteObserver


def write(spark: SparkSession, name: str) -> None:
    spark.range(5).observe(name, F.count("*").alias("rows")).write.format("noop").mode("overwrite").save()


def test_an_observer_hears_writes_until_it_has_left(spark: SparkSession) -> None:
    with WriteObserver(spark) as first:
        write(spark, "one")
        assert first.wait_for("one", 60) == {"one": {"rows": 5}}
    with WriteObserver(spark) as second:
        write(spark, "two")
        assert second.wait_for("two", 60) == {"two": {"rows": 5}}
        assert first.wait_for("two", 0.5) is None
