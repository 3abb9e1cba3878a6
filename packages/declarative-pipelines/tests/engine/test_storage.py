"""The pipeline's small files are whole, whoever looks and whenever a writer ends; one update runs at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.engine.storage import Storage, only_update
from declarative_pipelines.errors import PipelineError

ANOTHER = """
import os, sys
from pathlib import Path
from types import SimpleNamespace
from declarative_pipelines.engine.storage import only_update
from declarative_pipelines.errors import PipelineError

try:
    with only_update(SimpleNamespace(local=Path(sys.argv[1]))):
        os._exit(9)
except PipelineError:
    os._exit(8)
"""


@pytest.fixture(params=["file", "dbfs"])
def storage(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Storage:
    """A folder of the machine, and one of the course's file system, which Hadoop reaches in another way."""
    return Storage(spark, tmp_path.as_uri() if request.param == "file" else f"dbfs:/tmp/{tmp_path.parent.name}-storage")


def test_what_hadoop_alone_reaches_is_written_by_it_and_replaced(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Storage, "local", None)
    for text in ("old", "new"):
        storage.write(text, "d", "text")
        assert storage.read("d", "text") == text
    assert storage.names("d") == ["text"]
    monkeypatch.undo()
    storage.write("newest", "d", "text")  # over a file that Hadoop has written with a checksum
    assert storage.read("d", "text") == "newest"
    storage.remove("d")


def in_another_process(storage: Storage, **environment: str) -> int:
    """Return 9 if another process got the lock, and was then killed with it; 8 if it was refused."""
    command = [sys.executable, "-c", ANOTHER, str(storage.local)]
    return subprocess.run(command, timeout=120, check=False, env=environment or None).returncode


def test_an_update_locks_its_storage_for_all_processes_until_it_ends(spark: SparkSession, tmp_path: Path) -> None:
    """Two containers that share a storage have a /tmp and a user each."""
    storage = Storage(spark, (tmp_path / "storage").as_uri())
    elsewhere = {"TMPDIR": str(tmp_path), "USER": "somebody", "PYTHONPATH": ":".join(sys.path)}
    with only_update(storage):
        with only_update(Storage(spark, storage.path("another"))):
            pass
        with pytest.raises(PipelineError), only_update(storage):
            pass
        assert in_another_process(storage, **elsewhere) == 8
    assert in_another_process(storage) == 9
    with only_update(storage):  # a process that was killed leaves no lock
        pass
