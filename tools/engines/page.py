"""The page, from what was measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from engines.engine import ENGINES
from engines.record import Run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "engines.md"
_HEAD = """# Where the lessons run

Every lesson on every engine, run from its first cell to its last with its exercises still empty.
`.venv/bin/python tools/engines` runs them and writes this page; a test of each run takes one lesson and one engine and
compares.

{engines}

A lesson that stops says so in a cell: its number stands in the table, and what the cell says stands below. The
measurements are of Spark {spark}, made on {days}. Spark 4.3 has no Delta yet, so no lesson runs there. `serverless` is
made to refuse what Databricks documents; no workspace was used. [The lessons on Databricks](on-databricks.md) says what
to expect there.

| lesson | {titles} |
| --- | {rules} |
"""
_PASSED = "passed"
_NO_CORE = "the cell starts a second program, for which the cluster has no core: the lesson's session has both."
# What a cell's sentence leaves open, by lesson and engine.
_MEANING = {
    ("07", "standalone"): _NO_CORE,
    ("12", "connect"): "`DeltaTable` over Connect needs Delta's extension in the server, which this one lacks.",
    ("13", "connect"): "`cloudFiles` has its hidden columns in a classic session only; its README says so.",
    ("14", "standalone"): _NO_CORE,
}


def text(runs: Mapping[tuple[str, str], Run], lessons: Mapping[str, str]) -> str:
    """Return the page.

    Parameters
    ----------
    runs
        By lesson and engine.
    lessons
        The lessons' file names by number.
    """
    head = _HEAD.format(
        engines="\n".join(f"* **{engine.title}**: {engine.what}" for engine in ENGINES),
        spark=", ".join(sorted({run.spark for run in runs.values()})),
        days=_days(runs),
        titles=" | ".join(engine.title for engine in ENGINES),
        rules=" | ".join("---" for _ in ENGINES),
    )
    rows = [_row(number, name, runs) for number, name in sorted(lessons.items())]
    counts = [str(sum(runs[number, engine.name].passed for number in lessons)) for engine in ENGINES]
    total = f"| passed, of {len(lessons)} | {' | '.join(counts)} |\n"
    return head + "".join(rows) + total + _reasons(runs, lessons)


def _days(runs: Mapping[tuple[str, str], Run]) -> str:
    days = sorted({run.day for run in runs.values()})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _row(number: str, name: str, runs: Mapping[tuple[str, str], Run]) -> str:
    cells = (runs[number, engine.name] for engine in ENGINES)
    shown = (_PASSED if run.passed else f"cell {run.cell}" for run in cells)
    return f"| [{number}](../notebooks/{name}) | {' | '.join(shown)} |\n"


def _reasons(runs: Mapping[tuple[str, str], Run], lessons: Mapping[str, str]) -> str:
    parts = []
    for engine in ENGINES:
        stopped = [runs[number, engine.name] for number in sorted(lessons) if not runs[number, engine.name].passed]
        if stopped:
            lines = (f"| {run.lesson} | {run.cell} | {_escaped(run.says)} |\n" for run in stopped)
            parts.append(f"\n## {engine.title}\n\n| lesson | cell | it says |\n| --- | --- | --- |\n{''.join(lines)}")
            parts.append(_meanings(stopped))
    return "".join(parts)


def _meanings(stopped: Sequence[Run]) -> str:
    """Return what the sentences of some leave open, a line each."""
    places = [(run.lesson, run.engine) for run in stopped]
    lines = [f"* {lesson}: {_MEANING[lesson, engine]}\n" for lesson, engine in places if (lesson, engine) in _MEANING]
    return "".join(["\nWhat this means:\n\n", *lines]) if lines else ""


def _escaped(sentence: str) -> str:
    """Return a sentence as Markdown that shows it as it is, in a cell of a table."""
    return re.sub(r"([|<>*_`\[\]\\])", r"\\\1", sentence)
