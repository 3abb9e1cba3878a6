"""The workflows name files that are there."""

from __future__ import annotations

from pathlib import Path

import yaml

PROJECT = Path(__file__).parents[1]


def test_the_audit_looks_at_every_lock() -> None:
    workflow = yaml.safe_load((PROJECT / ".github" / "workflows" / "audit.yml").read_text())
    locks = workflow["jobs"]["audit"]["strategy"]["matrix"]["lock"]
    assert sorted(locks) == sorted(path.name for path in PROJECT.glob("requirements*.lock"))
