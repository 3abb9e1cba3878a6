"""Show the error of a cell as what the learner wrote and what Spark says, not as fifty lines of plumbing.

The whole traceback is not lost: ``%tb`` prints it.
"""

from __future__ import annotations

import linecache
import logging
import re
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

# PySpark writes each analysis error a second time to stderr, as one long line of JSON.
_SECOND_REPORTS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")

# Where a message turns from what is wrong to how Spark sees it: plans, JVM frames, query progress.
# Errors of cloudFiles begin with their reason; what follows is how it reached the user.
_PLUMBING = re.compile(
    r"\n(?:\s*JVM stacktrace:|\s*at org\.|=== Streaming Query ===|['~!+*] ?\w|\+- |:- "
    r"|\n\[(?:STREAM_FAILED|PYTHON_DATA_SOURCE_ERROR)\])"
)


def install(shell: InteractiveShell) -> None:
    """Show errors of Spark, of its JVM and of the course short in this shell; calling it again changes nothing."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    from streaming_classroom.dialect.errors import NotebookExit
    from streaming_classroom.errors import ClassroomError

    for name in _SECOND_REPORTS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    shell.set_custom_exc((PySparkException, Py4JJavaError, ClassroomError, NotebookExit), _show)


def _show(shell: InteractiveShell, kind: type, error: BaseException, trace: TracebackType, tb_offset=None):
    """Print the error and return it as IPython keeps it (the contract of ``set_custom_exc``)."""
    lines = _report(kind, error, trace)
    # What IPython keeps of any other error, for %tb.
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace
    shell._showtraceback(kind, error, lines)
    return lines


def _report(kind: type, error: BaseException, trace: TracebackType) -> list[str]:
    """Return where it happened and what is wrong; of a notebook that ended on purpose, only that."""
    from streaming_classroom.dialect.errors import NotebookExit

    if isinstance(error, NotebookExit):
        return [str(error)]
    notes = getattr(error, "__notes__", [])
    where = [*_own_lines(trace), *notes]
    message = short_message(error)
    if notes:
        # The note marks the place in the cell; Spark's own mark is in the one statement.
        message = re.sub(r"\s*[(;]?\s*\bline \d+,? pos \d+\)?;?|\n\n== SQL.*", "", message, flags=re.DOTALL).rstrip()
    return [*where, *([""] if where else []), f"{kind.__name__}: {message}", *_hint(message)]


def _hint(message: str) -> list[str]:
    """Say how to read a file of this machine that Spark has looked for in the classroom's file system."""
    from streaming_classroom import filesystem

    found = re.search(rf"Path does not exist: {filesystem.SCHEME}(/.+?)\. SQLSTATE", message)
    meant = filesystem.on_this_machine(found[1]) if found else None
    return [f"This machine has {meant}; to read it, write {meant.as_uri()}."] if meant else []


def short_message(error: BaseException) -> str:
    """Return what is wrong, without the plans and stack traces that follow it."""
    text = str(error).strip()
    if cut := _PLUMBING.search(text):
        text = text[: cut.start()]
    return _without_volatile(text).rstrip().removesuffix(";").rstrip()


def _without_volatile(text: str) -> str:
    """Return the text without what differs from run to run and helps nobody."""
    text = re.sub(r"\[STREAM_FAILED\] Query \[id = \S+, runId = \S+\] terminated with exception: ", "", text)
    return re.sub(r'File "[^"]*ipykernel_[^"]*"', 'File "this notebook"', text)


def _own_lines(trace: TracebackType) -> list[str]:
    """Return the lines of the learner's own cells and includes that led to the error, marked."""
    return [_marked(frame) for frame in traceback.extract_tb(trace) if _is_own(frame) and not _is_magic(frame)]


def _marked(frame: traceback.FrameSummary) -> str:
    line = linecache.getline(frame.filename, frame.lineno).strip()
    place = "" if _is_cell(frame.filename) else f"{Path(frame.filename).name}, "
    return f"{place}line {frame.lineno}: {line}"


def _is_own(frame: traceback.FrameSummary) -> bool:
    from streaming_classroom.dialect import include

    return _is_cell(frame.filename) or frame.filename in include.files


def _is_cell(filename: str) -> bool:
    """Whether a frame's file is a notebook cell, which IPython compiles under a temporary name."""
    return "ipykernel_" in filename or filename.startswith("<ipython-input")


def _is_magic(frame: traceback.FrameSummary) -> bool:
    """Whether a line was made of a magic; what the magic ran says more."""
    return re.search(r"get_ipython\(\)\.run_(cell|line)_magic\(", frame.line or "") is not None
