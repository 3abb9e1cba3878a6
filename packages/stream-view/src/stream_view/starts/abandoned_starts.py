"""Streams whose start was interrupted: the JVM starts them all the same, a little later, and nobody shows them."""

from __future__ import annotations

import logging
import time
from threading import Thread
from typing import TYPE_CHECKING

from stream_view import waiting
from stream_view.starts.start import Start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APPEARS_WITHIN = 5.0  # seconds from the interrupt to the stream
LOOK_EVERY = 0.1  # seconds

_stoppers: dict[str, Thread] = {}
_log = logging.getLogger(__name__)


def stop_when_it_appears(spark: SparkSession, name: str) -> None:
    """Stop the stream of that name as soon as it is there; return at once."""
    stopper = Thread(target=_stop, args=(spark, name), name=f"stopping {name}", daemon=True)
    _stoppers[name] = stopper
    stopper.start()


def wait_for_the_end_of(name: str) -> None:
    """Return when no stream of that name will appear any more that an interrupt has left behind."""
    if (stopper := _stoppers.get(name)) is not None:
        stopper.join()


def wait_before(start: Start) -> None:
    """Keep a start whose name is that of an abandoned one until it is stopped, as this one would be instead."""
    if start.name:
        wait_for_the_end_of(start.name)


def _stop(spark: SparkSession, name: str) -> None:
    deadline = time.monotonic() + APPEARS_WITHIN
    while time.monotonic() < deadline and not _stopped(spark, name):
        time.sleep(LOOK_EVERY)
    _stoppers.pop(name, None)


def _stopped(spark: SparkSession, name: str) -> bool:
    """Stop the stream if it is there, and return whether it was."""
    try:
        found = [query for query in waiting.active_streams(spark) if query.name == name]
        waiting.stop_streams(found)
    except Exception:  # the interrupt may have cut the connection: the next look has another
        _log.debug("a stream that was interrupted could not be stopped yet", exc_info=True)
        return False
    return bool(found)
