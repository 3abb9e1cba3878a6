"""What one check of `course.py doctor` found: whether it is well, what there is, and else what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    ``matters`` is False where the course finds a way around by itself.
    """

    ok: bool
    found: str
    fix: str = ""
    matters: bool = True
