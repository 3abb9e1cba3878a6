"""The pytest plugin: the fixture ``pipeline``, a :class:`PipelineTest` of the files that the project names.

The files are those of the marker ``pipeline``, or else of ``pipeline_files`` in pytest's configuration.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from declarative_pipelines.testing.harness import PipelineTest

# Tests are short: the JVM's second compiler and a collector with many threads cost them more than they give.  With one
# compiler the JVM reserves 48 MB for code, which a few streams fill.
_QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"


@contextmanager
def small_session() -> Iterator[SparkSession]:
    """Return a session; Spark downloads Delta's jars, as ``delta-spark`` names them, once.

    Workers use this Python, unless ``PYSPARK_PYTHON`` is set.
    """
    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory(prefix="pipeline_tests_", ignore_cleanup_errors=True) as folder:
        builder = SparkSession.builder.master("local[2]").appName("pipeline tests")
        for key, value in {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.sql.sources.default": "delta",  # as on Databricks
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": folder,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            # Delta 4.4's parser loses the arguments of spark.sql(query, args) otherwise.
            "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
            "spark.driver.extraJavaOptions": _QUICK_START,
            "spark.databricks.delta.snapshotPartitions": "1",
        }.items():
            builder = builder.config(key, value)
        session = configure_spark_with_delta_pip(builder).getOrCreate()
        try:
            yield session
        finally:
            session.stop()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting for the pipeline's sources."""
    parser.addini("pipeline_files", "files and folders of the pipeline under test, from the root folder", "linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "pipeline(*files): the sources of the pipeline under test, in place of pipeline_files"
    )


@pytest.fixture(scope="session")
def pipeline_session() -> Iterator[SparkSession]:
    """The session that the tests share: this process's, or a small one with Delta.  Override it for your own."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    # Spark is started by tests that use the fixture, not by pytest.
    with small_session() as session:
        yield session


@pytest.fixture
def pipeline_files(request: pytest.FixtureRequest) -> list[Path]:
    """The sources of the pipeline under test.  Override it if they depend on something."""
    marker = request.node.get_closest_marker("pipeline")
    files = marker.args if marker is not None else request.config.getini("pipeline_files")
    if not files:
        raise pytest.UsageError(
            "No sources of a pipeline are named. Set pipeline_files in the configuration of pytest, or mark the test: "
            '@pytest.mark.pipeline("orders.py").'
        )
    return [request.config.rootpath / file for file in files]


@pytest.fixture
def pipeline_configuration() -> dict[str, str]:
    """The configuration of the pipeline under test.  Override it."""
    return {}


@pytest.fixture
def pipeline(
    pipeline_session: SparkSession, pipeline_files: list[Path], pipeline_configuration: dict[str, str]
) -> Iterator[PipelineTest]:
    """The pipeline under test; its tables and files are removed after the test."""
    # PySpark is imported by tests that use the fixture, not by pytest.
    from declarative_pipelines.testing.harness import PipelineTest

    with PipelineTest(*pipeline_files, configuration=pipeline_configuration, spark=pipeline_session) as test:
        yield test
