"""Which lesson need not keep which rule, and why. There is no other way around a rule."""

from __future__ import annotations

# By the lesson's number, then by the rule's name.
EXCUSES = {
    "00": {
        "set-up-is-second": "It says how a cell is run before the first one is to be run.",
    },
}


def is_excused(lesson: str, rule: str) -> bool:
    """Tell whether a lesson need not keep a rule."""
    return rule in EXCUSES.get(lesson, {})
