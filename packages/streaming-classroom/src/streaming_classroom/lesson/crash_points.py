"""A query in a program of its own that is killed at a point of a batch, as ``kill_when`` kills one at a condition.

At each point but one the query's thread stands still until it is killed, so that nothing comes after it: what is on the
disk is what a crash at that point leaves.  In mid-batch tasks of the batch have ended and others have not.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from streaming_classroom import environment
from streaming_classroom.errors import ClassroomError, NotAvailable
from streaming_classroom.lesson.program import kill_when

BEFORE_OFFSETS = "before the offset log"
AFTER_OFFSETS = "after the offset log"
MID_BATCH = "in mid-batch"
AFTER_SINK = "after the sink's write"
AFTER_COMMIT = "after the commit log"
#: In the order in which a batch comes to them.
CRASH_POINTS = (BEFORE_OFFSETS, AFTER_OFFSETS, MID_BATCH, AFTER_SINK, AFTER_COMMIT)
MISSED = " missed"  # a mark that no query has: a space in a name is quoted
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


@dataclass(eq=False)
class OneQueryOnly(ClassroomError, ValueError):
    """Only one query can be in mid-batch when Spark is frozen: name one."""

    def __str__(self) -> str:
        return f"{MID_BATCH!r} is a point of one query, as Spark is frozen when the first one is there. Name that one."


@dataclass(eq=False)
class BatchTooQuick(ClassroomError, RuntimeError):
    """A batch had all its rows written before it was seen in the middle; the program was killed all the same."""

    batch: int

    def __str__(self) -> str:
        return f"Batch {self.batch} was over before it was in mid-batch. Give it several tasks that take some time."


def kill_at(
    point: str,
    command: Sequence[str],
    batch: int,
    query: str | Sequence[str] | None = None,
    seconds: float = 120.0,
) -> int:
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
    query : str or sequence of str, optional
        The name of the query, where the program has several; of several names, all of these stand still at the point
        before the program is killed. By default the first query that comes to the point.
    seconds : float
        How long to wait for the point.

    Raises
    ------
    NoCrashPoint, NoPythonProgram, OneQueryOnly
        There is no such point, the command is no Python program, or several queries were to be in mid-batch.
    NotAvailable
        The program's queries would run in a Spark Connect server (``SPARK_REMOTE``).
    BatchTooQuick
        All rows of the batch were written before it was seen in mid-batch.
    RuntimeError
        The program ended before it came to the point.
    TimeoutError
        It did not come to the point in time.

    Notes
    -----
    Supported: classic sessions, queries in micro-batches. The program's session is one of this machine, also where the
    notebook's own is on a cluster (``SPARK_MASTER``), whose cores it may have all to itself. ``in mid-batch`` is found
    by looking every two milliseconds: it needs a batch whose last stage has several tasks that take some time.
    """
    if point not in CRASH_POINTS:
        raise NoCrashPoint(point)
    program = list(command)
    if len(program) < 2 or (program[1].startswith("-") and program[1] != "-c") or program[1:] == ["-c"]:
        raise NoPythonProgram(tuple(program))
    queries = [query] if isinstance(query, str) else None if query is None else list(query)
    if point == MID_BATCH and len(queries or ()) > 1:
        raise OneQueryOnly
    if environment.remote_url() is not None:
        raise NotAvailable("Over Spark Connect a query runs in the server, which is not killed.", "Unset SPARK_REMOTE.")
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        where = json.dumps({"point": point, "batch": batch, "queries": queries, "reached": folder})

        def are_there() -> bool:
            there = {path.name for path in Path(folder).iterdir()}
            return bool(there) and there.issuperset(map(mark_of, queries or ()))

        exit_code = kill_when(are_there, [program[0], "-m", _RUNNER, where, *program[1:]], seconds)
        if (Path(folder) / MISSED).exists():
            raise BatchTooQuick(batch)
        return exit_code


def mark_of(query: str) -> str:
    """Return the name of the file that marks a query as at the point."""
    return quote(query, safe="")
