"""The locks agree with what they are made from, and with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
GROUPS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
PIN = re.compile(r"^(?P<name>[\w.-]+)(\[[\w,]+\])?==(?P<version>[\w.]+)", re.MULTILINE)


def pins(group: str) -> list[str]:
    """Return the requirements of learners, or those of a group with the groups that it includes."""
    if not group:
        lines = (PROJECT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line and not line.startswith("#")]
    entries = [[entry] if isinstance(entry, str) else pins(entry["include-group"]) for entry in GROUPS[group]]
    return [pin for entry in entries for pin in entry]


def locked(group: str) -> dict[str, set[str]]:
    """Return the versions that a lock has of each package: two where Pythons differ."""
    lock = PROJECT / (f"requirements-{group}.lock" if group else "requirements.lock")
    versions: dict[str, set[str]] = {}
    for found in PIN.finditer(lock.read_text(encoding="utf-8")):
        versions.setdefault(found["name"], set()).add(found["version"])
    return versions


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_a_lock_has_each_requirement_at_its_version(group: str) -> None:
    wanted, versions = pins(group), locked(group)

    found = [(pin, PIN.match(pin)) for pin in wanted]
    differing = [pin for pin, match in found if not match or versions.get(match["name"].lower()) != {match["version"]}]

    assert wanted
    assert differing == []


@pytest.mark.parametrize("group", GROUPS)
def test_adding_a_group_changes_no_version_of_what_learners_have(group: str) -> None:
    theirs, versions = locked(""), locked(group)

    assert {name: versions[name] for name in versions if versions[name] != theirs.get(name, versions[name])} == {}
