"""A segment of a list of rows, and what its file name says of it."""

from __future__ import annotations

import re
from typing import NamedTuple

MERGED = 8
_NAME = re.compile(r"(\d{20})(?:-(\d{1,9}))?\.parquet")


class Segment(NamedTuple):
    """A file of the list.

    Parameters
    ----------
    first, count : int
        The number of its first row, and how many it has.
    is_counted : bool
        Whether its name says how many rows it has, as that of one which was put together of others.
    """

    first: int
    count: int
    is_counted: bool = False

    @staticmethod
    def of_name(name: str) -> Segment | None:
        """Return the segment that a file is by its name, None where it is another file."""
        match = _NAME.fullmatch(name)
        return match and Segment(int(match[1]), int(match[2] or 0), match[2] is not None)

    @property
    def end(self) -> int:
        return self.first + self.count

    @property
    def name(self) -> str:
        count = f"-{self.count}" if self.is_counted else ""
        return f"{self.first:020d}{count}.parquet"

    @property
    def level(self) -> int:
        """How many merges it has behind it."""
        return next(level for level in range(20) if self.count < MERGED ** (level + 1))

    def covers(self, other: Segment) -> bool:
        """Tell whether its rows begin before the other's, or with them, and end after the first of those."""
        return self.first <= other.first < self.end
