"""The Spark session, kernels and programs that tests start, and rows for streams to read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from pyspark.sql import DataFrame, SparkSession

from connect_server import running_connect_server
from kernel_harness import ELSEWHERE, Notebook
from standalone_cluster import RunningCluster, running_cluster
from streaming_classroom.files import directories

# What would make the session another one than a learner's on a laptop.
_ELSEWHERE = (*ELSEWHERE, "CLASSROOM_USER", "CLASSROOM_FAST_START", "CLASSROOM_ANSI")

RunPython = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start the session that all tests share; its home is the tests' own, its jars are the project's."""
    from streaming_base import listener, waiting
    from streaming_classroom import get_spark

    with patch.dict(os.environ, {"CLASSROOM_HOME": str(tmp_path_factory.mktemp("home"))}):
        for name in _ELSEWHERE:
            os.environ.pop(name, None)
        spark = get_spark()
        listener.watch(spark)
        yield spark
        waiting.stop_streams(spark.streams.active)
        spark.stop()


@pytest.fixture
def spark(_session: SparkSession) -> Iterator[SparkSession]:
    """Give the shared session; afterwards no stream and no view is left, and the default database is current."""
    from streaming_base import waiting

    yield _session
    waiting.stop_streams(_session.streams.active)
    _session.catalog.setCurrentDatabase("default")
    for view in (table.name for table in _session.catalog.listTables() if table.isTemporary):
        _session.catalog.dropTempView(view)


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this machine's environment says about where Spark is."""
    for name in _ELSEWHERE:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def open_notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Notebook]]:
    """Open notebooks in a folder beside the course's includes; all kernels end with the tests."""
    notebooks: list[Notebook] = []

    def open(home: Path | None = None, **environment: str) -> Notebook:
        base = tmp_path_factory.mktemp("project")
        (base / "notebooks").mkdir()
        for source in directories.notebooks().glob("*.sql"):  # of pipelines, which lessons name
            shutil.copy(source, base / "notebooks")
        (base / "Includes").symlink_to(directories.PROJECT / "Includes", target_is_directory=True)
        with patch.dict(os.environ):
            notebooks.append(Notebook(base / "notebooks", home or base / "home", **environment))
        return notebooks[-1]

    yield open
    for notebook in notebooks:
        notebook.close()


@pytest.fixture
def connect_server(tmp_path: Path) -> Iterator[str]:
    """Give the address of a Spark Connect server that is somebody else's."""
    with running_connect_server(tmp_path) as address:
        yield address


@pytest.fixture(scope="session")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture
def cluster(_cluster: RunningCluster) -> str:
    """Give the address of a cluster of two workers with a core each, of which nobody has one."""
    _cluster.wait_until_free()
    return _cluster.master


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Run code in a Python of its own, with a home below the test's directory and a deadline."""

    def run(code: str, timeout: float = 180, **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
        env = inherited | {"CLASSROOM_HOME": str(tmp_path / "home"), "PYTHONUTF8": "1"} | environment
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=timeout)

    return run


@pytest.fixture
def land(tmp_path: Path) -> Callable[..., None]:
    """Put a file with a row for each value in front of the streams."""

    def put(*values: int) -> None:
        rows = "".join(json.dumps({"id": value}) + "\n" for value in values)
        (tmp_path / f".{time.monotonic_ns()}").write_text(rows)
        [hidden] = tmp_path.glob(".[0-9]*")
        hidden.rename(tmp_path / f"{hidden.name[1:]}.json")

    return put


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path, land: Callable[..., None]) -> DataFrame:
    """Give a streaming frame of the rows that are landed; three are there already."""
    land(1, 2, 3)
    return spark.readStream.schema("id INT").json(tmp_path.as_uri())
