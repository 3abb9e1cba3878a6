"""What the solutions make of the hidden tests' data, kept beside the exercises: a check need not run both.

``python tools/expected_rows.py`` writes it again, and a test compares it with what the solutions make.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from streaming_classroom.exercises import catalogue
from streaming_classroom.exercises.same_rows import Rows

FILE = catalogue.EXERCISES / "expected.json"


def rows(exercise: str, number: int) -> list[tuple[str, Rows]] | None:
    """Return the names and rows of the results of an exercise's test; None of one that is not kept."""
    tests = _kept().get(exercise, [])
    if number >= len(tests):
        return None
    return [(name, Rows.from_json(made)) for name, made in tests[number].items()]


def kept() -> dict[str, list[list[tuple[str, Rows]]]]:
    """Return what is kept, by exercise."""
    return {name: [rows(name, number) or [] for number in range(len(tests))] for name, tests in _kept().items()}


def keep(made: dict[str, list[list[tuple[str, Rows]]]]) -> None:
    """Keep the results of all tests, by exercise."""
    tests = {exercise: [{name: r.to_json() for name, r in test} for test in of] for exercise, of in made.items()}
    lines = [f"{json.dumps(exercise)}: {json.dumps(of, ensure_ascii=False)}" for exercise, of in sorted(tests.items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    _kept.cache_clear()


@cache
def _kept() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
