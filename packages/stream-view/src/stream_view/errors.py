"""The root of all packages' errors, and the short form in which any error is shown.

Every error that is raised on purpose is an :class:`ExplainedError`, here and in the packages above this one, and its
leaves are named after what the reader must do about them.  An error keeps its facts in fields and makes a sentence of
them only when it is printed; that sentence says what to do next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stream_view import progress_reports

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


class ExplainedError(Exception):
    """Root of every error that is raised on purpose: its text is all that a reader needs, without a traceback."""


@dataclass(eq=False)  # keeps the hash of an exception, which the traceback machinery relies on
class NotAvailable(ExplainedError):
    """Something that this kind of session cannot do: do what ``instead`` says."""

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
class NameInUse(ExplainedError):
    """A stream was to be shown under the name of one that is active: stop that one, or choose another name."""

    name: str
    owner: int | None
    cell: int | None

    def __str__(self) -> str:
        here = f"Cell [{self.cell}]" if self.cell else "This"
        taken = f"that cell [{self.owner}] shows" if self.owner else "that was started without display() and is active"
        return (
            f"{here} asks for the name {self.name!r} of the stream {taken}. "
            "Stop that one first, or choose another streamName."
        )


@dataclass(eq=False)
class NoInterval(ExplainedError, ValueError):
    """A trigger that is a string, but no interval: write one, or a trigger of another kind."""

    trigger: str

    def __str__(self) -> str:
        return (
            f"trigger={self.trigger!r} is no interval. Write one, such as trigger='1 second'; for one run over what is "
            "there, write trigger={'availableNow': True}."
        )


@dataclass(eq=False)
class CheckpointInUse(ExplainedError):
    """Another stream runs with this checkpoint: give this one its own, or stop the other."""

    checkpoint: str
    stream: str

    def __str__(self) -> str:
        return (
            f"The stream {self.stream} runs with the checkpoint {self.checkpoint}. A second one on it would stop the "
            "first silently, and resume from the first one's offsets. Give this stream a checkpointLocation of "
            f"its own, or stop {self.stream} first."
        )


@dataclass(eq=False)
class CheckpointOfAnotherSource(ExplainedError):
    """Another kind of source has left this checkpoint: give the stream its own, or delete the folder and start over."""

    checkpoint: str
    left: str
    read: str

    def __str__(self) -> str:
        return (
            f"The checkpoint {self.checkpoint} was left by a stream over {self.left}; this one reads {self.read} and "
            "cannot resume from it. Give it a checkpointLocation of its own, or delete that folder to start over."
        )


@dataclass(eq=False)
class StreamTimeout(ExplainedError, TimeoutError):
    """A stream had not done what was waited for when the deadline passed."""

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


def interrupt_behind(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interrupt that led to an error of Spark's, if one did: what tidies up finds the connection cut."""
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
        words = progress_reports.without_state(call).rstrip(" .")
        return (
            "The Kafka broker has stopped answering. Start it, and then the stream again: it resumes from its "
            f"checkpoint. Kafka's own words: {words}."
        )
    if cut := _PLUMBING.search(text):
        text = text[: cut.start()]
    if raised := progress_reports.in_one_line(text):
        condition = _OF_A_FUNCTION.search(text)
        return f"{condition[0]} {raised}" if condition and not raised.startswith("[") else raised
    return _without_volatile(text).rstrip().removesuffix(";").rstrip()


def _without_volatile(text: str) -> str:
    """Return the text without what differs from run to run and helps nobody."""
    text = re.sub(r"\[STREAM_FAILED\] Query \[id = \S+, runId = \S+\] terminated with exception: ", "", text)
    return re.sub(r'File "[^"]*ipykernel_[^"]*"', 'File "this notebook"', text)
