"""The instructor's panel: buttons that land data, start over and stop streams, each with its code.

The buttons' work is done in a thread of its own, one action at a time, so that the class's cells run meanwhile.  What
the panel shows is looked up, never remembered: data that a cell lands and streams that a cell starts are there as well.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from py4j.protocol import Py4JNetworkError

from stream_view.live.widgets import ControlsWidget, fallback_html, show_with_fallback
from streaming_base import front_end, stopped_session, waiting
from streaming_base.errors import ExplainedError, NotAvailable, short_message
from streaming_base.refreshing import refresh
from streaming_classroom.data import data_factory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from streaming_classroom.data.data_factory import DataFactory

NOBODY = "The instructor's panel has buttons: it is shown where a person can press them, in a notebook that is open."
UNREAD = " No running stream reads it."
GONE = "The instructor's panel was here: run the set-up cells, then this one, to have it again."
SPARK_ENDED = "Spark has ended, and the streams with it: run the set-up cells, then this one."
POLL_INTERVAL = 0.5  # seconds between two looks at the streams
UNANSWERED = "Spark does not answer: run the set-up cells, then this one."
FASTEST, SLOWEST = 0.2, 10.0  # seconds between two batches
GIVEN_UP_AFTER = 300.0  # seconds without a sign of life from a page; pages send one every 10 s
SHOWN_OF_ID = 8  # characters, as of a commit
LONGEST_SENTENCE = 300  # characters of an error

_quoted = partial(json.dumps, ensure_ascii=False)  # a text, or a list of texts, as Python code
_shown: Panel | None = None


class ControlledLesson(Protocol):
    """The interface of a lesson for the panel."""

    lesson: str
    data_factory: DataFactory
    _spark: SparkSession
    _arguments: Mapping[str, Any]

    @property
    def is_open(self) -> bool:
        """Whether this kernel has the lesson's directory."""

    def _open(self, resume: bool) -> str:
        """Prepare the lesson; return a report."""


def show_controls(current: Callable[[], ControlledLesson]) -> None:
    """Show the panel of the kernel's current lesson, which ``current`` returns; an earlier panel ends."""
    global _shown
    if not front_end.is_interactive():
        print(NOBODY)
        return
    if _shown is not None:
        _shown.close()
    _shown = Panel(current)
    _shown.show()


class Panel:
    """The panel and the actions of its buttons, for the lesson that ``current`` returns."""

    def __init__(self, current: Callable[[], ControlledLesson]) -> None:
        self._current = current
        self._lock = Lock()  # held for a moment, as the shell's thread is one of the three that draw
        self._looking = Lock()  # held while Spark is asked, which can take long; never in the shell's thread
        self._working = ""
        self._code = ""
        self._error = ""
        self._presses = 0
        self._interval = 1.0
        self._lander: Thread | None = None
        self._pause = Event()
        self._streams: dict[str, StreamingQuery] = {}
        self._report: tuple[Any, str] = (None, "")
        self._seen: dict[str, Any] = {}
        self._is_followed = False
        self._next_look = 0.0
        self._heard = time.monotonic()
        self.widget = ControlsWidget(f"sc-controls-{uuid4()}", self.press)
        self._look()

    def show(self) -> None:
        """Put the panel on the screen and keep it up to date from now on, in a thread."""
        fallback = {"text/plain": GONE, "text/html": fallback_html(self.widget.name, f"<i>{escape(GONE)}</i>")}
        show_with_fallback(self.widget, fallback)
        self._follow()

    def close(self) -> None:
        """Remove the panel from the page, except for its fallback, and stop landing."""
        self._pause.set()
        self.widget.close()

    def tick(self) -> bool:
        """Refresh the panel; return whether a page may still show it.  Called by the refreshing thread."""
        if time.monotonic() < self._next_look:
            return True
        self._next_look = time.monotonic() + POLL_INTERVAL
        is_gone = self.widget.comm is None or front_end.ipython() is None
        if is_gone:
            self._pause.set()
        # A page that comes back later says so, and is refreshed again.
        if is_gone or time.monotonic() - self._heard >= GIVEN_UP_AFTER:
            with self._lock:
                self._is_followed = False
            return False
        self._look()
        return True

    def give_up(self, error: Exception) -> None:
        """Show why the panel is not kept up to date any more; a press of a button restarts it."""
        with self._lock:
            self._is_followed = False
        self._error = _sentence(error)
        self._draw()

    def press(self, message: dict) -> None:
        """Perform a button's action; a slow one runs in a thread, so this returns at once."""
        self._heard = time.monotonic()
        self._follow()
        if message == {"do": "here"}:
            return
        self._presses += 1  # the page waits for the answer
        match message:
            case {"do": "land"}:
                self._act("Landing the next batch", "DA.data_factory.load()", lambda: self._land_for(self._current()))
            case {"do": "continue", "interval": interval} if self._lander is None:
                self._set_interval(interval)
                self._pause = Event()
                code = f"DA.data_factory.load(continuous=True, interval={self._interval})"
                self._act("Beginning to land", code, self._land_steadily)
            case {"do": "interval", "interval": interval}:
                self._set_interval(interval)
            case {"do": "pause"}:
                self._pause.set()
            case {"do": "start over"}:
                self._pause.set()
                self._act("Starting over", _setup_code(self._current()), self._start_over)
            case {"do": "stop", "stream": run_id}:
                if query := self._streams.get(run_id):
                    self._act(f"Stopping {_label(query)}", _stop_code(query), lambda: waiting.stop_streams([query]))
        self._draw()

    # What the buttons do.

    def _act(self, working: str, code: str, action: Callable[[], None]) -> None:
        """Do one thing in a thread, unless another is being done; show its code, and its error if it has one."""
        with self._lock:
            if self._working:
                return
            self._working, self._code, self._error = working, code, ""
        Thread(target=self._do, args=(action,), name="instructor's panel", daemon=True).start()

    def _do(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:  # whatever it is, the panel says it and continues
            self._error = _sentence(error)
        self._look()  # before the buttons are free again: who presses next must not see what was
        self._working = ""
        self._draw()

    def _land_steadily(self) -> None:
        """Land the first batch, and the others in a thread that leaves the panel free for other actions."""
        lesson = self._current()
        self._land_for(lesson)
        arguments = (lesson, self._pause)
        self._lander = Thread(target=self._go_on_landing, args=arguments, name="instructor's landing", daemon=True)
        self._lander.start()

    def _go_on_landing(self, lesson: ControlledLesson, pause: Event) -> None:
        due = time.monotonic() + self._interval
        try:
            while lesson.data_factory.left and not pause.wait(max(0.0, due - time.monotonic())):
                with data_factory.landing:  # a cell that starts the lesson over waits for it, and then it is closed
                    if pause.is_set() or lesson is not self._current() or not lesson.is_open:
                        break
                    lesson.data_factory.land()
                due = max(due, time.monotonic() - self._interval) + self._interval
        except Exception as error:
            self._error = _sentence(error)
        finally:
            self._lander = None
            self._look()

    def _land_for(self, lesson: ControlledLesson) -> None:
        with data_factory.landing:
            if not lesson.is_open:
                raise ExplainedError(f"Lesson {lesson.lesson} has been cleaned up: start it over first.")
            if not lesson.data_factory.land():
                total = lesson.data_factory.total
                raise ExplainedError(f"All {total} batches have landed already; start over to land them again.")

    def _start_over(self) -> None:
        if (lander := self._lander) is not None:
            lander.join(waiting.STOP_TIMEOUT)
        self._current()._open(resume=False)

    def _set_interval(self, seconds: object) -> None:
        if isinstance(seconds, int | float) and math.isfinite(seconds):
            self._interval = round(min(max(float(seconds), FASTEST), SLOWEST), 2)

    # What is shown.

    def _follow(self) -> None:
        with self._lock:
            if self._is_followed or self.widget.comm is None:
                return
            self._is_followed = True
        refresh(self)

    def _look(self) -> None:
        """Ask the lesson and Spark how things are, and show it."""
        with self._looking:
            lesson = self._current()
            seen: dict[str, Any] = {"lesson": lesson.lesson, "data": None, "streams": [], "problem": ""}
            try:
                seen["data"] = self._look_at_data(lesson)
                if stopped_session.is_stopped(lesson._spark):
                    raise ConnectionError
                seen["streams"] = self._look_at_streams(lesson)
                if seen["data"] and seen["data"]["landed"]:
                    # Where the data lands, as far as known, none of the active streams reads.
                    place = lesson.data_factory.place
                    if place is not None and data_factory.reads(self._streams.values(), place) is False:
                        seen["data"]["report"] += UNREAD
            except Exception as error:  # of Spark, of its connection or of Python's sockets: the session is gone
                self._streams, self._error = {}, ""  # its streams have failed with it, which is no news
                is_gone = isinstance(error, OSError | Py4JNetworkError)
                seen["problem"] = SPARK_ENDED if is_gone else f"{UNANSWERED} {_sentence(error)}"
            self._seen = seen
        self._draw()

    def _draw(self) -> None:
        """Send the changed parts of the last state and of the running action."""
        with self._lock:
            self.widget.state = {
                **self._seen,
                "presses": self._presses,
                "landing": self._lander is not None,
                "interval": self._interval,
                "working": self._working,
                "code": self._code,
                "error": self._error,
            }

    def _look_at_data(self, lesson: ControlledLesson) -> dict[str, Any] | None:
        try:
            factory: DataFactory = lesson.data_factory
        except NotAvailable:
            return None
        key = (factory, factory.landed)
        if key != self._report[0]:  # it counts lines, which is too much for twice a second
            self._report = key, factory.report()
        return {"landed": key[1], "total": factory.total, "report": self._report[1]}

    def _look_at_streams(self, lesson: ControlledLesson) -> list[dict[str, Any]]:
        """Return a row for each active stream, and for each that has failed its reason."""
        active = {str(query.runId): query for query in lesson._spark.streams.active}
        for query in (query for run_id, query in self._streams.items() if run_id not in active):
            if error := query.exception():
                self._error = f"The stream {_label(query)} failed: {_sentence(error)}"
        self._streams = active
        rows = [
            {
                "id": run_id,
                "label": _label(query),
                "named": bool(query.name),
                "state": "running" if waiting.is_running_batch(query.status) else "waiting",
                "batch": waiting.last_batch(query),
            }
            for run_id, query in active.items()
        ]
        return sorted(rows, key=lambda row: (row["label"], row["id"]))


def _label(query: StreamingQuery) -> str:
    """Return a stream's name; for an unnamed one, a part of its id, and its source."""
    if query.name:
        return query.name
    source = data_factory.short_name(query)
    return f"{str(query.id)[:SHOWN_OF_ID]} (no name{f', reads {source}' if source else ''})"


def _stop_code(query: StreamingQuery) -> str:
    if not query.name:
        return f'spark.streams.get("{query.id}").stop()'
    return f"next(q for q in spark.streams.active if q.name == {_quoted(query.name)}).stop()"


def _setup_code(lesson: ControlledLesson) -> str:
    """Return the line that starts the lesson, as its second cell has it."""
    arguments = "".join(f", {name}={_quoted(value)}" for name, value in lesson._arguments.items() if value)
    return f"DA = start_lesson({_quoted(lesson.lesson)}{arguments})"


def _sentence(error: BaseException) -> str:
    """Return an error's message in one line, without plans and traces."""
    text = " ".join(short_message(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST_SENTENCE else text[: LONGEST_SENTENCE - 1] + "…"
