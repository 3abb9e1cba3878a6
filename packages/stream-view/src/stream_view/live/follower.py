"""The thread that updates all live views, and ends with the last of them.

A thread for each view would wake a busy kernel for each of them; so they share one, which also bounds what all views
together can take from the streams.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from threading import Lock, Thread
from typing import Protocol

LOOK_EVERY = 0.25  # seconds between two rounds: nobody reads more than four pictures a second
JOB_GROUP = "live views"  # of the jobs that fetch their rows

_log = logging.getLogger(__name__)
_lock = Lock()
_followed: list[Followed] = []
_thread: Thread | None = None


class Followed(Protocol):
    """What can be kept up to date."""

    def tick(self) -> bool:
        """Bring it up to date; return whether there may be more to come."""

    def give_up(self, error: Exception) -> None:
        """Say on the screen that it will not be brought up to date any more, and why."""


def follow(view: Followed) -> None:
    """Keep a view up to date until it says that nothing more will come, or fails; return at once."""
    global _thread
    with _lock:
        _followed.append(view)
        if _thread is None or not _thread.is_alive():  # one that has died, of whatever, is replaced
            _thread = Thread(target=_run, name="live views", daemon=True)
            _thread.start()


def _run() -> None:
    global _thread
    with suppress(Exception):  # jobs without a name are better than views that stand still
        _name_jobs()
    while True:
        for view in list(_followed):
            if not _tick(view):
                with _lock:
                    _followed.remove(view)
        with _lock:
            if not _followed:
                _thread = None
                return
        time.sleep(LOOK_EVERY)


def _name_jobs() -> None:
    """Tell the jobs of this thread from those of cells, which go when a cell is interrupted."""
    from pyspark import SparkContext

    if (context := SparkContext._active_spark_context) is not None:  # there is none over Connect
        context.setJobGroup(JOB_GROUP, JOB_GROUP)


def _tick(view: Followed) -> bool:
    try:
        return view.tick()
    except Exception as error:  # one broken view must not take the others with it; a session that is gone breaks all
        _log.debug("a live view has ended", exc_info=True)
        with suppress(Exception):  # where nothing can be said either, as in a kernel that is ending
            view.give_up(error)
        return False
