"""What happened to each event: on time, late or dropped, by Spark's rule and Spark's counts.

All times are whole microseconds since 1970 in UTC, as Spark itself keeps them.  Nothing here needs Spark: a report is a
dictionary, so the rule by which Spark drops late rows is written down once and tested with made-up reports.

The rule, measured with Spark 4.2: a batch *works with* the watermark that its report shows.  It closes what ended at or
before that watermark, but only after its own rows were counted; the rows that it refuses are those of what the batch
before it had closed.  Spark calls the two ``eventTimeWatermarkForEviction`` and ``eventTimeWatermarkForLateEvents``.
They differ where no batch without data lies between a batch that moves the watermark and the next one with rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from streaming_base.errors import ExplainedError
from streaming_base.progress_reports import is_batch, rows_read, state_rows

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {"microsecond": 1, "millisecond": 1000, "second": SECOND, "minute": MINUTE, "hour": HOUR}
_UNITS |= {"day": DAY, "week": 7 * DAY}
_PART = re.compile(r"(\d+)\s*([a-z]+?)s?\b\s*")


@dataclass(eq=False)
class TimelineInput(ExplainedError):
    """Input that a timeline cannot show; ``instead`` has the fix."""

    problem: str
    instead: str

    def __str__(self) -> str:
        return f"{self.problem} {self.instead}"


class Outcome(Enum):
    """The outcome of an event."""

    ON_TIME = "on time"
    LATE = "late but counted"
    DROPPED = "dropped"


@dataclass(frozen=True)
class Batch:
    """One batch of a report; None where the report lacks a value.

    ``before`` is the watermark of the batch, ``after`` the next one, ``refused`` the one that its late rows were
    compared with.  ``dropped`` is Spark's own count, of rows or of pre-aggregated rows; None for a stateless query,
    which drops none.
    """

    number: int
    rows: int = 0
    first: int | None = None
    mean: int | None = None
    last: int | None = None
    before: int | None = None
    after: int | None = None
    refused: int | None = None
    dropped: int | None = None
    state_rows: int | None = None
    removed: int = 0


@dataclass(frozen=True)
class Windows:
    """Time windows of one ``size``, one beginning each ``slide`` from ``start`` on."""

    size: int
    slide: int
    start: int = 0

    def last_start(self, time: int) -> int:
        """Return where the last window begins that holds the time."""
        return time - (time - self.start) % self.slide

    def ends(self, time: int) -> list[int]:
        """Return the ends of all windows that hold the time, the last first; of more than 1,000, the last 1,000."""
        last = self.last_start(time)
        count = min(1000, (self.size - (time - last) + self.slide - 1) // self.slide)
        return [last + self.size - number * self.slide for number in range(count)]


@dataclass(frozen=True)
class Event:
    """An event, its batch and its outcome; ``batch`` is None for one that has not come yet."""

    time: int
    batch: int | None
    label: str = ""
    fate: Outcome = Outcome.ON_TIME
    why: str = ""


@dataclass(frozen=True)
class Story:
    """The content of a timeline: batches, events and notes."""

    name: str
    batches: tuple[Batch, ...]
    events: tuple[Event, ...] = ()
    windows: Windows | None = None
    delay: int | None = None
    closes: bool = True
    notes: tuple[str, ...] = ()

    @property
    def has_watermark(self) -> bool:
        """Whether any batch knew a watermark or event times, which only a query with a watermark reports."""
        return any(value is not None for b in self.batches for value in (b.before, b.after, b.last))

    def count(self, fate: Outcome) -> int:
        """Return how many of the shown events had that fate."""
        return sum(event.fate is fate for event in self.events)


def batches_of(reports: Iterable[Mapping[str, Any]]) -> list[Batch]:
    """Return the batches by number; reports of idle triggers only contribute the watermark."""
    real: dict[int, Batch] = {}
    known: dict[int, int | None] = {}
    for report in reports:
        number = int(report["batchId"])
        known[number] = _watermark(report)
        if is_batch(report):
            real[number] = _batch(report)
    batches = [real[number] for number in sorted(real)]
    delay = delay_of([replace(batch, after=known.get(batch.number + 1)) for batch in batches])
    complete = []
    for batch in batches:
        before_it = real.get(batch.number - 1)
        # Of a run that continued after another one, the batch before is not known; it had most likely run dry.
        refused = before_it.before if before_it else batch.before
        after = known[batch.number + 1] if batch.number + 1 in known else _expected(batch, delay)
        complete.append(replace(batch, after=after, refused=refused))
    return complete


def delay_of(batches: Sequence[Batch]) -> int | None:
    """Return the watermark's delay behind the newest event time, or None if the batches disagree."""
    steps = {
        batch.last - batch.after
        for batch in batches
        if batch.last is not None and batch.after is not None and batch.after > (batch.before or 0)
    }
    return steps.pop() if len(steps) == 1 else None


def story_of(
    name: str,
    batches: Sequence[Batch],
    events: Sequence[Event] = (),
    windows: Windows | None = None,
    shown: Sequence[int] | None = None,
    notes: Sequence[str] = (),
) -> Story:
    """Apply Spark's rule to the events, correct it by Spark's counts, and choose the shown batches."""
    by_number = {batch.number: batch for batch in batches}
    came = [event for event in events if event.batch in by_number]
    judged = []
    for event in came:
        fate, why = outcome_of(event.time, by_number[event.batch], windows)
        judged.append(replace(event, fate=fate, why=why))
    notes = [*notes, *_strays(events, by_number)]
    closes = _closes(batches, judged, windows)
    for batch in batches:
        mine = [event for event in judged if event.batch == batch.number]
        notes += _disagreement(batch, mine, windows)
    final = [_overruled(event, by_number[event.batch]) for event in judged]
    numbers = set(by_number if shown is None else shown)
    return Story(
        name,
        tuple(batch for batch in batches if batch.number in numbers),
        tuple(event for event in final if event.batch in numbers),
        windows,
        delay_of(batches),
        closes,
        tuple(notes),
    )


def outcome_of(time: int, batch: Batch, windows: Windows | None) -> tuple[Outcome, str]:
    """Return an event's outcome by the rule alone, and the reason in words.

    An event is dropped if all its windows ended at or before the previous batch's watermark, or without windows, if it
    is at or before that watermark.  It is late if it is before the watermark of its batch.
    """
    ends, closed = _refused_ends(time, batch, windows)

    def mark(watermark: int) -> str:
        return time_text(watermark, date=watermark // DAY != time // DAY)

    keeps_state = batch.dropped is not None
    if keeps_state and len(closed) == len(ends):
        what = f"its window {_span(windows, ends[0])} had ended" if windows else "it is"
        what = what if len(ends) == 1 else f"all its {len(ends):,} windows had ended"
        return Outcome.DROPPED, f"{what} at or before the watermark {mark(batch.refused)}"
    if batch.before is None:
        return Outcome.ON_TIME, "there was no watermark yet"
    if time >= batch.before:
        return Outcome.ON_TIME, f"not earlier than the watermark {mark(batch.before)}"
    why = f"earlier than the watermark {mark(batch.before)}, but "
    if not keeps_state:
        return Outcome.LATE, why + "this query keeps no state and drops nothing"
    if closed:
        return Outcome.LATE, why + f"{len(ends) - len(closed):,} of its {len(ends):,} windows were still open"
    if windows and ends[0] > batch.before:
        return Outcome.LATE, why + f"its window {_span(windows, ends[0])} was still open"
    return Outcome.LATE, why + "a batch counts its rows before it closes anything"


def windows_of(window: str | Sequence[str | None] | None) -> Windows | None:
    """Return the windows of the arguments of ``pyspark.sql.functions.window``."""
    if window is None:
        return None
    size, slide, start = (*([window] if isinstance(window, str) else window), None, None)[:3]
    length = _duration(size)
    step = _duration(slide) if slide else length
    offset = _duration(start, least=0) if start else 0
    if step > length:
        raise TimelineInput("A window cannot slide further than it is long.", "Give (length, slide) as in F.window.")
    return Windows(length, step, offset)


def parse_time(text: Any) -> int | None:
    """Return microseconds since the epoch, or None if the text is not a time."""
    try:
        time = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def time_text(time: int | None, date: bool = False) -> str:
    """Return a UTC time of day, with seconds if not zero and the date on request; a dash for None."""
    if time is None:
        return "–"
    try:
        moment = _EPOCH + timedelta(microseconds=time)
    except OverflowError:
        return "?"
    clock = moment.strftime("%H:%M:%S" if moment.second or moment.microsecond else "%H:%M")
    if moment.microsecond:
        clock += f".{moment.microsecond:06}".rstrip("0")
    return f"{date_text(time)} {clock}" if date else clock


def date_text(time: int, year: bool = False) -> str:
    """Return a day such as ``2 Jun``, in English wherever the course runs."""
    try:
        moment = _EPOCH + timedelta(microseconds=time)
    except OverflowError:
        return "?"
    month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][moment.month - 1]
    return f"{moment.day} {month} {moment.year}" if year else f"{moment.day} {month}"


def duration_text(duration: int) -> str:
    """Return a duration in its largest whole unit, such as ``10 min``."""
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"), (1000, "ms")):
        if duration >= unit and duration % unit == 0:
            return f"{duration // unit:,} {name}"
    return f"{duration / SECOND:g} s"


def _batch(report: Mapping[str, Any]) -> Batch:
    times = report.get("eventTime") or {}
    return Batch(
        number=int(report["batchId"]),
        rows=rows_read(report),
        first=parse_time(times.get("min")),
        mean=parse_time(times.get("avg")),
        last=parse_time(times.get("max")),
        before=_watermark(report),
        dropped=state_rows(report, "numRowsDroppedByWatermark"),
        state_rows=state_rows(report, "numRowsTotal"),
        removed=state_rows(report, "numRowsRemoved") or 0,
    )


def _watermark(report: Mapping[str, Any]) -> int | None:
    """Return the report's watermark, or None if it is still at 1970."""
    watermark = parse_time((report.get("eventTime") or {}).get("watermark"))
    return watermark or None


def _expected(batch: Batch, delay: int | None) -> int | None:
    """Return the watermark that the last batch leaves, which no report shows yet."""
    if not batch.rows:
        return batch.before
    if delay is None or batch.last is None:
        return None
    return max(batch.before or 0, batch.last - delay) or None


def _refused_ends(time: int, batch: Batch, windows: Windows | None) -> tuple[list[int], list[int]]:
    """Return the ends of the event's windows, and of those that were closed before its batch."""
    ends = windows.ends(time) if windows else [time]
    return ends, [end for end in ends if batch.refused is not None and end <= batch.refused]


def _overruled(event: Event, batch: Batch) -> Event:
    """Return the event as Spark's own count has it: where nothing was dropped, this event was not."""
    if event.fate is not Outcome.DROPPED or batch.dropped:
        return event
    late = batch.before is not None and event.time < batch.before
    return replace(event, fate=Outcome.LATE if late else Outcome.ON_TIME, why="Spark dropped nothing in this batch")


def _closes(batches: Sequence[Batch], judged: Sequence[Event], windows: Windows | None) -> bool:
    """Whether the query drops state behind the watermark; complete mode and stateless queries do not."""
    if all(batch.dropped is None for batch in batches):
        return False
    counts = {batch.number: batch.dropped for batch in batches}
    if any(event.fate is Outcome.DROPPED and not counts[event.batch] for event in judged):
        return False
    newest = max((batch.before or 0 for batch in batches), default=0)
    over = [
        event
        for event in judged
        if event.fate is not Outcome.DROPPED and (windows.ends(event.time)[-1] if windows else event.time) <= newest
    ]
    return not over or any(batch.removed for batch in batches)


def _disagreement(batch: Batch, mine: Sequence[Event], windows: Windows | None) -> list[str]:
    """Return a note where the rule and Spark's count contradict each other."""
    refused = sum(event.fate is Outcome.DROPPED for event in mine)
    if refused and not batch.dropped:
        return [
            f"Batch {batch.number}: by the watermark {refused:,} of its events would be too late, but Spark dropped "
            "nothing, so they are shown as counted. Complete mode forgets nothing; otherwise check the argument window."
        ]
    # An event of sliding windows can be refused by one of them and be counted in another.
    if batch.dropped and len(mine) == batch.rows and not any(_refused_ends(e.time, batch, windows)[1] for e in mine):
        return [
            f"Batch {batch.number}: Spark dropped {batch.dropped:,}, but none of the events given is too late for it. "
            "Check the arguments window, time and batch."
        ]
    return []


def _strays(events: Sequence[Event], by_number: Mapping[int, Batch]) -> list[str]:
    waiting = sum(event.batch is None for event in events)
    strange = sorted({event.batch for event in events if event.batch is not None and event.batch not in by_number})
    notes = []
    if waiting:
        notes.append(f"Not shown: {waiting:,} events that no batch has read yet.")
    if strange:
        count = sum(event.batch in set(strange) for event in events)
        names = ", ".join(map(str, strange[:5])) + (", …" if len(strange) > 5 else "")
        notes.append(f"Not shown: {count:,} events of batches of which the query has no report ({names}).")
    return notes


def _span(windows: Windows, end: int) -> str:
    dates = windows.size >= DAY
    return f"{time_text(end - windows.size, dates)}–{time_text(end, dates)}"


def _duration(text: str | None, least: int = 1) -> int:
    """Return a duration as Spark reads it; as in Spark, months and years are not allowed."""
    plain = str(text).strip().lower().removeprefix("interval ").strip()
    parts = _PART.findall(plain)
    if not parts or _PART.sub("", plain).strip() or any(unit not in _UNITS for _, unit in parts):
        raise TimelineInput(f"{text!r} is no length of a window.", 'Write it as in F.window: "10 minutes".')
    length = sum(int(number) * _UNITS[unit] for number, unit in parts)
    if length < least:
        raise TimelineInput(f"{text!r} is no length of a window.", "It must be longer than nothing.")
    return length
