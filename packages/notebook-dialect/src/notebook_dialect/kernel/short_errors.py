"""A failed cell shows the user's own lines, what is wrong and what to do, without the fifty lines in between.

Errors of Spark are short in any case; those of Python itself where there is something to say about them.  The whole
traceback is not lost: ``%tb`` prints it.
"""

from __future__ import annotations

import linecache
import logging
import re
import sys
import traceback
from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from notebook_dialect import filesystem
from notebook_dialect.include import NotebookExit
from notebook_dialect.kernel import python_advice, spark_advice
from streaming_base import stopped_session
from streaming_base.errors import ExplainedError, interrupt_behind, short_message
from streaming_base.stopped_session import SessionStopped

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

# A note of `%sql`: the place in the notebook, the line, and where it is exact the mark below it.
_PLACED = re.compile(r"([^\n]*):\n([^\n]*)(?:\n( *\^))?")


@dataclass(frozen=True)
class _ErrorStyle:
    """How a notebook's errors are shown; see :func:`install`."""

    compiled: Container[str]
    ansi_hint: str
    when_interrupted: Callable[[], str]
    set_up: Container[str]
    short: tuple[type[BaseException], ...]


def install(
    shell: InteractiveShell,
    compiled: Container[str] = (),
    ansi_hint: str = "",
    when_interrupted: Callable[[], str] = lambda: "Interrupted.",
    set_up: Container[str] = (),
) -> None:
    """Show errors in short form in this shell, with advice; calling it again changes nothing.

    Errors of Spark, of its JVM and of these packages are always short, any other if there is advice on it.
    ``compiled`` are file names, besides those of cells, whose lines are the reader's own; ``ansi_hint`` is the line
    below an error of Spark's ANSI mode; ``when_interrupted`` returns the line of an interrupted cell; ``set_up`` are
    the names that the notebook's set-up cell defines.
    """
    from py4j.protocol import Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    for name in _SECOND_REPORTS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    short = (PySparkException, Py4JJavaError, Py4JNetworkError, ExplainedError, NotebookExit, KeyboardInterrupt)
    style = _ErrorStyle(compiled, ansi_hint, when_interrupted, set_up, short)
    shell.set_custom_exc((*short, Exception), partial(_show, style))  # type: ignore[arg-type]


def _show(
    style: _ErrorStyle,
    shell: InteractiveShell,
    kind: type,
    error: BaseException,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> list[str] | None:
    """Print the error and return it as IPython keeps it (the contract of ``set_custom_exc``)."""
    if (
        isinstance(error, style.short)
        and not isinstance(error, NotebookExit)
        and (interrupt := interrupt_behind(error))
    ):
        kind, error = KeyboardInterrupt, interrupt
    if (lines := _lines(style, shell, kind, error, trace)) is None:
        # Of a syntax error IPython shows the frames only where it is told that code has run.
        has_run = any(_is_own(style.compiled, frame) for frame in traceback.extract_tb(trace))
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=has_run)
        return None
    # What IPython keeps of any other error, for %tb.
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace
    shell._showtraceback(kind, error, lines)
    return lines


def _lines(
    style: _ErrorStyle, shell: InteractiveShell, kind: type, error: BaseException, trace: TracebackType
) -> list[str] | None:
    """Return the lines to show for an error, or None to show it as IPython does."""
    spark = shell.user_ns.get("spark")
    if isinstance(error, SessionStopped) or (
        not isinstance(error, ExplainedError) and stopped_session.is_stopped_session_error(spark, trace)
    ):
        return [str(SessionStopped())]
    if isinstance(error, (ExplainedError, NotebookExit, KeyboardInterrupt)):  # which say what to do themselves
        return _report(style, kind, error, trace)
    is_short = isinstance(error, style.short)
    plain = _report(style, kind, error, trace) if is_short else None
    if style.ansi_hint and plain and plain[-1] == style.ansi_hint:
        return plain
    with suppress(Exception):  # advice that fails must not hide the error
        return _lines_with_advice(style, shell, kind, error, trace) or plain
    return plain


def _lines_with_advice(
    style: _ErrorStyle, shell: InteractiveShell, kind: type, error: BaseException, trace: TracebackType
) -> list[str] | None:
    """Return an error in at most four lines, the last of which is advice, or None without advice."""
    where = _where(style, error, trace)
    name, message = _name_and_first_line(kind, error)
    advised: str | None = None
    if isinstance(error, style.short):
        advised = _file_of_machine_hint(message) or spark_advice.advice(
            message, "\n".join(where), shell.user_ns, str(error)
        )
    elif not _is_from_notebook(style, error, trace):
        return None
    advised = advised or python_advice.advice(shell, error, trace, style.set_up)
    if advised is None:
        return None
    gap = [""] if len(where) == 1 else []
    return [*where, *gap, f"{name}: {message}", advised]


def _is_from_notebook(style: _ErrorStyle, error: BaseException, trace: TracebackType) -> bool:
    """Whether the notebook's own code raised an error, or an object that it asked for a missing attribute.

    A syntax error is the cell's own if none of its lines has run: one that has run imports a module or evaluates text.
    """
    frames = traceback.extract_tb(trace)
    own = [index for index, frame in enumerate(frames) if _is_own(style.compiled, frame)]
    if isinstance(error, SyntaxError):
        return not own and _is_cell(error.filename or "")
    asked = ("__getattr__", "__getattribute__") if isinstance(error, AttributeError) else ()
    return bool(own) and all(frame.name in asked for frame in frames[own[-1] + 1 :])


def _where(style: _ErrorStyle, error: BaseException, trace: TracebackType) -> list[str]:
    """Return the line of the notebook, or two: the first and the last that led to the error, or one and its mark."""
    if isinstance(error, SyntaxError):
        return [f"line {error.lineno}: {(error.text or '').strip()}"]
    lines = _own_lines(style.compiled, trace)
    lines = lines if len(lines) < 3 else [lines[0], lines[-1]]
    return [*lines, *(line for note in getattr(error, "__notes__", []) for line in _format_note(note))]


def _format_note(note: str) -> list[str]:
    """Return a note's position and source line as one line, and the mark below the position."""
    if (found := _PLACED.fullmatch(note)) is None:
        return [note]
    place, line, mark = found.groups()
    return [f"{place}: {line}", *([f"{' ' * (len(place) + 2)}{mark}"] if mark else [])]


def _name_and_first_line(kind: type, error: BaseException) -> tuple[str, str]:
    """Return an error's name and the first line of its message; of a wrapped Java error, its own."""
    message = str(error.msg) if isinstance(error, SyntaxError) else short_message(error)
    if found := re.search(r"\n: (?:\w+\.)+(\w+): (.*)", message):
        return found[1], found[2]
    first = message.splitlines()[0] if message else ""
    return kind.__name__, re.sub(r"\s*[(;]?\s*\bline \d+,? pos \d+\)?;?", "", first).rstrip()


def _report(style: _ErrorStyle, kind: type, error: BaseException, trace: TracebackType) -> list[str]:
    """Return an error's position and message; only the message for a notebook that ended itself."""
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
    """Return how to read a file of this machine that Spark has sought in `dbfs:/`, or how to do without ANSI mode."""
    if ansi_hint and _OF_ANSI_MODE.search(message):
        return [ansi_hint]
    return [elsewhere] if (elsewhere := _file_of_machine_hint(message)) else []


def _file_of_machine_hint(message: str) -> str | None:
    found = re.search(rf"Path does not exist: {filesystem.SCHEME}(/.+?)\. SQLSTATE", message)
    meant = filesystem.on_this_machine(found[1]) if found else None
    return f"This machine has {meant}; to read it, write {meant.as_uri()}." if meant else None


def _own_lines(compiled: Container[str], trace: TracebackType) -> list[str]:
    """Return the lines of the learner's own cells and includes that led to the error, marked."""
    frames = traceback.extract_tb(trace)
    return [_format_line(frame) for frame in frames if _is_own(compiled, frame) and not _is_magic(frame)]


def _format_line(frame: traceback.FrameSummary) -> str:
    line = linecache.getline(frame.filename, frame.lineno).strip()
    place = "" if _is_cell(frame.filename) else f"{Path(frame.filename).name}, "
    return f"{place}line {frame.lineno}: {line}"


def _is_own(compiled: Container[str], frame: traceback.FrameSummary) -> bool:
    return _is_cell(frame.filename) or frame.filename in compiled


def _is_cell(filename: str) -> bool:
    """Whether a frame's file is a notebook cell, which IPython compiles under a temporary name."""
    return "ipykernel_" in filename or filename.startswith("<ipython-input")


def _is_magic(frame: traceback.FrameSummary) -> bool:
    """Whether a line runs a magic, whose own error says more."""
    return re.search(r"get_ipython\(\)\.run_(cell|line)_magic\(", frame.line or "") is not None
