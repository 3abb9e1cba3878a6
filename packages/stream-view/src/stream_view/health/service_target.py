"""What is expected of a stream, and what is wrong with one that does not keep to it, in a sentence each."""

from __future__ import annotations

from dataclasses import dataclass, fields

from stream_view.health.watched_streams import StreamReading
from streaming_base.errors import ExplainedError

NONE = "–"
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_TIMES = ((86_400, "d"), (3_600, "h"), (60, "min"))


def whole(number: float | None) -> str:
    """Return a count of rows; below ten with a digit after the point, where it has one."""
    if number is None:
        return NONE
    return f"{number:,.1f}" if abs(number) < 10 and number != int(number) else f"{round(number):,}"


def size(number: float | None) -> str:
    """Return bytes in the largest unit that gives at least 1."""
    if number is None:
        return NONE
    for factor, unit in _SIZES:
        if number >= factor:
            return f"{number / factor:.3g} {unit}" if number < 1000 * factor else f"{number / factor:,.0f} {unit}"
    return f"{number:,.0f} B"


def duration(seconds: float | None) -> str:
    """Return seconds in the largest unit that gives at least 2."""
    if seconds is None:
        return NONE
    for factor, unit in _TIMES:
        if seconds >= 2 * factor:
            return f"{seconds / factor:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s" if seconds >= 0.01 else "0 s"


@dataclass(eq=False)
class NotATarget(ExplainedError, ValueError):
    """A target that is neither a positive number nor None."""

    name: str
    value: object

    def __str__(self) -> str:
        return f"{self.name}={self.value!r} is no target. Give a number greater than 0, or None to expect nothing."


@dataclass(frozen=True)
class Problem:
    """A problem of a stream: the frame's column that shows it, and a sentence."""

    column: str
    text: str


@dataclass(frozen=True)
class ServiceTarget:
    """The most that is accepted of each figure; None where nothing is expected of it.

    Parameters
    ----------
    batch_seconds : float, optional
        How long a batch takes, and how long one that runs may run.
    backlog_seconds : float, optional
        How long the stream would need to process what its sources still have.
    backlog_rows : float, optional
        How many rows these are.
    growing_batches : int, optional
        After how many batches, each of which left a larger backlog, the stream is said to fall behind.
    watermark_lag_seconds : float, optional
        From the watermark to the newest event time.
    state_rows, state_bytes : float, optional
        What the stream keeps in its state stores.
    age_seconds : float, optional
        How old the last batch is. None by default: a stream whose source has nothing new has no newer batch.
    """

    batch_seconds: float | None = 60
    backlog_seconds: float | None = 60
    backlog_rows: float | None = None
    growing_batches: float | None = 5
    watermark_lag_seconds: float | None = None
    state_rows: float | None = None
    state_bytes: float | None = 2**30
    age_seconds: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and not (is_number and value > 0):
                raise NotATarget(field.name, value)

    def problems(self, reading: StreamReading) -> list[Problem]:
        """Return the problems of a stream; a stopped stream has none."""
        if reading.state == "failed":
            return [Problem("state", f"The stream has failed: {reading.error.partition(chr(10))[0]}")]
        if reading.state == "stopped":
            return []
        return [*self._of_batches(reading), *self._of_the_backlog(reading), *self._of_event_time_and_state(reading)]

    def _of_batches(self, reading: StreamReading) -> list[Problem]:
        found = []
        if _exceeds(reading.running_seconds, self.batch_seconds):
            text = f"A batch has been running for {duration(reading.running_seconds)}"
            found.append(Problem("batch_seconds", f"{text}; at most {duration(self.batch_seconds)} are expected."))
        elif _exceeds(reading.batch_seconds, self.batch_seconds):
            phase = f", of which {duration(reading.phases[reading.longest])} were {reading.longest}"
            text = f"The last batch took {duration(reading.batch_seconds)}{phase if reading.longest else ''}"
            found.append(Problem("batch_seconds", f"{text}; at most {duration(self.batch_seconds)} are expected."))
        if _exceeds(reading.age_seconds, self.age_seconds):
            text = f"The last batch ended {duration(reading.age_seconds)} ago"
            found.append(Problem("age_seconds", f"{text}; one every {duration(self.age_seconds)} is expected."))
        return found

    def _of_the_backlog(self, reading: StreamReading) -> list[Problem]:
        found = []
        about = "about " if reading.backlog.is_estimate else ""
        if _exceeds(reading.backlog_seconds, self.backlog_seconds):
            text = f"{about}{whole(reading.backlog.rows)} rows wait: {duration(reading.backlog_seconds)} of work"
            text = f"{text[0].upper()}{text[1:]} at {whole(reading.processed_per_second)} rows/s"
            found.append(Problem("backlog_seconds", f"{text}; at most {duration(self.backlog_seconds)} are expected."))
        if _exceeds(reading.backlog.rows, self.backlog_rows):
            text = f"{about}{whole(reading.backlog.rows)} rows wait"
            text = f"{text[0].upper()}{text[1:]}; at most {whole(self.backlog_rows)} are expected."
            found.append(Problem("backlog_rows", text))
        if self.growing_batches is not None and reading.growing_batches >= self.growing_batches:
            text = f"The backlog has grown with each of the last {reading.growing_batches} batches"
            found.append(Problem("backlog_rows", f"{text}: more comes in than the stream processes."))
        return found

    def _of_event_time_and_state(self, reading: StreamReading) -> list[Problem]:
        found = []
        if _exceeds(reading.watermark_lag_seconds, self.watermark_lag_seconds):
            text = f"The watermark is {duration(reading.watermark_lag_seconds)} behind the newest event time"
            text = f"{text}; at most {duration(self.watermark_lag_seconds)} are expected."
            found.append(Problem("watermark_lag_seconds", text))
        if _exceeds(reading.state_rows, self.state_rows):
            text = f"The state has {whole(reading.state_rows)} rows; at most {whole(self.state_rows)} are expected."
            found.append(Problem("state_rows", text))
        if _exceeds(reading.state_bytes, self.state_bytes):
            text = f"The state takes {size(reading.state_bytes)}; at most {size(self.state_bytes)} are expected."
            found.append(Problem("state_bytes", text))
        return found


def _exceeds(value: float | None, most: float | None) -> bool:
    return value is not None and most is not None and value > most
