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

The table gives the number of the cell at which a lesson stops; why it stops is below. A cell that needs classic compute
has the tag `classic-compute`, and the lesson's opening names its section: a run on serverless compute leaves it out.
*With a broker* is with the address of a Kafka broker in `KAFKA_BOOTSTRAP_SERVERS`, which there has to be one's own.
The measurements are of Spark {spark}, made on {days}. Spark 4.3 has no Delta yet, so no lesson runs there.
`serverless` is made to refuse what Databricks documents; no workspace was used.
[The lessons on Databricks](on-databricks.md) says what to expect there.

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
    left_out : tuple of int
        The cells that were left out, from 1: those that need classic compute.
    broker : bool
        Whether the lesson was given the address of a Kafka broker.
    """

    lesson: str
    engine: str
    cell: int | None
    says: str
    spark: str
    day: str
    left_out: tuple[int, ...] = ()
    broker: bool = False

    @property
    def passed(self) -> bool:
        """Whether no cell stopped it."""
        return self.cell is None


def read() -> dict[tuple[str, str], Run]:
    """Return the newest run of each lesson on each engine."""
    records = map(json.loads, RECORD.read_text(encoding="utf-8").splitlines())
    runs = (Run(**record | {"left_out": tuple(record.get("left_out", ()))}) for record in records)
    return {(run.lesson, run.engine): run for run in runs}


def record(run: Run) -> None:
    """Replace the recorded run of a lesson on an engine."""
    runs = read() | {(run.lesson, run.engine): run}
    records = (asdict(runs[key]) for key in sorted(runs))
    shown = ({name: value for name, value in fields.items() if value not in ((), False)} for fields in records)
    lines = (json.dumps(fields, ensure_ascii=False) for fields in shown)
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
    on_serverless = [run for number in ran if (run := runs[number, "serverless"]).passed]
    partly, with_broker = sum(bool(run.left_out) for run in on_serverless), sum(run.broker for run in on_serverless)
    result = (
        f"Of {len(ran)} lessons reach their end: {result}, {partly} of these without cells that need classic compute "
        f"and {with_broker} with a Kafka broker of one's own."
    )
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
    run = runs[number, engine]
    if run.cell is not None:
        return f"stops at cell {run.cell}"
    passed = "passed, with a broker" if run.broker else "passed"
    return f"{passed}, without {_ranges(run.left_out)}" if run.left_out else passed


def _ranges(cells: Sequence[int]) -> str:
    """Return the numbers of cells with their runs as ranges: ``cells 38-41, 46``."""
    ranges: list[list[int]] = []
    for cell in cells:
        if ranges and cell == ranges[-1][1] + 1:
            ranges[-1][1] = cell
        else:
            ranges.append([cell, cell])
    numbers = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges)
    return f"cell {numbers}" if len(cells) == 1 else f"cells {numbers}"


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
