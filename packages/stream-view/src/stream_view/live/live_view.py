"""The live view of a stream: one widget, updated until the stream ends.

The cell has two outputs.  One is the widget, which needs the kernel.  The other is the static frame with the last rows,
which the widget hides as long as it is on the page; so a notebook whose kernel has died, or that is opened elsewhere,
shows what the stream had brought.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stream_view.live.reports import Reports
from stream_view.live.static_frame import ShownRows, brings_script, interactive_html
from stream_view.live.widgets import StreamWidget, fallback_html, show_with_fallback
from stream_view.tables import Table
from streaming_base import front_end, listener, waiting
from streaming_base.errors import short_message
from streaming_base.refreshing import refresh

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

# How much of the time may go into reading rows: little where batches come faster than anybody reads, so that the
# stream does not notice.
SHARE_OF_TIME = 0.25
SHARE_WHEN_FAST = 0.03
FAST = 2  # batches since the rows were last read
MOST_BETWEEN = 5.0  # seconds between two readings of a stream that moves, however slow the machine is
BEHIND_AFTER = 1.0  # seconds after which the header says that the stream is ahead of what is shown
REPORT_TIMEOUT = 2.0  # seconds from the end of a batch to its report; then it is shown without one
MOVING = ("running", "waiting")  # the states in which rows may come; a stream that has ended has no rate
FRAME_INTERVAL = (
    5.0  # seconds between two static frames of a stream that lives: what a kernel that dies leaves on the page
)
HEARTBEAT_INTERVAL = 5.0  # seconds; a page that misses several heartbeats shows that the kernel is gone
GONE = "The table {name}, which this view reads, was dropped. The stream still runs: stop it, or run this cell again."
LOST = "Spark has ended, and the stream with it: run the set-up cells, then this one."


@dataclass(frozen=True)
class _Read:
    """Rows, their batch, and the time at which they were read."""

    batch: int
    table: Table
    at: float


class LiveView:
    """The live view of one query and its rows."""

    def __init__(self, query: StreamingQuery, shown: ShownRows, opened: str = "Table") -> None:
        self._query = query
        self._shown = shown
        self._opened = opened  # the tab that is open at first
        self._reports = Reports()
        self._table: Table | None = None
        self._shown_batch = -1  # whose result is on the screen: header, table and dashboard
        self._known = self._reports.up_to(-1)  # the reports up to it, or up to an earlier one where one does not come
        self._read: _Read | None = None  # rows that wait for the report of their batch
        self._behind_since = float("inf")
        self._is_replaced = False
        self._next_reading = 0.0
        self._next_beat = time.monotonic() + HEARTBEAT_INTERVAL
        self._with_script = brings_script(front_end.running_cell())
        listener.subscribe(str(query.runId), self._reports.add)
        for progress in query.recentProgress:  # a batch may have ended before the subscription
            if progress["batchId"] > self._reports.batch:
                self._reports.add(progress)
        self._name = f"sc-{query.runId}"
        self._next_frame = 0.0
        self._frame_of = -1  # the batch whose rows the static frame has
        stop, header = lambda: waiting.stop_streams([query]), self._header("starting")
        self._widget = StreamWidget(self._name, stop, header=header, opened=opened)
        self._frame = show_with_fallback(self._widget, self._bundle("starting"))

    def follow(self) -> None:
        """Keep the view up to date from now on, in a thread; return at once."""
        refresh(self)

    @property
    def has_result(self) -> bool:
        """Whether a batch has ended."""
        return self._reports.batch >= 0

    def tick(self) -> bool:
        """Bring the view up to date; return whether the stream may still bring more. Called by one thread only."""
        if self._is_replaced:
            return False
        if not self._query.isActive:
            self._end()
            return False
        if time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + HEARTBEAT_INTERVAL
            self._widget.beat += 1
        state = self._state()
        with self._widget.hold_sync():  # one message: the page never has a part of a batch
            if self._reports.batch != self._shown_batch or self._read is not None:
                self._show_newest(state)
            self._show_reports()
            self._widget.header = self._header(state)  # which is sent only if it is another one
        self._keep_frame()
        return True

    def close(self) -> None:
        """Remove the view from the page, since its cell runs again."""
        self._is_replaced = True
        listener.unsubscribe(str(self._query.runId))
        self._widget.close()

    def give_up(self, error: Exception) -> None:
        """Keep the last rows, and mark them as the last; the stream is left alone."""
        listener.unsubscribe(str(self._query.runId))
        if "TABLE_OR_VIEW_NOT_FOUND" in str(error):
            self._say("not followed any more", f"{GONE.format(name=self._query.name)}\n{short_message(error)}")
        else:
            self._say("ended with Spark", f"{LOST}\n{short_message(error)}")

    def _show_newest(self, state: str) -> None:
        """Read the newest rows, and show them when the report of their batch is there; not too often while it moves."""
        if self._read is None:
            if time.monotonic() < self._next_reading and state != "waiting":
                return
            self._read = self._reading()
        if self._reports.batch < self._read.batch and time.monotonic() < self._read.at + REPORT_TIMEOUT:
            return  # its report is on its way; the rows stay as they are, so that nothing runs ahead
        self._show_batch(self._read.batch, self._read.table)
        self._read = None

    def _reading(self) -> _Read:
        began = time.monotonic()
        batch, table = self._shown.read(lambda: self._reports.batch)
        cost = time.monotonic() - began
        is_fast = batch - self._shown_batch > FAST
        wait = min(cost / (SHARE_WHEN_FAST if is_fast else SHARE_OF_TIME), MOST_BETWEEN)
        self._next_reading = began + wait
        return _Read(batch, table, began)

    def _show_batch(self, batch: int, table: Table) -> None:
        self._shown_batch, self._table = batch, table
        self._widget.table = _table_value(table, self._shown.warning())

    def _show_reports(self) -> None:
        """Bring the dashboard up to the batch that is shown, even if its report is delayed."""
        if self._known.batch == self._shown_batch:
            return
        before, self._known = self._known, self._reports.up_to(self._shown_batch)
        if self._known.batch != before.batch:
            self._widget.reports, self._widget.raw = self._known.columns, self._known.raw

    def _keep_frame(self) -> None:
        """Refresh the static frame if it is due, also without a new batch."""
        if self._shown_batch != self._frame_of and time.monotonic() >= self._next_frame:
            self._next_frame = time.monotonic() + FRAME_INTERVAL
            self._frame_of = self._shown_batch
            self._frame.update(self._bundle("running when this was saved"), raw=True)

    def _end(self) -> None:
        """Show the last rows and how it ended, in the widget and in the static frame."""
        from pyspark.errors import AnalysisException

        listener.unsubscribe(str(self._query.runId))
        error = self._query.exception()
        with self._widget.hold_sync():
            with suppress(AnalysisException):  # a lesson that is started over takes the table away
                batch, table = self._shown.read(lambda: self._reports.batch)
                self._show_batch(batch, table)
            self._show_reports()
            self._say("failed" if error else "stopped", short_message(error) if error else "")

    def _say(self, fate: str, message: str) -> None:
        """Show the stream's state, and its reason, in the widget and the static frame."""
        self._widget.header = self._header(fate) | {"error": message}
        self._frame.update(self._bundle(fate, message), raw=True)

    def _bundle(self, fate: str, message: str = "") -> dict[str, str]:
        """Return the static frame: the last rows, and how it stood with the stream."""
        batch = f"batch {self._shown_batch}" if self._shown_batch >= 0 else "no batch"
        title = f"{self._query.name} · {fate} · {batch}"
        table = self._table or Table((), (), (), cut=False)
        html = interactive_html(table, title, message, self._with_script, self._opened)
        text = f"{table.to_text(title)}\n{message}".rstrip()
        return {"text/html": fallback_html(self._name, html), "text/plain": text}

    def _header(self, state: str) -> dict[str, Any]:
        return {
            "name": self._query.name,
            "state": state,
            "batch": self._shown_batch,
            "rows": self._known.rows if self._known.batch == self._shown_batch else None,
            "rate": self._reports.rate if state in MOVING else 0.0,
            "detail": self._query.status["message"] if state == "starting" else "",
            "ahead": self._ahead(state),
        }

    def _ahead(self, state: str) -> int:
        """Return the batch that the stream is running if the shown one has been behind for a while, else -1."""
        newest = self._reports.batch
        if state not in MOVING or newest <= self._shown_batch:
            self._behind_since = float("inf")
            return -1
        self._behind_since = min(self._behind_since, time.monotonic())
        return newest if time.monotonic() - self._behind_since > BEHIND_AFTER else -1

    def _state(self) -> str:
        if self._shown_batch < 0:
            return "starting"
        return "running" if waiting.is_running_batch(self._query.status) else "waiting"


def _table_value(table: Table, warning: str) -> dict[str, Any]:
    columns = zip(table.columns, table.types, table.numeric, strict=True)
    return {
        "columns": [{"name": name, "type": kind, "numeric": numeric} for name, kind, numeric in columns],
        "rows": [list(row) for row in table.rows],
        "caption": " · ".join(part for part in (table.caption, warning) if part),
    }
