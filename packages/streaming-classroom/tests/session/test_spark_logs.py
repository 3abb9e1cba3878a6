from __future__ import annotations

import os
from pathlib import Path

import pytest

from streaming_classroom.session import spark_session


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """Give more logs than are kept, the oldest first."""
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    (tmp_path / "logs").mkdir()
    logs = [tmp_path / "logs" / f"spark-{10**7 + age}.log" for age in range(spark_session.LOGS_KEPT + 5)]
    for age, log in enumerate(logs):
        log.touch()
        os.utime(log, (age, age))
    return logs


def test_the_oldest_logs_are_removed(logs: list[Path]) -> None:
    new = spark_session.new_log()
    new.touch()
    assert set(new.parent.iterdir()) == {new, *logs[-spark_session.LOGS_KEPT + 1 :]}


def test_a_log_that_another_kernel_removes_meanwhile_is_no_error(logs: list[Path], monkeypatch) -> None:
    # What the listing gives is gone when it is looked at.
    monkeypatch.setattr(Path, "glob", lambda _self, _pattern: (log.unlink() or log for log in logs))
    assert spark_session.new_log().name == f"spark-{os.getpid()}.log"
