"""Views that one thread refreshes.

A thread for each view would wake a busy kernel once per view; so all views share one, which also bounds the load that
they put on the streams.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from threading import Lock, Thread
from typing import Protocol

REFRESH_INTERVAL = 0.25  # seconds between two rounds: a reader takes in no more than four pictures per second
JOB_GROUP = "live views"  # of the jobs that fetch their rows

_log = logging.getLogger(__name__)
_lock = Lock()
_views: list[Refreshable] = []
_thread: Thread | None = None


class Refreshable(Protocol):
    """A view that a thread refreshes."""

    def tick(self) -> bool:
        """Refresh the view, and return whether more may come."""

    def give_up(self, error: Exception) -> None:
        """Show that the view is no longer refreshed, and why."""


def refresh(view: Refreshable) -> None:
    """Refresh a view in the background until its ``tick`` returns False or raises."""
    global _thread
    with _lock:
        _views.append(view)
        if _thread is None or not _thread.is_alive():  # a thread that has died is replaced
            _thread = Thread(target=_run, name="live views", daemon=True)
            _thread.start()


def _run() -> None:
    global _thread
    with suppress(Exception):  # views must be refreshed even if their jobs have no group
        _name_jobs()
    while True:
        for view in list(_views):
            if not _tick(view):
                with _lock:
                    _views.remove(view)
        with _lock:
            if not _views:
                _thread = None
                return
        time.sleep(REFRESH_INTERVAL)


def _name_jobs() -> None:
    """Put the jobs of this thread into a group of their own: an interrupt cancels those of cells only."""
    from pyspark import SparkContext

    if (context := SparkContext._active_spark_context) is not None:  # None over Connect
        context.setJobGroup(JOB_GROUP, JOB_GROUP)


def _tick(view: Refreshable) -> bool:
    try:
        return view.tick()
    except Exception as error:  # a broken view must not stop the others
        _log.debug("a live view has ended", exc_info=True)
        with suppress(Exception):  # nothing can be shown in a kernel that is ending
            view.give_up(error)
        return False
