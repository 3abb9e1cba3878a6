"""What one check of `course.py doctor` found: whether it is well, what there is, and else what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Report = Callable[[str], None]
NOT_SET = "not set"  # found of a variable that says nothing


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    ``matters`` is False where the course finds a way around by itself. ``repair`` is what `doctor --fix` does about it,
    which says in lines what it does; it removes nothing that set-up has not made.
    """

    ok: bool
    found: str
    fix: str = ""
    matters: bool = True
    repair: Callable[[Report], None] | None = None


Check = Callable[[], Finding]
