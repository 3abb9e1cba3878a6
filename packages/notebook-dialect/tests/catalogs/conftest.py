"""A session with catalogs, in which ``main.sales`` is current."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from notebook_dialect.catalogs import statements
from notebook_dialect.sql import spark_sql
from streaming_classroom.files.directories import classroom_files


@pytest.fixture(scope="session")
def _catalogs(_session: SparkSession) -> Iterator[SparkSession]:
    spark_sql.install()
    assert statements.enable(_session, classroom_files()), "the session has no jar of catalogs on its class path"
    for statement in (
        "CREATE CATALOG IF NOT EXISTS main",
        "CREATE SCHEMA IF NOT EXISTS main.sales",
        "CREATE TABLE main.sales.orders (id INT, amount DOUBLE)",
        "INSERT INTO main.sales.orders VALUES (1, 10.0), (2, 20.0)",
        "CREATE VOLUME main.sales.landing",
    ):
        _session.sql(statement)
    yield _session
    statements.disable()


@pytest.fixture
def sql(_catalogs: SparkSession) -> Iterator[SparkSession]:
    """Give the session; the other packages' tests find its own catalog current again."""
    statements.enable(_catalogs, classroom_files())
    _catalogs.sql("USE main.sales")
    yield _catalogs
    _catalogs.sql("USE spark_catalog.default")
    statements.disable()
