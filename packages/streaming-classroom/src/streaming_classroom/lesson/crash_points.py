"""A query in a program of its own that is killed at a point of a batch, as ``kill_when`` kills one at a condition.

At each point but one the query's thread stands still until it is killed, so that nothing comes after it: what is on the
disk is what a crash at that point leaves.  In mid-batch tasks of the batch have ended and others have not.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from streaming_classroom.errors import ClassroomError
from streaming_classroom.lesson.program import kill_when

BEFORE_OFFSETS = "before the offset log"
AFTER_OFFSETS = "after the offset log"
MID_BATCH = "in mid-batch"
AFTER_SINK = "after the sink's write"
AFTER_COMMIT = "after the commit log"
#: In the order in which a batch comes to them.
CRASH_POINTS = (BEFORE_OFFSETS, AFTER_OFFSETS, MID_BATCH, AFTER_SINK, AFTER_COMMIT)
_RUNNER = "streaming_classroom.lesson.crashing_program"


@dataclass(eq=False)
class NoCrashPoint(ClassroomError, ValueError):
    """A point that no batch comes to: choose one of the five."""

    point: str

    def __str__(self) -> str:
        return f"{self.point!r} is no point of a batch. Choose one of: {', '.join(map(repr, CRASH_POINTS))}."


@dataclass(eq=False)
class NoPythonProgram(ClassroomError, ValueError):
    """A command that is not Python with a file or with ``-c``: the point is found from within, in Python."""

    command: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(self.command)!r} is no Python program. Give [sys.executable, file, ...] or use kill_when."


def kill_at(point: str, command: Sequence[str], batch: int, query: str | None = None, seconds: float = 120.0) -> int:
    """Run a program, kill it and its Spark (SIGKILL) at a point of a batch of its query, and return its exit code.

    Nothing of the program is left when this returns, also where it raises.

    Parameters
    ----------
    point : str
        One of ``CRASH_POINTS``: ``before the offset log``, ``after the offset log``, ``in mid-batch``, ``after the
        sink's write`` (the commit log is not written yet), ``after the commit log``.
    command : sequence of str
        ``[sys.executable, file, argument, ...]`` or ``[sys.executable, "-c", code, argument, ...]``. What it prints is
        dropped.
    batch : int
        The number of the batch.
    query : str, optional
        The name of the query, where the program has several.
    seconds : float
        How long to wait for the point.

    Raises
    ------
    NoCrashPoint, NoPythonProgram
        There is no such point, or the command is no Python program.
    RuntimeError
        The program ended before it came to the point.
    TimeoutError
        It did not come to the point in time.

    Notes
    -----
    Supported: classic sessions, queries in micro-batches. ``in mid-batch`` needs a batch whose last stage has several
    tasks; with a single task the program is killed before the commit log is written.
    """
    if point not in CRASH_POINTS:
        raise NoCrashPoint(point)
    program = list(command)
    if len(program) < 2 or (program[1].startswith("-") and program[1] != "-c") or program[1:] == ["-c"]:
        raise NoPythonProgram(tuple(program))
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        reached = Path(folder) / "reached"
        where = json.dumps({"point": point, "batch": batch, "query": query, "reached": str(reached)})
        return kill_when(reached.exists, [program[0] or sys.executable, "-m", _RUNNER, where, *program[1:]], seconds)
