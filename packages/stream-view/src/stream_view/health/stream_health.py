"""``stream_health()``: one page of all streams of a session, which follows them while other cells run."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from stream_view import cell_streams
from stream_view.health.health_page import Row, as_html, as_text
from stream_view.health.service_target import ServiceTarget
from stream_view.health.watched_streams import WatchedStreams
from stream_view.live.widgets import fallback_html, show_with_fallback
from streaming_base import front_end, listener
from streaming_base.errors import short_message
from streaming_base.refreshing import refresh

if TYPE_CHECKING:
    import pandas as pd
    from IPython.display import DisplayHandle
    from pyspark.sql import SparkSession

    from stream_view.health.health_page import HealthWidget

POLL_INTERVAL = 1.0  # seconds between two looks, while they are cheap
SHARE_OF_TIME = 0.02  # that may go into looks: of a hundred streams, or of one whose batches take milliseconds
MOST_BETWEEN = 10.0  # seconds between two looks, however much they cost
FRAME_INTERVAL = 5.0  # seconds between two static frames: what a kernel that dies leaves on the page
WHILE_IT_LIVES = "The streams' session was alive when this was saved."
LOST = "Spark has ended, and the streams with it: run the set-up cells, then this one."

Targets = ServiceTarget | Mapping[str, ServiceTarget]


def stream_health(spark: SparkSession | None = None, target: Targets | None = None) -> StreamHealth:
    """Return the health of all streams of a session: a live page in a notebook, and a frame.

    The page needs nothing of the streams' code: streams that are started later appear by themselves, streams that end
    stay, with the reason.

    Parameters
    ----------
    spark : SparkSession, optional
        Classic or over Spark Connect; by default the active one.
    target : ServiceTarget or mapping of str to ServiceTarget, optional
        What is expected of all streams, or of each stream by its name; others are held to the defaults.

    Returns
    -------
    StreamHealth
        Shows itself as the last value of a cell: with a person at the notebook it follows the streams until the cell is
        run again or Spark ends; without one it is one static frame.  ``to_frame()`` returns the figures of now.

    Raises
    ------
    RuntimeError
        There is no active session.

    Notes
    -----
    The backlog is what sources report: rows of Kafka; files and bytes of Delta and ``cloudFiles``, whose rows are
    estimated by the files that were read before. Spark's own sources of files, rates and sockets report none.
    """
    if spark is None:
        from pyspark.sql import SparkSession as AnySession  # classic or Connect, whichever this process has

        spark = AnySession.active()
    listener.watch(spark)
    return StreamHealth(spark, target if target is not None else ServiceTarget())


class StreamHealth:
    """The streams of a session and their problems; see :func:`stream_health`."""

    def __init__(self, spark: SparkSession, target: Targets) -> None:
        self._targets = target
        self._streams = WatchedStreams(spark)
        self._rows: list[Row] = []
        self._lock = Lock()  # cells and the thread of live views look
        self._pages: list[_Page] = []
        self._look()

    @property
    def problems(self) -> dict[str, list[str]]:
        """The current problems, in sentences, by the streams' names."""
        self._look()
        return {row.reading.name: [problem.text for problem in row.problems] for row in self._rows if row.problems}

    def to_frame(self) -> pd.DataFrame:
        """Return the current figures as a pandas frame, a row for each stream; the same over Spark Connect.

        Columns that end in ``_seconds`` are numbers; ``<phase>_seconds`` are those of the last batch; ``problems`` is
        empty for a healthy stream.  A figure that the stream does not have is missing (NaN).
        """
        # Of a page that is only looked at, pandas is not needed.
        from stream_view.health.health_page import frame_of

        self._look()
        return frame_of(self._rows)

    def close(self) -> None:
        """Take the pages off the screen; the streams are left alone."""
        for page in self._pages:
            page.close()

    def __repr__(self) -> str:
        self._look()
        return as_text(self._rows)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        self._look()
        return {"text/html": as_html(self._rows), "text/plain": as_text(self._rows)}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        if not front_end.is_interactive():
            display(self._repr_mimebundle_(), raw=True)
            return
        self._pages.append(_Page(self))
        self._pages[-1].show()

    def _look(self) -> None:
        with self._lock:
            readings = self._streams.look()
            self._rows = [Row(reading, self._target_of(reading.name).problems(reading)) for reading in readings]

    def _target_of(self, name: str) -> ServiceTarget:
        return self._targets if isinstance(self._targets, ServiceTarget) else self._targets.get(name, ServiceTarget())


class _Page:
    """The page below one run of a cell."""

    def __init__(self, health: StreamHealth) -> None:
        self._health = health
        self._name = f"sh-{uuid.uuid4()}"
        self._is_replaced = False
        self._next_look = self._next_frame = 0.0
        self._widget: HealthWidget | None = None
        self._frame: DisplayHandle | None = None

    def show(self) -> None:
        """Put the page on the screen and keep it up to date from now on; return at once."""
        from stream_view.health.health_page import HealthWidget  # widgets take a second to import

        self._widget = HealthWidget(name=self._name, **self._values())
        self._frame = show_with_fallback(self._widget, self._bundle(WHILE_IT_LIVES))
        cell_streams.close_when_run_again(self)
        refresh(self)

    def tick(self) -> bool:
        """Refresh the page if it is due; return whether more may come."""
        assert self._widget is not None and self._frame is not None  # it is followed once it is shown
        if self._is_replaced:
            return False
        now = time.monotonic()
        if now < self._next_look:
            return True
        self._health._look()
        with self._widget.hold_sync():
            self._widget.beat += 1
            for name, value in self._values().items():
                self._widget.set_trait(name, value)
        if now >= self._next_frame:
            self._next_frame = now + FRAME_INTERVAL
            self._frame.update(self._bundle(WHILE_IT_LIVES), raw=True)
        cost = time.monotonic() - now
        self._next_look = now + min(max(POLL_INTERVAL, cost / SHARE_OF_TIME), MOST_BETWEEN)
        return True

    def close(self) -> None:
        """Take the page off the screen: the cell is run again."""
        self._is_replaced = True
        if self._widget is not None:
            self._widget.close()

    def give_up(self, error: Exception) -> None:
        """Keep the last figures, and mark them as the last."""
        assert self._widget is not None and self._frame is not None
        note = f"{LOST} {short_message(error).splitlines()[0]}"
        with self._widget.hold_sync():
            self._widget.over = True
            self._widget.html, self._widget.text = as_html(self._health._rows, note), as_text(self._health._rows, note)
        self._frame.update(self._bundle(note), raw=True)

    def _values(self) -> dict[str, str]:
        return {"html": as_html(self._health._rows), "text": as_text(self._health._rows)}

    def _bundle(self, note: str) -> dict[str, str]:
        rows = self._health._rows
        html = fallback_html(self._name, as_html(rows, note))
        return {"text/html": html, "text/plain": as_text(rows, note)}
