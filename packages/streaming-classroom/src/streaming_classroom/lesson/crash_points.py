"""A query in a program of its own that is killed at a point of a batch, as a server that loses its power.

At each point but one the query's thread stands still until it is killed, so that nothing comes after it: what is on the
disk is what a crash at that point leaves.  In mid-batch tasks of the batch have ended and others have not.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psutil

from streaming_classroom import environment
from streaming_classroom.errors import NotAvailable

BEFORE_OFFSETS = "before the offset log"
AFTER_OFFSETS = "after the offset log"
MID_BATCH = "in mid-batch"
AFTER_SINK = "after the sink's write"
AFTER_COMMIT = "after the commit log"
#: In the order in which a batch comes to them.
CRASH_POINTS = (BEFORE_OFFSETS, AFTER_OFFSETS, MID_BATCH, AFTER_SINK, AFTER_COMMIT)
MISSED = " missed"  # a mark that no query has: a space in a name is quoted
POLL_INTERVAL = 0.002  # seconds: a batch of a small lesson takes some hundred times as long
_EXIT_TIMEOUT = 30.0
_RUNNER = "streaming_classroom.lesson.crashing_program"


def remove_last_commit(checkpoint: Path) -> int | None:
    """Remove the newest entry of a checkpoint's commit log, as a crash between write and commit leaves it.

    Returns the batch that the next start runs again; None if no batch is committed.
    """
    batches = [int(file.name) for file in checkpoint.glob("commits/*") if file.name.isdigit()]
    if not batches:
        return None
    for name in (str(max(batches)), f".{max(batches)}.crc"):
        (checkpoint / "commits" / name).unlink(missing_ok=True)
    return max(batches)


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
    NotAvailable
        There is no such point, the command is no Python program, several queries were to be in mid-batch, they would
        run in a Spark Connect server (``SPARK_REMOTE``), or all rows of the batch were written before it was seen in
        mid-batch.
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
        raise NotAvailable(
            f"{point!r} is no point of a batch.", f"Choose one of: {', '.join(map(repr, CRASH_POINTS))}."
        )
    program = list(command)
    if len(program) < 2 or (program[1].startswith("-") and program[1] != "-c") or program[1:] == ["-c"]:
        raise NotAvailable(f"{' '.join(program)!r} is no Python program.", "Give [sys.executable, file, ...].")
    queries = [query] if isinstance(query, str) else None if query is None else list(query)
    if point == MID_BATCH and len(queries or ()) > 1:
        problem = f"{MID_BATCH!r} is a point of one query, as Spark is frozen when the first one is there."
        raise NotAvailable(problem, "Name that one.")
    if environment.is_databricks():
        raise NotAvailable("On Databricks a program beside the notebook has no Spark.", "Leave this section out.")
    if environment.remote_url() is not None:
        raise NotAvailable("Over Spark Connect a query runs in the server, which is not killed.", "Unset SPARK_REMOTE.")
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        where = json.dumps({"point": point, "batch": batch, "queries": queries, "reached": folder})

        def are_there() -> bool:
            there = {path.name for path in Path(folder).iterdir()}
            return bool(there) and there.issuperset(map(mark_of, queries or ()))

        exit_code = _kill_when(are_there, [program[0], "-m", _RUNNER, where, *program[1:]], seconds)
        if (Path(folder) / MISSED).exists():
            problem = f"Batch {batch} was over before it was in mid-batch."
            raise NotAvailable(problem, "Give it several tasks that take some time.")
        return exit_code


def _kill_when(condition: Callable[[], bool], command: Sequence[str], seconds: float) -> int:
    """Run a program, kill it and its child processes (SIGKILL) once a condition is met, and return its exit code."""
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + seconds
    try:
        while not condition():
            if process.poll() is not None:
                raise RuntimeError(f"The program ended with exit code {process.returncode} before it could be killed.")
            if time.monotonic() > deadline:
                raise TimeoutError(f"Nothing to kill it for in {seconds:g} seconds.")
            time.sleep(POLL_INTERVAL)
    finally:
        with suppress(psutil.NoSuchProcess):  # it has ended
            for one in [*process.children(recursive=True), process]:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
    return process.wait(_EXIT_TIMEOUT)


def mark_of(query: str) -> str:
    """Return the name of the file that marks a query as at the point."""
    return quote(query, safe="")
