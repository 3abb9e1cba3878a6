"""The root of all packages' errors, and the short form in which any error is shown.

Every error that is raised on purpose is an :class:`ExplainedError`, here and in the packages above this one, and its
leaves are named after what the reader must do about them.  An error keeps its facts in fields and makes a sentence of
them only when it is printed; that sentence says what to do next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# Where a message turns from what is wrong to how Spark sees it: plans, JVM frames, query progress.
# Errors of cloudFiles begin with their reason; what follows is how it reached the user.
_PLUMBING = re.compile(
    r"\n(?:\s*JVM stacktrace:|\s*at org\.|=== Streaming Query ===|['~!+*] ?\w|\+- |:- "
    r"|\n\[(?:STREAM_FAILED|PYTHON_DATA_SOURCE_ERROR)\])"
)

# What Kafka's client says, after a minute or two, of a broker that stays away: as it asks, reads and writes.
_BROKER_AWAY = re.compile(
    r"(Timed out waiting for a node assignment|Timeout of \d+ ?ms expired before the|Expiring \d+ record\(s\) for "
    r"|Call\(callName=\w+, [^\n]* timed out at )[^\n]*"
)

# Spark's conditions of what a function in Python has raised.
_OF_A_FUNCTION = re.compile(r"\[(?:FOREACH_BATCH_USER_FUNCTION_ERROR|PYTHON_EXCEPTION)\]")

_TRACEBACK = "Traceback (most recent call last):\n"
_FRAME = re.compile(r'  File "(?P<file>[^"]*)", line (?P<line>\d+), in (?P<function>.+)\n(?:    (?P<code>.+)\n)?')
_OF_LIBRARIES = re.compile(
    r"[/\\](site-packages|dist-packages|lib(64)?[/\\]python\d[.\d]*|python[/\\]lib)[/\\]|\.zip[/\\]|^<frozen"
)
_OF_A_CELL = re.compile(r"ipykernel_|^<ipython-input|^<command")
#: An error that has a condition, as Spark's have, says all by itself.
_WITH_CONDITION = re.compile(r"[\w.]+: (?=\[[A-Z_.]+\] )")
_STATE = re.compile(r"(\s*SQLSTATE: \w+)+")


class ExplainedError(Exception):
    """Root of every error that is raised on purpose: its text is all that a reader needs, without a traceback."""


@dataclass(eq=False)  # keeps the hash of an exception, which the traceback machinery relies on
class NotAvailable(ExplainedError):
    """A feature that this kind of session lacks; ``instead`` has the alternative."""

    what: str
    instead: str

    def __str__(self) -> str:
        return f"{self.what} {self.instead}"


@dataclass(eq=False)
class StreamNotFound(ExplainedError):
    """No active stream of that name: start it, or correct the name."""

    name: str
    active: tuple[str, ...]

    def __str__(self) -> str:
        there = f"Active are: {', '.join(self.active)}." if self.active else "No stream is active."
        return f"There is no active stream named {self.name!r}. {there} Start the stream, or correct the name."


@dataclass(eq=False)
class StreamTimeout(ExplainedError, TimeoutError):
    """A stream did not reach the awaited state before the deadline."""

    stream: str
    seconds: float
    waited_for: str
    status: str

    def __str__(self) -> str:
        return (
            f"The stream {self.stream} had not {self.waited_for} after {self.seconds:g} s. "
            f"Its last status: {self.status}. "
            "Look at query.status and query.lastProgress, or wait longer with timeout=..."
        )


@dataclass(eq=False)
class UnreadableNotebook(ExplainedError):
    """The file is not a notebook of Python or SQL; ``reason`` has details."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} cannot be read as a notebook: {self.reason}"


@dataclass(eq=False)
class BadSql(ExplainedError, ValueError):
    """The text of a ``%sql`` cell does not fall into statements."""

    problem: str

    def __str__(self) -> str:
        return self.problem


@dataclass(eq=False)
class NoJson(ExplainedError, ValueError):
    """``column:field`` of a column that holds neither JSON text nor a VARIANT: read its fields in another way."""

    expression: str
    column: str
    type: str

    def __str__(self) -> str:
        of_a_struct = f" A STRUCT's fields are {self.column}.field." if self.type.startswith("STRUCT") else ""
        return (
            f"{self.expression} reads a field of JSON text or of a VARIANT, but {self.column} has the type "
            f"{self.type}.{of_a_struct}"
        )


def interrupt_behind(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the KeyboardInterrupt that led to an error of Spark's, or None: clean-up code finds its connection cut."""
    if isinstance(error, ExplainedError):  # which means what it says
        return None
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return error


def short_message(error: BaseException) -> str:
    """Return what is wrong, without the plans and stack traces that follow it.

    Of a Kafka broker that stays away its client only says that the time is over; that is said in a sentence.  Of a
    function in Python there is what it raised, and its line.
    """
    text = str(error).strip()
    if away := _BROKER_AWAY.search(text):
        call = re.sub(r"Call\(callName=(\w+),.*", r"\1 timed out", away[0])
        words = strip_sqlstate(call).rstrip(" .")
        return (
            "The Kafka broker has stopped answering. Start it, and then the stream again: it resumes from its "
            f"checkpoint. Kafka's own words: {words}."
        )
    if cut := _PLUMBING.search(text):
        text = text[: cut.start()]
    if raised := python_error_line(text):
        condition = _OF_A_FUNCTION.search(text)
        return f"{condition[0]} {raised}" if condition and not raised.startswith("[") else raised
    return _without_volatile(text).rstrip().removesuffix(";").rstrip()


def _without_volatile(text: str) -> str:
    """Return the text without ids and paths that differ from run to run."""
    text = re.sub(r"\[STREAM_FAILED\] Query \[id = \S+, runId = \S+\] terminated with exception: ", "", text)
    text = re.sub(r"\(\d+\.py, line (\d+)\)", r"(line \1 of the cell)", text)  # IPython's name for a cell
    return re.sub(r'File "[^"]*ipykernel_[^"]*"', 'File "this notebook"', text)


def python_error_line(text: str) -> str | None:
    """Return what a function raised and where, or None where the text has no traceback.

    Parameters
    ----------
    text : str
        Spark's message, up to its own frames.
    """
    _, found, trace = text.rpartition(_TRACEBACK)
    if not found:
        return None
    frames = list(_FRAME.finditer(trace))
    raised = re.sub(r"^( +[~^ ]*\n| {4}.*\n)*", "", trace[frames[-1].end() :] if frames else trace)
    error = strip_sqlstate(raised).strip()
    if explained := _WITH_CONDITION.match(error):
        return error[explained.end() :]
    own = [frame for frame in frames if not _OF_LIBRARIES.search(frame["file"])]
    return f"{error} ({_place(own[-1])})" if own and error else error or None


def strip_sqlstate(text: str) -> str:
    """Return a message without the SQLSTATE that each layer of Spark adds."""
    return _STATE.sub("", text)


def _place(frame: re.Match[str]) -> str:
    file = "its cell" if _OF_A_CELL.search(frame["file"]) else re.split(r"[/\\]", frame["file"])[-1]
    place = f"{frame['function']}, line {frame['line']} of {file}"
    return f"{place}: {frame['code'].strip()}" if frame["code"] else place
