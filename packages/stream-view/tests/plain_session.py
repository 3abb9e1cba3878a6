"""What the tests of this package need of Spark where they run by themselves: a plain session, nothing added to it.

In the repository of all packages the fixtures of the same names come from there.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="session")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
    session = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def spark(_session: SparkSession) -> Iterator[SparkSession]:
    """Give the shared session; afterwards no stream and no view is left."""
    yield _session
    for query in _session.streams.active:
        query.stop()
    for view in (table.name for table in _session.catalog.listTables() if table.isTemporary):
        _session.catalog.dropTempView(view)


@pytest.fixture
def land(tmp_path: Path) -> Callable[..., None]:
    """Put a file with a row for each value in front of the streams."""

    def put(*values: int) -> None:
        hidden = tmp_path / f".{time.monotonic_ns()}"
        hidden.write_text("".join(json.dumps({"id": value}) + "\n" for value in values))
        hidden.rename(tmp_path / f"{hidden.name[1:]}.json")

    return put


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path, land: Callable[..., None]) -> DataFrame:
    """Give a streaming frame of the rows that are landed; three are there already."""
    land(1, 2, 3)
    return spark.readStream.schema("id INT").json(tmp_path.as_uri())
