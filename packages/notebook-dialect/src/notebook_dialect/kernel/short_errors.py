"""A failed cell shows the user's own lines and Spark's message, without the fifty lines in between.

The whole traceback is not lost: ``%tb`` prints it.
"""

from __future__ import annotations

import linecache
import logging
import re
import sys
import traceback
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from notebook_dialect.errors import NotebookExit
from notebook_dialect.files import filesystem
from stream_view.errors import ExplainedError, interrupt_behind, short_message

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

# PySpark writes each analysis error a second time to stderr, as one long line of JSON.
_SECOND_REPORTS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")

# What is NULL or a wrapped number where ANSI mode is off.
_OF_ANSI_MODE = re.compile(
    r"\[(CAST_INVALID_INPUT|CAST_OVERFLOW|DIVIDE_BY_ZERO|REMAINDER_BY_ZERO|ARITHMETIC_OVERFLOW|BINARY_ARITHMETIC_OVERFLOW"
    r"|INTERVAL_ARITHMETIC_OVERFLOW|INTERVAL_DIVIDED_BY_ZERO|INVALID_ARRAY_INDEX|INVALID_ARRAY_INDEX_IN_ELEMENT_AT"
    r"|CANNOT_PARSE_TIMESTAMP|DATETIME_FIELD_OUT_OF_BOUNDS|NUMERIC_VALUE_OUT_OF_RANGE)(\.\w+)?\]"
)


@dataclass(frozen=True)
class _ErrorStyle:
    """How a notebook's errors are shown; see :func:`install`."""

    compiled: Container[str]
    ansi_hint: str
    when_interrupted: Callable[[], str]


def install(
    shell: InteractiveShell,
    compiled: Container[str] = (),
    ansi_hint: str = "",
    when_interrupted: Callable[[], str] = lambda: "Interrupted.",
) -> None:
    """Show errors of Spark, of its JVM and our own short in this shell; calling it again changes nothing.

    Parameters
    ----------
    compiled : container of str
        Names of files whose lines are the reader's own, as tracebacks show them, besides those of cells.
    ansi_hint : str
        The line to show below an error that Spark raises because of its ANSI mode; by default none.
    when_interrupted : callable
        Does what is to be done when a cell is interrupted, and returns the line to show.
    """
    from py4j.protocol import Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    for name in _SECOND_REPORTS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    shell.set_custom_exc(
        (PySparkException, Py4JJavaError, Py4JNetworkError, ExplainedError, NotebookExit, KeyboardInterrupt),
        partial(_show, _ErrorStyle(compiled, ansi_hint, when_interrupted)),
    )


def _show(
    style: _ErrorStyle,
    shell: InteractiveShell,
    kind: type,
    error: BaseException,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> list[str]:
    """Print the error and return it as IPython keeps it (the contract of ``set_custom_exc``)."""
    if not isinstance(error, NotebookExit) and (interrupt := interrupt_behind(error)):
        kind, error = KeyboardInterrupt, interrupt
    lines = _report(style, kind, error, trace)
    # What IPython keeps of any other error, for %tb.
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace
    shell._showtraceback(kind, error, lines)
    return lines


def _report(style: _ErrorStyle, kind: type, error: BaseException, trace: TracebackType) -> list[str]:
    """Return where it happened and what is wrong; of a notebook that somebody has ended on purpose, only that."""
    if isinstance(error, NotebookExit):
        return [str(error)]
    if isinstance(error, KeyboardInterrupt):
        return [style.when_interrupted()]
    notes = getattr(error, "__notes__", [])
    where = [*_own_lines(style.compiled, trace), *notes]
    message = short_message(error)
    if notes:
        # The note marks the place in the cell; Spark's own mark is in the one statement.
        message = re.sub(r"\s*[(;]?\s*\bline \d+,? pos \d+\)?;?|\n\n== SQL.*", "", message, flags=re.DOTALL).rstrip()
    return [*where, *([""] if where else []), f"{kind.__name__}: {message}", *_hint(message, style.ansi_hint)]


def _hint(message: str, ansi_hint: str) -> list[str]:
    """Say how to read a file of this machine that Spark has looked for as `dbfs:/`, or how to do without ANSI mode."""
    if ansi_hint and _OF_ANSI_MODE.search(message):
        return [ansi_hint]
    found = re.search(rf"Path does not exist: {filesystem.SCHEME}(/.+?)\. SQLSTATE", message)
    meant = filesystem.on_this_machine(found[1]) if found else None
    return [f"This machine has {meant}; to read it, write {meant.as_uri()}."] if meant else []


def _own_lines(compiled: Container[str], trace: TracebackType) -> list[str]:
    """Return the lines of the learner's own cells and includes that led to the error, marked."""
    frames = traceback.extract_tb(trace)
    return [_marked(frame) for frame in frames if _is_own(compiled, frame) and not _is_magic(frame)]


def _marked(frame: traceback.FrameSummary) -> str:
    line = linecache.getline(frame.filename, frame.lineno).strip()
    place = "" if _is_cell(frame.filename) else f"{Path(frame.filename).name}, "
    return f"{place}line {frame.lineno}: {line}"


def _is_own(compiled: Container[str], frame: traceback.FrameSummary) -> bool:
    return _is_cell(frame.filename) or frame.filename in compiled


def _is_cell(filename: str) -> bool:
    """Whether a frame's file is a notebook cell, which IPython compiles under a temporary name."""
    return "ipykernel_" in filename or filename.startswith("<ipython-input")


def _is_magic(frame: traceback.FrameSummary) -> bool:
    """Whether a line was made of a magic; what the magic ran says more."""
    return re.search(r"get_ipython\(\)\.run_(cell|line)_magic\(", frame.line or "") is not None
