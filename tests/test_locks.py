"""The locks agree with what they are made from and with each other, and have no known vulnerability."""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path

import pytest

import binary_locks
from streaming_classroom.setup import jars

PROJECT = Path(__file__).parents[1]
PIN = re.compile(r"^(?P<name>[\w.-]+)(\[[\w,]+\])?==(?P<version>[\w.]+)", re.MULTILINE)


def read_pins(lock: str) -> list[str]:
    """Return the requirements that a lock is made from."""
    if lock == "requirements-dev.lock":
        return tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["dev"]
    lines = (PROJECT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read_versions(lock: str) -> dict[str, set[str]]:
    """Return the versions that a lock has of each package: two where Pythons differ."""
    versions: dict[str, set[str]] = {}
    for found in PIN.finditer((PROJECT / lock).read_text(encoding="utf-8")):
        versions.setdefault(found["name"], set()).add(found["version"])
    return versions


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_has_each_requirement_at_its_version(lock: str) -> None:
    pins, versions = read_pins(lock), read_versions(lock)

    found = [(pin, PIN.match(pin)) for pin in pins]
    differing = [pin for pin, match in found if not match or versions.get(match["name"].lower()) != {match["version"]}]

    assert pins
    assert differing == []


def test_the_packages_for_development_change_no_version_of_a_learners_package() -> None:
    learners, dev = read_versions("requirements.lock"), read_versions("requirements-dev.lock")

    assert {name: dev[name] for name in dev if dev[name] != learners.get(name, dev[name])} == {}


LOCKED = datetime.date(2026, 9, 20)  # a day on which the Java of the lock below was the newest


@pytest.fixture
def java(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lock the Java of July 2026."""
    lock = tmp_path / "java.lock"
    lock.write_text("# Java\n\nlinux-x64 https://example.org/jdk-17.0.20.1%2B1/jre.tar.gz 00\n")
    monkeypatch.setattr(binary_locks.java, "ARCHIVES", lock)


@pytest.mark.usefixtures("java")
def test_a_jar_with_a_known_vulnerability_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    old = jars.Jar("com.fasterxml.jackson.core", "jackson-databind", "2.21.7", "00")
    monkeypatch.setattr(jars, "locked", lambda of: (old,) if of == jars.KAFKA_BROKER else ())

    [problem] = binary_locks.problems(LOCKED)

    assert "jackson-databind 2.21.7 has CVE-2026-54512" in problem and "fixed in 2.21.8" in problem


@pytest.mark.usefixtures("java")
def test_the_locked_jars_have_no_known_vulnerability() -> None:
    assert list(binary_locks.problems(LOCKED)) == []


@pytest.mark.usefixtures("java")
def test_a_java_that_is_three_quarters_old_is_refused() -> None:
    assert list(binary_locks.problems(datetime.date(2027, 3, 20))) == []
    assert "3 quarters older" in next(binary_locks.problems(datetime.date(2027, 4, 20)))
