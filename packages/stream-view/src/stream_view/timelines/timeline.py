"""``timeline(query)``: how a query's watermark moved, and what happened to its events.

The picture shows what the reports say, and nothing that they do not: where Spark's count of dropped rows and the rule
disagree, Spark is right and the picture says so.  With a person to look, it can follow the query while it runs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from stream_view.timelines import story as data
from stream_view.timelines.drawing import description, picture
from stream_view.timelines.story import Batch, Event, Outcome, Story, TimelineInput
from streaming_base import front_end
from streaming_base.errors import ExplainedError, short_message
from streaming_base.progress_reports import is_batch, reports_since
from streaming_base.refreshing import refresh

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery

SHOWN_BATCHES = 20  # more would not fit on a screen
MOST_EVENTS = 10_000  # events that are fetched and checked


def timeline(
    query: StreamingQuery,
    events: pd.DataFrame | DataFrame | Sequence[pd.DataFrame | DataFrame] | None = None,
    *,
    time: str = "event_time",
    batch: str = "batch",
    window: str | Sequence[str | None] | None = None,
    label: str | None = None,
    batches: int | Iterable[int] | None = None,
    live: bool = False,
) -> Timeline:
    """Return a picture of how the watermark moved, batch by batch; the same data always give the same picture.

    Parameters
    ----------
    query : StreamingQuery
        The query, running or ended. Spark keeps its last 100 reports.
    events : pandas or Spark frame, or list of them, optional
        The events that the query has read. A list says by its order when they came: the first frame with the first
        batch that had rows, and so on; such frames need no column ``batch``.
    time : str
        Column with the event time. A time without a zone is UTC in a pandas frame, as in Spark's session elsewhere.
    batch : str
        Column with the number of the batch in which the event came.
    window : str or sequence of str, optional
        The windows by which the query groups, as the arguments of ``F.window``: ``"10 minutes"``, or
        ``("10 minutes", "5 minutes")`` for sliding ones, with a start time as third. Without it an event is its own
        window, as in ``dropDuplicates``.
    label : str, optional
        Column with a short text that is written beside the event.
    batches : int or iterable of int, optional
        Show the last so many batches, or the batches of these numbers; at most the last 20.
    live : bool
        Draw it again after each batch until the query ends, if a person is there to look; this begins when the cell
        shows it, as its last value or with ``display``. The list ``events`` may grow meanwhile.

    Raises
    ------
    TimelineInput
        A column is missing or is no time, the window is none, or the query is none.

    Notes
    -----
    Supported: tumbling and sliding windows, deduplication, queries without state, complete mode (nothing is dropped).

    Not supported: session windows, whose end depends on the other events; the second of two aggregations, whose
    watermark no report shows.
    """
    if not hasattr(query, "recentProgress"):
        kind = type(query).__name__
        raise TimelineInput(f"A timeline is drawn of a query, not of a {kind}.", "Give it what start() returns.")
    drawn = _Source(query, events, time, batch, label, data.windows_of(window), batches)
    return LiveTimeline(drawn) if live and front_end.is_interactive() else Timeline(drawn.story())


class Timeline:
    """A timeline that a notebook shows as a picture and a terminal as a table."""

    def __init__(self, story: Story) -> None:
        self._story = story

    @property
    def batches(self) -> pd.DataFrame:
        """A row for each batch: its number, rows, event times, watermarks, and Spark's dropped count, in UTC."""
        import pandas as pd

        shown = self._story.batches
        times = ("first", "last", "before", "after")
        names = ("first_event", "last_event", "watermark_before", "watermark_after")
        return pd.DataFrame(
            {
                "batch": [batch.number for batch in shown],
                "rows": [batch.rows for batch in shown],
                **{n: _moments([getattr(b, field) for b in shown]) for n, field in zip(names, times, strict=True)},
                "dropped": pd.array([batch.dropped for batch in shown], dtype="Int64"),
                "state_rows": pd.array([batch.state_rows for batch in shown], dtype="Int64"),
            }
        )

    @property
    def events(self) -> pd.DataFrame:
        """A row for each event: its time, batch and label, its outcome (``fate``) and the reason."""
        import pandas as pd

        shown = self._story.events
        return pd.DataFrame(
            {
                "event_time": _moments([event.time for event in shown]),
                "batch": [event.batch for event in shown],
                "label": [event.label for event in shown],
                "fate": [event.fate.value for event in shown],
                "why": [event.why for event in shown],
            }
        )

    def __repr__(self) -> str:
        return as_text(self._story)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # The person who runs the cell gets marks that answer to the mouse. In a saved notebook of somebody else,
        # JupyterLab takes the SVG out of HTML and leaves its texts; an image stays.
        shown = picture(self._story)
        if not front_end.is_interactive():
            encoded = base64.b64encode(shown.encode()).decode()
            shown = f'<img alt="{escape(description(self._story))}" src="data:image/svg+xml;base64,{encoded}">'
        return {"text/html": shown, "text/plain": as_text(self._story)}


class LiveTimeline(Timeline):
    """A timeline that is redrawn in one output until its query ends."""

    def __init__(self, source: _Source) -> None:
        super().__init__(source.story())
        self._source = source
        self._drawn: tuple[Any, ...] | None = None

    def _ipython_display_(self) -> None:
        from IPython.display import display

        self._handle = display(self._repr_mimebundle_(), raw=True, display_id=True)
        refresh(self)

    def tick(self) -> bool:
        """Redraw when a batch is through, when events were added, and when the query has ended."""
        running = self._source.query.isActive
        if self._drawn != (state := self._source.state()):
            self._drawn = state
            self._handle.update(self._redrawn(), raw=True)
        return running

    def give_up(self, error: Exception) -> None:
        """Keep the last picture, with the reason."""
        note = f"Not followed any more: {short_message(error).splitlines()[0]}"
        last = self._repr_mimebundle_()
        html = f"{last['text/html']}<p>{escape(note)}</p>"
        self._handle.update({"text/html": html, "text/plain": f"{last['text/plain']}\n{note}"}, raw=True)

    def _redrawn(self) -> dict[str, str]:
        try:
            self._story = self._source.story()
        except ExplainedError as error:
            return {"text/plain": str(error)}
        return self._repr_mimebundle_()


class _Source:
    """The data of a timeline, refreshed on request; reports that Spark has dropped since are kept."""

    def __init__(
        self,
        query: StreamingQuery,
        events: Any,
        time: str,
        batch: str,
        label: str | None,
        windows: data.Windows | None,
        batches: int | Iterable[int] | None,
    ) -> None:
        self.query = query
        self._events, self._time, self._batch, self._label = events, time, batch, label
        self._windows = windows
        self._shown = batches if batches is None or isinstance(batches, int) else list(batches)
        self._reports: dict[int, Mapping[str, Any]] = {}
        self._last: Mapping[str, Any] | None = None

    def state(self) -> tuple[Any, ...]:
        """Return a value that changes when there is something new to draw."""
        last = self.query.lastProgress
        seen = (last["batchId"], is_batch(last)) if last else None
        return seen, self.query.isActive, len(self._events) if isinstance(self._events, list) else None

    def story(self) -> Story:
        """Return the current story."""
        for report in reports_since(self.query, self._last):
            self._last = report
            # The report of a batch says more than one of a look that found nothing, which may bear its number.
            if is_batch(report) or report["batchId"] not in self._reports:
                self._reports[report["batchId"]] = report
        every = data.batches_of(self._reports.values())
        events, notes = _read(self._events, self._time, self._batch, self._label, every)
        shown, cut = _shown([batch.number for batch in every], self._shown)
        notes = [*self._state_of(every, events), *cut, *notes]
        return data.story_of(self.query.name or "query without a name", every, events, self._windows, shown, notes)

    def _state_of(self, every: Sequence[Batch], events: Sequence[Event]) -> list[str]:
        """Return a note about the query itself."""
        notes = []
        if not self.query.isActive and (error := self.query.exception()):
            notes.append(f"The query has failed: {short_message(error).splitlines()[0]}")
        if not every:
            notes.append("The query has not finished a batch yet.")
        elif all(batch.before is None and batch.last is None for batch in every) and any(b.rows for b in every):
            spans = "" if events else ", and without it Spark does not report event times either"
            notes.append(
                "This query has no watermark: nothing is late, nothing is dropped, nothing is ever forgotten"
                + spans
                + "."
            )
        return notes


def as_text(story: Story) -> str:
    """Return the timeline as a table of batches, followed by the events' outcomes."""
    times = [t for b in story.batches for t in (b.first, b.last, b.before, b.after) if t is not None]
    dates = len({time // data.DAY for time in times}) > 1

    def moment(time: int | None) -> str:
        return data.time_text(time, dates)

    head = ("batch", "rows", "event times (UTC)", "watermark before", "watermark after", "dropped")
    rows = [
        (
            str(batch.number),
            f"{batch.rows:,}",
            "–" if batch.first is None else f"{moment(batch.first)} .. {moment(batch.last)}",
            moment(batch.before),
            moment(batch.after),
            "–" if batch.dropped is None else f"{batch.dropped:,}",
        )
        for batch in story.batches
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
    if story.events:
        lines.append("events: " + "; ".join(f"{story.count(fate):,} {fate.value}" for fate in Outcome))
    return "\n".join([story.name, *lines, *story.notes])


def _shown(numbers: Sequence[int], asked: int | Sequence[int] | None) -> tuple[list[int], list[str]]:
    """Return the numbers of the shown batches, and a note if some of the requested ones are left out."""
    if isinstance(asked, int):
        wanted = list(numbers[-asked:]) if asked > 0 else []
    else:
        wanted = [number for number in numbers if asked is None or number in set(asked)]
    if numbers and not wanted:
        last = f"{numbers[0]} to {numbers[-1]}"
        raise TimelineInput("None of these batches has been run.", f"The query has reports of batches {last}.")
    if len(wanted) <= SHOWN_BATCHES:
        return wanted, []
    return wanted[-SHOWN_BATCHES:], [f"Only the last {SHOWN_BATCHES} of {len(wanted):,} batches are shown."]


def _read(
    events: Any, time: str, batch: str, label: str | None, batches: Sequence[Batch]
) -> tuple[list[Event], list[str]]:
    """Return the events with their batches, and notes about events that cannot be shown."""
    if events is None:
        return [], []
    if not isinstance(events, (list, tuple)):
        rows = _rows(events, [time, batch], label)
    else:
        rows = [
            (moment, number, text)
            for number, frame in zip(_order(len(events), batches), events, strict=True)
            for moment, _, text in _rows(frame, [time], label)
        ]
    notes = []
    if len(rows) > MOST_EVENTS:
        notes.append(f"Only the first {MOST_EVENTS:,} events are shown.")
    timeless = sum(moment is None for moment, _, _ in rows[:MOST_EVENTS])
    if timeless:
        notes.append(f"Not shown: {timeless:,} events without an event time; Spark's windows leave them out as well.")
    shown = [(moment, number, text) for moment, number, text in rows[:MOST_EVENTS] if moment is not None]
    return [Event(moment, number, text) for moment, number, text in shown], notes  # type: ignore[arg-type]


def _order(frames: int, batches: Sequence[Batch]) -> list[int | None]:
    """Return for each frame of a list the number of its batch: the first has the first batch with rows."""
    if batches and batches[0].number > 0 and frames:
        raise TimelineInput(
            f"Spark has no report of the batches before batch {batches[0].number}, so the order of the frames does not "
            "tell in which batch each came.",
            "Give one frame with a column that has the number of the batch.",
        )
    numbers: list[int | None] = [batch.number for batch in batches if batch.rows]
    return (numbers + [None] * frames)[:frames]


def _rows(frame: Any, columns: Sequence[str], label: str | None) -> list[tuple[int | None, int | None, str]]:
    """Return time, batch and label of each row; the batch is None without such a column."""
    from pyspark.sql import DataFrame

    names = [*columns, *([label] if label else [])]
    if not hasattr(frame, "columns"):
        kind = type(frame).__name__
        raise TimelineInput(f"Events are given as a frame, not as a {kind}.", "Use a pandas or a Spark frame.")
    for name in names:
        if name not in list(frame.columns):
            there = ", ".join(map(str, frame.columns)) or "none"
            raise TimelineInput(
                f"The events have no column {name!r}; their columns are: {there}.",
                "Name the columns with time=..., batch=... and label=...",
            )
    read = _spark_rows if isinstance(frame, DataFrame) else _pandas_rows
    return read(frame, columns, label)


def _spark_rows(
    frame: DataFrame, columns: Sequence[str], label: str | None
) -> list[tuple[int | None, int | None, str]]:
    from pyspark.sql import functions as F

    if frame.isStreaming:
        raise TimelineInput("A streaming frame has no end.", "Give the same table read with spark.read.")
    kind = frame.schema[columns[0]].dataType.typeName()
    if kind not in ("timestamp", "timestamp_ntz", "date", "string"):
        raise TimelineInput(f"The column {columns[0]!r} is of type {kind} and no time.", "Use F.timestamp_seconds.")

    def column(name: str) -> Any:
        return F.col("`" + name.replace("`", "``") + "`")

    rows = frame.select(
        F.unix_micros(column(columns[0]).try_cast("timestamp")),
        column(columns[1]).try_cast("long") if len(columns) > 1 else F.lit(None),
        F.coalesce(column(label).cast("string"), F.lit("")) if label else F.lit(""),
    )
    return [tuple(row) for row in rows.limit(MOST_EVENTS + 1).collect()]


def _pandas_rows(
    frame: pd.DataFrame, columns: Sequence[str], label: str | None
) -> list[tuple[int | None, int | None, str]]:
    import pandas as pd

    frame = frame.head(MOST_EVENTS + 1)
    values = frame[columns[0]]
    if len(values) and pd.api.types.is_numeric_dtype(values):
        raise TimelineInput(
            f"The column {columns[0]!r} holds numbers and no times.", "Use pd.to_datetime with unit='s'."
        )
    times = pd.to_datetime(values, utc=True, errors="coerce", format="ISO8601").dt.as_unit("us")
    moments = [None if missing else int(v) for v, missing in zip(times.astype("int64"), times.isna(), strict=True)]
    numbers: list[int | None] = [None] * len(frame)
    if len(columns) > 1:
        found = pd.to_numeric(frame[columns[1]], errors="coerce")
        numbers = [int(n) if pd.notna(n) and abs(n) != float("inf") else None for n in found]
    texts = ["" if pd.isna(text) else str(text) for text in frame[label]] if label else [""] * len(frame)
    return list(zip(moments, numbers, texts, strict=True))


def _moments(times: Sequence[int | None]) -> Any:
    """Return times as pandas keeps them, in UTC and without a zone, so that they read as Spark's do here."""
    import numpy as np

    return np.array(["NaT" if time is None else time for time in times], dtype=object).astype("datetime64[us]")
