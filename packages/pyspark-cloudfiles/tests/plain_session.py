"""What the tests of this package need of Spark where they run by themselves: a plain session, nothing added to it.

In the repository of all packages the fixtures of the same names come from there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import pyspark_cloudfiles


def pytest_configure(config: pytest.Config) -> None:
    """Know the marks that some tests have."""
    config.addinivalue_line("markers", "long: takes too long for every run; with LONG_TESTS=1")
    config.addinivalue_line("markers", "kernel: starts kernels or JVMs of its own")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what takes long, unless it is asked for."""
    for item in items:
        if item.get_closest_marker("long") and os.environ.get("LONG_TESTS") != "1":
            item.add_marker(pytest.mark.skip(reason="part of LONG_TESTS=1"))


@pytest.fixture(scope="session")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    mounts = json.dumps({"dbfs:/": str(tmp_path_factory.mktemp("mounted"))})
    builder = builder.config("spark.cloudFiles.mounts", mounts)
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
    session = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate()
    pyspark_cloudfiles.install(session)
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
def cluster() -> str:
    """Leave out what needs a cluster, which only the repository of all packages starts."""
    pytest.skip("needs the cluster of the repository")


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code in a Python of its own, with a deadline."""

    def run(code: str, timeout: float = 180, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, env=os.environ | environment, cwd=tmp_path, capture_output=True, text=True, timeout=timeout
        )

    return run
