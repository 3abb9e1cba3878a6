"""What the tests of change flows share: a database that is gone afterwards, and flows into it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.definitions.model import ChangeFlow, SourceLocation
from declarative_pipelines.engine.auto_cdc import merge_changes

_NUMBERS = itertools.count()
CHANGE = "id INT, seq LONG, op STRING, name STRING, city STRING"


@pytest.fixture
def database(spark: SparkSession) -> Iterator[str]:
    """Give the name of an empty database."""
    name = f"changes_{next(_NUMBERS)}"
    spark.sql(f"CREATE DATABASE {name}")
    yield name
    spark.sql(f"DROP DATABASE {name} CASCADE")


@pytest.fixture
def new_target(database: str) -> Callable[[], str]:
    """Give names of tables that do not exist."""
    return lambda: f"{database}.target_{next(_NUMBERS)}"


@pytest.fixture
def flow() -> Callable[..., ChangeFlow]:
    """Make flows for changes as :class:`change_oracle.Change` has them."""

    def make(**more: object) -> ChangeFlow:
        given = {"keys": ("id",), "sequence_by": "seq", "except_columns": ("op", "seq"), **more}
        deletes = {"apply_as_deletes": "op = 'D'"}
        return ChangeFlow(
            "customers", "customers", "feed", location=SourceLocation("file.sql", 1), **{**deletes, **given}
        )

    return make


@pytest.fixture
def merge(spark: SparkSession) -> Callable[..., None]:
    """Merge some changes as one batch."""

    def merge(flow: ChangeFlow, target: str, changes: Sequence[object], batch_id: int = 0) -> None:
        batch = spark.createDataFrame([astuple(change) for change in changes], CHANGE)
        merge_changes(spark, flow, batch, batch_id, target)

    return merge


@pytest.fixture
def rows(spark: SparkSession) -> Callable[[str], set[tuple]]:
    """Return a table's rows, and make sure that none is there twice."""

    def rows(target: str) -> set[tuple]:
        found = [tuple(row) for row in spark.table(target).collect()]
        assert len(found) == len(set(found))
        return set(found)

    return rows


@pytest.fixture
def written(spark: SparkSession) -> Callable[[str], tuple[int, ...]]:
    """Return how many rows the last merge into a table has inserted, updated and deleted."""

    def written(target: str) -> tuple[int, ...]:
        done = spark.sql(f"DESCRIBE HISTORY {target} LIMIT 1").first().operationMetrics
        return tuple(int(done[f"numTargetRows{what}"]) for what in ("Inserted", "Updated", "Deleted"))

    return written
