"""The live view of a stream: one widget, kept up to date by one thread for all views, until the stream ends.

While it lives the output is a widget.  When it has ended the output becomes the static frame, in place, so that a
notebook saved afterwards shows the last result without a kernel.
"""

from __future__ import annotations

import time
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Any

from stream_view import front_end, listener, waiting
from stream_view.errors import short_message
from stream_view.live.follower import follow
from stream_view.live.reports import Reports
from stream_view.live.shown_rows import ShownRows
from stream_view.live.static_frame import interactive_html
from stream_view.live.stream_widget import StreamWidget
from stream_view.tables import Table

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

# How much of the time may go into reading rows: little where batches come faster than anybody reads, so that the
# stream does not notice.
SHARE_OF_TIME = 0.25
SHARE_WHEN_FAST = 0.08
FAST = 2  # batches since the rows were last read


GONE = "The table {name}, which this view reads, was dropped. The stream goes on: stop it, or run this cell again."
LOST = "The view has lost its session. Run this cell again."


class LiveView:
    """What is on the screen of one query.

    Parameters
    ----------
    query : StreamingQuery
        The query.
    shown : ShownRows
        Its rows.
    """

    def __init__(self, query: StreamingQuery, shown: ShownRows) -> None:
        self._query = query
        self._shown = shown
        self._reports = Reports()
        self._table: Table | None = None
        self._drawn = (-1, "")
        self._next_table = 0.0
        self._cell = front_end.running_cell()
        listener.subscribe(str(query.runId), self._reports.add)
        for progress in query.recentProgress:  # a batch may have ended before the subscription
            if progress["batchId"] > self._reports.batch:
                self._reports.add(progress)
        self._widget = StreamWidget(self._stop, header=self._header("starting"))
        self._handle = _show(self._widget)

    def follow(self) -> None:
        """Keep the view up to date from now on, in a thread; return at once."""
        follow(self)

    @property
    def has_result(self) -> bool:
        """Whether a batch has ended."""
        return self._reports.batch >= 0

    def tick(self) -> bool:
        """Bring the view up to date; return whether the stream may still bring more. Called by one thread only."""
        if not self._query.isActive:
            self._end()
            return False
        state, batch = self._state(), self._reports.batch
        if (batch, state) != self._drawn:
            self._widget.header = self._header(state)
        if batch != self._drawn[0]:
            if time.monotonic() < self._next_table:
                return True  # soon: the batch counts as not drawn
            self._draw_batch()
        self._drawn = (batch, state)
        return True

    def give_up(self, error: Exception) -> None:
        """Keep the last rows on the screen and say that they are the last ones; the stream itself is left alone."""
        listener.unsubscribe(str(self._query.runId))
        reason = GONE.format(name=self._query.name) if _is_missing_table(error) else LOST
        self._put_frame("not followed any more", f"{reason}\n{short_message(error)}")
        self._widget.close()

    def _draw_batch(self) -> None:
        began = time.monotonic()
        self._table = self._shown.table()
        cost = time.monotonic() - began
        is_fast = self._reports.batch - self._drawn[0] > FAST
        self._next_table = began + cost / (SHARE_WHEN_FAST if is_fast else SHARE_OF_TIME)
        self._widget.table = _table_value(self._table, self._shown.warning())
        self._widget.reports = self._reports.columns()
        self._widget.raw = self._reports.raw()

    def _end(self) -> None:
        """Put the static frame where the widget was; take everything else away."""
        from pyspark.errors import AnalysisException

        listener.unsubscribe(str(self._query.runId))
        with suppress(AnalysisException):  # a lesson that is started over takes the table away
            self._table = self._shown.table()
        error = self._query.exception()
        self._put_frame("failed" if error else "stopped", short_message(error) if error else "")
        self._widget.close()

    def _put_frame(self, fate: str, message: str = "") -> None:
        batch = self._reports.batch
        title = f"{self._query.name} · {fate} · {f'batch {batch}' if batch >= 0 else 'no batch'}"
        table = self._table or Table((), (), (), cut=False)
        html = interactive_html(table, title, message, self._cell)
        self._handle.update({"text/html": html, "text/plain": f"{table.to_text(title)}\n{message}".rstrip()}, raw=True)

    def _header(self, state: str) -> dict[str, Any]:
        return {
            "name": self._query.name,
            "state": state,
            "batch": self._reports.batch,
            "rows": self._reports.rows,
            "rate": self._reports.rate,
        }

    def _state(self) -> str:
        if self._reports.batch < 0:
            return "starting"
        return "running" if self._query.status["isTriggerActive"] else "waiting"

    def _stop(self) -> None:
        waiting.stop_streams([self._query])


def _is_missing_table(error: Exception) -> bool:
    return "TABLE_OR_VIEW_NOT_FOUND" in str(error)


def _show(widget: StreamWidget):
    """Put the widget on the screen; where front ends know no widgets, a sentence stands in its place."""
    from IPython.display import display as ipython_display

    sentence = f"Live view of the stream {widget.header['name']}"
    shown, _metadata = widget._repr_mimebundle_()
    bundle = shown | {"text/plain": sentence, "text/html": f"<i>{escape(sentence)}</i>"}
    return ipython_display(bundle, raw=True, display_id=True)


def _table_value(table: Table, warning: str) -> dict[str, Any]:
    columns = zip(table.columns, table.types, table.numeric, strict=True)
    return {
        "columns": [{"name": name, "type": kind, "numeric": numeric} for name, kind, numeric in columns],
        "rows": [list(row) for row in table.rows],
        "caption": " · ".join(part for part in (table.caption, warning) if part),
    }
