"""What was measured, as a file beside this module: one line for each lesson on each engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

RECORD = Path(__file__).parent / "measured.jsonl"


@dataclass(frozen=True)
class Run:
    """How a lesson went on an engine.

    Attributes
    ----------
    lesson, engine : str
        The lesson's number and the engine's name.
    cell : int or None
        The cell at which it stopped, from 1; None if it passed.
    says : str
        The error of that cell in a line; empty if it passed.
    spark, day : str
        Which Spark it was, and when.
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
    if not RECORD.exists():
        return {}
    runs = (Run(**json.loads(line)) for line in RECORD.read_text(encoding="utf-8").splitlines())
    return {(run.lesson, run.engine): run for run in runs}


def write(runs: Iterable[Run]) -> None:
    """Replace what is recorded of these lessons on these engines."""
    all_runs = read() | {(run.lesson, run.engine): run for run in runs}
    lines = (json.dumps(asdict(all_runs[key]), ensure_ascii=False) for key in sorted(all_runs))
    RECORD.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
