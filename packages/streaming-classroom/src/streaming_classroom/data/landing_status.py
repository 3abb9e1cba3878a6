"""The status line while batches land: how many have landed, with how many rows.

It is one output that changes in place and ends as the sentence that a single landing prints.  A notebook that runs
without a person has only that sentence, so that each run saves the same.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from stream_view import front_end
from stream_view.waiting import show_line

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

DRAWN_EVERY = 0.1  # seconds: batches may land faster than a page draws


class LandingLine:
    """What is said of ``batches`` batches that land.

    Parameters
    ----------
    batches : int
        How many are to land.
    """

    def __init__(self, batches: int) -> None:
        self._batches = batches
        self._handle: DisplayHandle | None = None
        self._drawn = -DRAWN_EVERY

    def landing(self, number: int, rows: int) -> None:
        """Say that batch ``number`` of them, from 1, is on its way, after so many rows of the others."""
        if not front_end.is_interactive() or time.monotonic() - self._drawn < DRAWN_EVERY:
            return
        self._drawn = time.monotonic()
        so_far = f": {rows:,} rows so far" if number > 1 else ""
        self._handle = show_line(f"Landing batch {number} of {self._batches}{so_far} ...", self._handle)

    def end(self, sentence: str) -> None:
        """Say in the line's place, or print where there is none, what has landed."""
        if self._handle is None:
            print(sentence)
        else:
            show_line(sentence, self._handle)
