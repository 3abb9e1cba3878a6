"""Streams whose start was interrupted: the JVM starts them all the same, a little later, and nobody shows them."""

from __future__ import annotations

import time
from threading import Thread
from typing import TYPE_CHECKING

from stream_view import waiting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APPEARS_WITHIN = 5.0  # seconds from the interrupt to the stream
LOOK_EVERY = 0.1  # seconds

_stoppers: dict[str, Thread] = {}


def stop_when_it_appears(spark: SparkSession, name: str) -> None:
    """Stop the stream of that name as soon as it is there; return at once."""
    stopper = Thread(target=_stop, args=(spark, name), name=f"stopping {name}", daemon=True)
    _stoppers[name] = stopper
    stopper.start()


def wait_for_the_end_of(name: str) -> None:
    """Return when no stream of that name will appear any more that an interrupt has left behind."""
    if (stopper := _stoppers.pop(name, None)) is not None:
        stopper.join()


def _stop(spark: SparkSession, name: str) -> None:
    deadline = time.monotonic() + APPEARS_WITHIN
    while time.monotonic() < deadline:
        found = [query for query in waiting.active_streams(spark) if query.name == name]
        waiting.stop_streams(found)
        if found:
            return
        time.sleep(LOOK_EVERY)
