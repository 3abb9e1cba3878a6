"""The locks agree with what they are made from, and with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

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
