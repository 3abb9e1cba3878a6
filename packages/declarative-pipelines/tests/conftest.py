"""A pipeline of a test: a database of its own, sources in a folder, and a table that rows are landed in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from declarative_pipelines import run_pipeline
from declarative_pipelines.definitions import registry
from declarative_pipelines.updates.results import Progress, Update

_numbers = itertools.count(1)


@dataclass
class Pipeline:
    """A pipeline, and what its observer was told."""

    spark: SparkSession
    folder: Path
    database: str
    told: list[Progress] = field(default_factory=list)
    landed: int = 0

    def write(self, text: str, name: str = "pipeline.py") -> Path:
        """Write a source; Python finds ``dlt`` and ``F`` imported."""
        text = dedent(text)
        path = self.folder / name
        if path.suffix == ".py":
            text = f"import dlt\nfrom pyspark.sql import functions as F\n{text}"
        path.write_text(text, encoding="utf-8")
        return path

    def land(self, *values: int | None) -> None:
        """Append rows with ``n``, counted through all that were landed, and ``v``, to the table ``source``."""
        rows = [(self.landed + number, value) for number, value in enumerate(values)]
        self.landed += len(values)
        self.spark.createDataFrame(rows, "n INT, v INT").coalesce(1).write.mode("append").saveAsTable(
            f"{self.database}.source"
        )

    def run(self, **arguments: Any) -> Update:
        """Run an update of all sources."""
        arguments.setdefault("observer", self.told.append)
        return run_pipeline(self.folder, database=self.database, name="test", **arguments)

    def table(self, name: str) -> DataFrame:
        return self.spark.table(f"{self.database}.{name}")

    def values(self, name: str, column: str = "v") -> list[Any]:
        """Return the values of a column, sorted, NULLs first."""
        found = [row[0] for row in self.table(name).select(column).collect()]
        return sorted(found, key=lambda value: (value is not None, value))

    def rows(self, query: str) -> list[Row]:
        """Return a query's rows, in this database."""
        self.spark.catalog.setCurrentDatabase(self.database)
        try:
            return self.spark.sql(query).collect()
        finally:
            self.spark.catalog.setCurrentDatabase("default")


def make(session: SparkSession, folder: Path) -> Pipeline:
    """Return a pipeline that has nothing yet."""
    made = Pipeline(session, folder, f"pipeline_{next(_numbers)}")
    session.sql(f"CREATE SCHEMA {made.database}")
    return made


@pytest.fixture
def pipeline(spark: SparkSession, tmp_path: Path) -> Iterator[Pipeline]:
    made = make(spark, tmp_path)
    yield made
    spark.sql(f"DROP SCHEMA {made.database} CASCADE")


@pytest.fixture(scope="module")
def story(_session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    """A pipeline that the tests of a module have in common, since an update takes seconds."""
    made = make(_session, tmp_path_factory.mktemp("story"))
    yield made
    _session.sql(f"DROP SCHEMA {made.database} CASCADE")


@pytest.fixture
def wrong(pipeline: Pipeline) -> Callable[[str], str]:
    """PipelinePlan a source and return what is wrong with it, the folder's path left out."""
    pipeline.land(1, 2)

    def explain(text: str, name: str = "pipeline.py") -> str:
        pipeline.write(text, name)
        update = pipeline.run(dry_run=True)
        assert update.error is not None
        return str(update.error).replace(f"{pipeline.folder}/", "")

    return explain


@pytest.fixture
def cells() -> Iterator[None]:
    """No cell has defined anything, before and after."""
    registry.forget_cells()
    yield
    registry.forget_cells()
