"""One update of a pipeline at a time, kept apart by what is beside the storage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.engine.storage import Storage
from declarative_pipelines.errors import UpdateRunning
from declarative_pipelines.updates.update_lock import only_update

ANOTHER = """
import os, sys
from pathlib import Path
from types import SimpleNamespace
from declarative_pipelines.errors import UpdateRunning
from declarative_pipelines.updates.update_lock import only_update

storage = SimpleNamespace(local=Path(sys.argv[1]))
try:
    with only_update(storage):
        os._exit(9)
except UpdateRunning:
    os._exit(8)
"""


def in_another_process(storage: Storage, **environment: str) -> int:
    """Return 9 if another process got the lock, and was then killed with it; 8 if it was refused."""
    command = [sys.executable, "-c", ANOTHER, str(storage.local)]
    return subprocess.run(command, timeout=120, check=False, env=environment or None).returncode


@pytest.fixture
def storage(spark: SparkSession, tmp_path: Path) -> Storage:
    return Storage(spark, (tmp_path / "storage").as_uri())


def test_a_storage_is_locked_for_others_and_given_back(storage: Storage) -> None:
    with only_update(storage):
        with only_update(Storage(storage.session, storage.path("another"))):
            pass
        with pytest.raises(UpdateRunning), only_update(storage):
            pass
    with only_update(storage):
        pass


def test_a_process_with_folders_of_its_own_for_what_is_temporary_is_kept_out_as_well(
    storage: Storage, tmp_path: Path
) -> None:
    """Two containers that share a storage have a /tmp and a user each."""
    (tmp_path / "tmp").mkdir()
    elsewhere = {"TMPDIR": str(tmp_path / "tmp"), "USER": "somebody", "LOGNAME": "somebody"}
    with only_update(storage):
        assert in_another_process(storage, **elsewhere) == 8
    assert in_another_process(storage, **elsewhere) == 9
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_process_that_was_killed_leaves_no_lock(storage: Storage) -> None:
    assert in_another_process(storage) == 9
    with only_update(storage):
        pass
