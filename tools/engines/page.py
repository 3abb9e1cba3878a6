"""The record of measured lessons, ``measured.jsonl``, and the page that shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RECORD = Path(__file__).parent / "measured.jsonl"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "engines.md"
_COLUMNS = {"local": "`local[2]`", "standalone": "standalone", "serverless": "serverless"}
_HEAD = """# Where the lessons run

{result}

Every lesson on three engines, run from its first cell to its last with its exercises still empty.
`.venv/bin/python tools/engines` runs them and writes this page; a test takes one lesson and one engine and compares.

* **`local[2]`**: driver and executor are one process, as on a laptop.
* **standalone**: a master and two workers of one core each, whose executors are processes of their own.
* **serverless**: Spark Connect, with what Databricks documents of serverless compute: Delta is the default format,
  settings other than a few are refused, and so are streams that do not end by themselves.

The table gives the number of the cell at which a lesson stops; why it stops is below. The measurements are of Spark
{spark}, made on {days}. Spark 4.3 has no Delta yet, so no lesson runs there. `serverless` is made to refuse what
Databricks documents; no workspace was used. [The lessons on Databricks](on-databricks.md) says what to expect there.

"""
#: Lessons that were added since the last measurement; `tools/engines --missing` measures them.
NOT_MEASURED: frozenset[str] = frozenset()
# What an error leaves open, by engine.
_MEANING = {
    "standalone": "The cell starts a second program, for which the cluster has no core: the lesson's session has both."
}


@dataclass(frozen=True)
class Run:
    """The run of a lesson on an engine.

    Attributes
    ----------
    lesson, engine : str
        The lesson's number and the engine's name.
    cell : int or None
        The cell at which it stopped, from 1; None if it passed.
    says : str
        The error of that cell in a line; empty if it passed.
    spark, day : str
        The version of Spark, and the day.
    """

    lesson: str
    engine: str
    cell: int | None
    says: str
    spark: str
    day: str

    @property
    def passed(self) -> bool:
        """Whether no cell stopped it."""
        return self.cell is None


def read() -> dict[tuple[str, str], Run]:
    """Return the newest run of each lesson on each engine."""
    runs = (Run(**json.loads(line)) for line in RECORD.read_text(encoding="utf-8").splitlines())
    return {(run.lesson, run.engine): run for run in runs}


def record(run: Run) -> None:
    """Replace the recorded run of a lesson on an engine."""
    runs = read() | {(run.lesson, run.engine): run}
    lines = (json.dumps(asdict(runs[key]), ensure_ascii=False) for key in sorted(runs))
    RECORD.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def render(runs: Mapping[tuple[str, str], Run], lessons: Mapping[str, str]) -> str:
    """Return the page.

    Parameters
    ----------
    runs
        By lesson and engine; those of `NOT_MEASURED` are missing.
    lessons
        The lessons' file names by number.
    """
    days = sorted({run.day for run in runs.values()})
    spark = ", ".join(sorted({run.spark for run in runs.values()}))
    ran = sorted(lessons.keys() - NOT_MEASURED)
    passed = {engine: sum(runs[number, engine].passed for number in ran) for engine in _COLUMNS}
    result = ", ".join(f"{passed[engine]} on {title}" for engine, title in _COLUMNS.items())
    result = f"Of {len(ran)} lessons reach their end: {result}."
    from parity_kit import pages as measured  # which rewrites this page

    text = _HEAD.format(result=result, spark=spark, days=days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}")
    text += _row("lesson", *_COLUMNS.values()) + _row("---", *("---" for _ in _COLUMNS))
    for number, name in sorted(lessons.items()):
        text += _row(f"[{number}](../notebooks/{name})", *(_outcome(runs, number, engine) for engine in _COLUMNS))
    text += _row(f"passed, of {len(ran)}", *map(str, passed.values()))
    for engine, title in _COLUMNS.items():
        stopped = [runs[number, engine] for number in ran if not runs[number, engine].passed]
        if stopped:
            text += f"\n## {title}\n\n" + _row("the error of the first of them", "lessons, with the cell")
            text += _row("---", "---")
            for runs_of_cause in _by_cause(stopped):
                lessons_of_cause = ", ".join(f"{run.lesson} ({run.cell})" for run in runs_of_cause)
                text += _row(_escape(runs_of_cause[0].says), lessons_of_cause)
            text += f"\n{_MEANING[engine]}\n" if engine in _MEANING else ""
    return text + measured.lessons_section(measured.read())


def _outcome(runs: Mapping[tuple[str, str], Run], number: str, engine: str) -> str:
    if number in NOT_MEASURED:
        return "not measured"
    cell = runs[number, engine].cell
    return "passed" if cell is None else f"stops at cell {cell}"


def _by_cause(stopped: Sequence[Run]) -> list[list[Run]]:
    """Return the runs in groups of one cause, the most frequent first: by error condition, or by the first words."""
    groups: dict[str, list[Run]] = {}
    for run in stopped:
        condition = re.search(r"\[([A-Z_]+)\b", run.says)
        groups.setdefault(condition[1] if condition else run.says[:30], []).append(run)
    return sorted(groups.values(), key=len, reverse=True)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _escape(sentence: str) -> str:
    """Return a sentence as Markdown that shows it unchanged, in a cell of a table."""
    return re.sub(r"([|<>*_`\[\]\\])", r"\\\1", sentence)
