from __future__ import annotations

import os
from pathlib import Path

import pytest

from streaming_classroom.session import cluster


def test_old_logs_are_removed_unless_their_process_lives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    (tmp_path / "logs").mkdir()
    gone = [10**7 + number for number in range(cluster.KEPT + 5)]  # beyond what Linux gives to a process
    for age, process in enumerate([os.getppid(), *gone]):
        log = tmp_path / "logs" / f"spark-{process}.log"
        log.touch()
        os.utime(log, (age, age))
    cluster.new_log().touch()
    kept = {path.name for path in (tmp_path / "logs").iterdir()}
    newest = {f"spark-{process}.log" for process in gone[-cluster.KEPT + 1 :]}
    assert kept == newest | {f"spark-{os.getppid()}.log", f"spark-{os.getpid()}.log"}


def test_a_log_that_another_kernel_removes_meanwhile_is_no_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    (tmp_path / "logs").mkdir()
    for number in range(cluster.KEPT + 5):
        (tmp_path / "logs" / f"spark-{10**7 + number}.log").touch()
    listed = list((tmp_path / "logs").iterdir())
    # What the listing gives is gone when it is looked at.
    monkeypatch.setattr(Path, "glob", lambda _self, _pattern: (log.unlink() or log for log in listed))
    assert cluster.new_log().name == f"spark-{os.getpid()}.log"
