"""A Spark that has what we use of its inner parts elsewhere reads as well, slower or without an extra."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import pyspark_cloudfiles
from pyspark_cloudfiles.session import hidden_metadata, metadata_pruning, registration, source_creation, worker_warmup

pytestmark = pytest.mark.slow

# Classes of the JVM that a session is asked for, and are private to Spark.
CLASSES = (
    "org.apache.spark.sql.execution.datasources.DataSourceManager$",
    "org.apache.spark.sql.execution.datasources.v2.python.PythonDataSourceCreationResult",
    "org.apache.spark.sql.execution.datasources.v2.python.PythonDataSourceReadInfo",
    "org.apache.spark.sql.catalyst.plans.logical.Project",
    "org.apache.spark.sql.classic.Dataset",
    "org.apache.spark.api.python.PythonUtils",
    "org.apache.spark.sql.functions",
    "SimplePythonFunction",
    "PythonRDD",
)
# Names of fields and classes that are looked up in another way.
NAMES = {
    "the field that keeps a data source": (source_creation, "_KEPT_IN"),
    "the field of a writer": (metadata_pruning, "_FRAME"),
    "the holder of a file's name": (hidden_metadata, "_HOLDER"),
    "the manager of data sources": (registration, "_MANAGER"),
}
# Python's own.
FUNCTIONS = ("pyspark.sql.worker.plan_data_source_read.write_read_func_and_partitions",)


class Without:
    """A view of the JVM in which one class has moved away."""

    def __init__(self, of: Any, missing: str, path: str = "") -> None:
        self._of, self._missing, self._path = of, missing, path

    def __getattr__(self, name: str) -> Any:
        path = f"{self._path}.{name}".lstrip(".")
        if path == self._missing:
            return self._of.org.gone.Away  # what py4j gives for a name that there is not
        found = getattr(self._of, name)
        return Without(found, self._missing, path) if self._missing.startswith(f"{path}.") else found


Take = Callable[[], None]


def _class_gone(name: str) -> Callable[[SparkSession, pytest.MonkeyPatch], None]:
    def take(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(spark, "_jvm", Without(spark._jvm, name))

    return take


def _name_gone(module: Any, name: str) -> Callable[[SparkSession, pytest.MonkeyPatch], None]:
    return lambda _spark, monkeypatch: monkeypatch.setattr(module, name, "org.gone.Away")


def _function_gone(name: str) -> Callable[[SparkSession, pytest.MonkeyPatch], None]:
    return lambda _spark, monkeypatch: monkeypatch.delattr(name)


GONE = [
    *(pytest.param(_class_gone(name), id=name) for name in CLASSES),
    *(pytest.param(_name_gone(*where), id=name) for name, where in NAMES.items()),
    *(pytest.param(_function_gone(name), id=name) for name in FUNCTIONS),
]


@pytest.mark.parametrize("take", GONE)
def test_without_one_inner_part_of_spark_a_stream_reads_every_row(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, take: Callable
) -> None:
    pyspark_cloudfiles.install(spark)
    monkeypatch.setattr(worker_warmup, "_MARK", "_cloudfiles_not_warmed")  # so that it tries
    source = tmp_path / "in"
    source.mkdir()
    for number in range(3):
        (source / f"{number}.json").write_text(f'{{"id": {number}}}\n')
    take(spark, monkeypatch)
    reader = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    reader = reader.option("cloudFiles.inferColumnTypes", "true")
    frame = reader.option("cloudFiles.schemaLocation", str(tmp_path / "state")).load(source.as_uri())
    assert frame.columns == ["id", "_rescued_data"]
    writer = frame.writeStream.option("checkpointLocation", (tmp_path / "checkpoint").as_uri()).trigger(
        availableNow=True
    )
    query = writer.format("parquet").start((tmp_path / "out").as_uri())
    query.awaitTermination(60)
    assert query.exception() is None
    monkeypatch.undo()
    assert sorted(row.id for row in spark.read.parquet((tmp_path / "out").as_uri()).collect()) == [0, 1, 2]
