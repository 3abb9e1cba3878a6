"""What the weekly audit refuses in the locks of jars and of Java."""

from __future__ import annotations

import datetime

import pytest

import binary_locks
from streaming_classroom.setup import jars

LOCKED = datetime.date(2026, 9, 20)  # a day on which the Java of the lock below was the newest


@pytest.fixture(autouse=True)
def java(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lock the Java of July 2026."""
    lock = tmp_path / "java.lock"
    lock.write_text("# Java\n\nlinux-x64 https://example.org/jdk-17.0.20.1%2B1/jre.tar.gz 00\n")
    monkeypatch.setattr(binary_locks.java, "ARCHIVES", lock)


def test_a_jar_with_a_known_vulnerability_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    old = jars.Jar("com.fasterxml.jackson.core", "jackson-databind", "2.21.7", "00")
    monkeypatch.setattr(jars, "locked", lambda of: (old,) if of == jars.KAFKA_BROKER else ())

    [problem] = binary_locks.problems(LOCKED)

    assert "jackson-databind 2.21.7 has CVE-2026-54512" in problem and "fixed in 2.21.8" in problem


def test_the_locked_jars_have_no_known_vulnerability() -> None:
    assert list(binary_locks.problems(LOCKED)) == []


def test_a_java_that_is_three_quarters_old_is_refused() -> None:
    assert list(binary_locks.problems(datetime.date(2027, 3, 20))) == []
    assert "3 quarters older" in next(binary_locks.problems(datetime.date(2027, 4, 20)))
