"""Rows per second over the last few seconds.

Spark's own rates are of one batch.  A source of 5 rows a second whose batches take a tenth of a second has "50 rows a
second" there, and after a pause something else again, which nobody who watches rows come in would say.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

WINDOW = 5.0  # seconds that a rate is taken over, where batches come that often
LONGEST = 30.0  # seconds between two batches that may be their interval; what is longer is a pause
SHORTEST = 1.0  # seconds that it is taken over at least, so that a stream's first batch alone is no burst


class Work(NamedTuple):
    """A batch as its rates need it: when it began, in seconds since 1970, how long it took in seconds, its rows."""

    began: float
    took: float
    rows: int

    @property
    def ended(self) -> float:
        return self.began + self.took


class Rate(NamedTuple):
    """Rows a second at the end of a batch.

    ``by_clock`` is of time as it passes, pauses included; ``capacity`` of the time that went into processing, so that
    it is never less, None without rows; ``holds`` are the seconds after which the stream counts as idle unless another
    batch has come.
    """

    by_clock: float
    capacity: float | None
    holds: float


def latest_rate(batches: Sequence[Work]) -> Rate:
    """Return the rate at the end of the last batch.

    It is taken from the end of the last batch that is a window away, so that batches at a steady pace give the pace of
    their source whatever their interval. A pause before them does not count.

    Parameters
    ----------
    batches : sequence of Work
        At least one, in their order.
    """
    last = batches[-1]
    reach = max(WINDOW + _interval(batches), last.took)
    begin = _reference(batches)
    if begin < last.ended - reach:  # a pause, of which only the window counts
        begin = last.ended - max(WINDOW, last.took)
    counted = [(batch, _share_after(begin, batch)) for batch in batches if batch.ended > begin]
    rows = sum(batch.rows * share for batch, share in counted)
    worked = sum(batch.took * share for batch, share in counted if batch.rows)
    by_clock = rows / max(last.ended - begin, SHORTEST)
    return Rate(round(by_clock, 3), round(rows / worked, 3) if rows and worked > 0 else None, reach)


def _share_after(begin: float, batch: Work) -> float:
    """Return how much of a batch came after a moment: work from before it must not count as done since."""
    return min(1.0, (batch.ended - begin) / batch.took) if batch.took > 0 else 1.0


def _interval(batches: Sequence[Work]) -> float:
    """Return the seconds between two batches with rows: the less of the last two times, as one may be a pause."""
    began = [batch.began for batch in batches if batch.rows][-3:]
    interval = min((after - before for before, after in pairwise(began)), default=0.0)
    return interval if interval <= LONGEST else 0.0


def _reference(batches: Sequence[Work]) -> float:
    """Return when the last batch ended that is a window away; where there is none, when the first one began."""
    away = batches[-1].ended - WINDOW
    return max((batch.ended for batch in batches if batch.ended <= away), default=batches[0].began)
