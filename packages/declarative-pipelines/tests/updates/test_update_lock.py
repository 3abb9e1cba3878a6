"""One update of a pipeline at a time, kept apart by what lies beside the storage."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from declarative_pipelines.engine.storage import Storage
from declarative_pipelines.errors import UpdateRunning
from declarative_pipelines.updates import update_lock
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


@pytest.fixture
def remote(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Storage:
    """A storage of which only Hadoop knows where it is, and whose leases end soon."""
    monkeypatch.setattr(Storage, "local", None)
    monkeypatch.setattr(update_lock, "TOUCH_EVERY", 0.3)
    monkeypatch.setattr(update_lock, "LEASE", 2.0)
    return storage


@pytest.mark.slow
def test_a_lease_is_held_as_long_as_the_update_runs_and_given_back(remote: Storage) -> None:
    with only_update(remote):
        threading.Event().wait(2.5)  # longer than a lease that nobody touches
        with pytest.raises(UpdateRunning), only_update(remote):
            pass
    assert not remote.exists("system", "update.lock")
    with only_update(remote):
        pass


@pytest.mark.slow
def test_a_lease_that_nobody_touches_is_taken_over_when_its_time_has_passed(remote: Storage) -> None:
    remote.write("of a process that was killed", "system", "update.lock")
    with pytest.raises(UpdateRunning), only_update(remote):
        pass
    threading.Event().wait(2.1)
    with only_update(remote):
        assert remote.read("system", "update.lock") != "of a process that was killed"
    assert remote.names("system") == []


@pytest.mark.slow
def test_of_those_that_find_a_dead_lease_no_two_get_it(remote: Storage) -> None:
    remote.write("of a process that was killed", "system", "update.lock")
    threading.Event().wait(2.1)
    begin, holding, most = threading.Barrier(4), [], []

    def take() -> None:
        begin.wait()
        try:
            with only_update(remote):
                holding.append(1)
                most.append(len(holding))
                threading.Event().wait(0.5)
                holding.pop()
        except (UpdateRunning, Py4JJavaError):  # the other one's file is just being put there
            pass

    takers = [threading.Thread(target=take) for _ in range(4)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join(60)
    assert set(most) <= {1}
    threading.Event().wait(2.1)
    with only_update(remote):
        pass


def test_an_update_whose_lease_was_taken_leaves_the_others_alone(remote: Storage, caplog) -> None:
    with only_update(remote):
        remote.write("another", "system", "update.lock")
        threading.Event().wait(1)
    assert remote.read("system", "update.lock") == "another"
    assert "was taken by another update" in caplog.text
