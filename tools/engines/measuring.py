"""Runs a lesson on an engine, as ``course.py run`` does, and says how far it came."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pyspark
from rich.console import Console

from engines.engine import Engine
from engines.record import Run
from kernel_harness import ELSEWHERE
from streaming_classroom.files import directories
from streaming_classroom.runner import LessonResult, find_lessons, lesson_number, run_lessons

CELL, LESSON = 240.0, 900.0  # seconds: the deadlines of the tests
LONGEST = 220  # characters that are kept of what a cell says


class NoCellToBlame(Exception):
    """A lesson did not pass, and its failure belongs to no cell: a kernel that died, or a run that was interrupted."""


def lessons() -> dict[str, str]:
    """Return the file names of all lessons by number."""
    return {lesson_number(path.stem): path.name for path in find_lessons([], directories.notebooks())}


def measure(lesson: str, engine: Engine) -> Run:
    """Run a lesson on an engine of its own.

    Raises
    ------
    NoCellToBlame
        Nothing can be recorded; the message has what the runner says.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, patch.dict(os.environ):
        for name in ELSEWHERE:
            os.environ.pop(name, None)
        work = Path(folder) / "engine"
        work.mkdir()
        with engine.start(work) as environment:
            os.environ |= environment
            result = _run(lesson, Path(folder) / "home")
    return _of(result, lesson, engine, folder)


def _run(lesson: str, home: Path) -> LessonResult:
    found = find_lessons([lesson], directories.notebooks())
    with Path(os.devnull).open("w") as nowhere:
        console = Console(file=nowhere)
        done = run_lessons(found, cell_timeout=CELL, lesson_timeout=LESSON, home=home, console=console)
    return done.lessons[0]


def _of(result: LessonResult, lesson: str, engine: Engine, folder: str) -> Run:
    day = datetime.now(UTC).date().isoformat()
    if result.outcome == "passed":
        return Run(lesson, engine.name, None, "", pyspark.__version__, day)
    first = result.failures[0] if result.failures else None
    if first is None or first.cell is None:
        raise NoCellToBlame(f"{lesson} on {engine.name}: {first or result.outcome}")
    return Run(lesson, engine.name, first.cell, lasting(first.message, folder), pyspark.__version__, day)


def lasting(message: str, folder: str) -> str:
    """Return the beginning of an error, without what another run has otherwise: folders, ports, and names by chance."""
    message = message.replace(sys.executable, "python")
    message = re.sub(rf"(?:file:)?/*{re.escape(folder.lstrip('/'))}[^\s'\",;)\]]*", "...", message)
    message = re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "...", message)
    message = re.sub(r"(127\.0\.0\.1|localhost):\d+", r"\1:...", message)
    return textwrap.shorten(message, LONGEST, placeholder=" ...")
