"""A numbered list of rows that only grows, kept in files that are never changed.

Row numbers begin at 0.  A file, a *segment*, holds consecutive rows and says in its name which: the number of the
first, and how many.  It is written whole and gets its name only when it is safe on disk, so that a crash leaves either
all of it or nothing.  Small segments are merged into larger ones, eight at a time, as a log-structured merge tree does:
the number of files grows with the logarithm of the number of rows, and a row is rewritten only a handful of times.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_cloudfiles import filesystem
from pyspark_cloudfiles.errors import StateLost

MERGED = 8
# A segment with so many merges behind it stays: about as many rows as reading a batch should have to decode.
FINAL_LEVEL = 4
SEGMENT_ROWS = MERGED ** (FINAL_LEVEL + 1)
# How often a reader looks again while another process merges.
_LOOKS = 5
_NAME = re.compile(r"(\d{20})-(\d{1,9})\.parquet")


class Segment(NamedTuple):
    """A file of the list: the number of its first row and how many it has."""

    first: int
    count: int

    @property
    def end(self) -> int:
        return self.first + self.count

    @property
    def name(self) -> str:
        return f"{self.first:020d}-{self.count}.parquet"

    @property
    def level(self) -> int:
        """How many merges it has behind it."""
        return next(level for level in range(20) if self.count < MERGED ** (level + 1))


class Segments:
    """The list in one directory.

    Many may read it at once, one process may append.

    Parameters
    ----------
    directory : str
        URL of the directory; it is made with the first row.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._segments: list[Segment] = []
        self._replaced: list[Segment] = []
        self._read_last: tuple[Segment, pa.Table] | None = None
        self._look()

    def __len__(self) -> int:
        return self._segments[-1].end if self._segments else 0

    def rows(self, start: int, end: int) -> pa.Table | None:
        """Return rows ``start`` to ``end`` (exclusive), or None where that is none.

        Raises
        ------
        StateLost
            The list does not have them, or they cannot be read.
        """
        if start >= end:
            return None
        self.require(end)
        return pa.concat_tables(self._again_after_a_merge(lambda: self._parts(start, end)))

    def _parts(self, start: int, end: int) -> list[pa.Table]:
        return [
            self._read(segment).slice(max(start - segment.first, 0), min(end, segment.end) - max(start, segment.first))
            for segment in self._segments
            if segment.first < end and start < segment.end
        ]

    def _again_after_a_merge(self, read: Callable[[], list[pa.Table]]) -> list[pa.Table]:
        """Read; where the process that appends has merged segments meanwhile, look again and read what there is now."""
        for _ in range(_LOOKS):
            try:
                return read()
            except FileNotFoundError:
                self._look()
        return read()

    def require(self, count: int) -> None:
        """Raise StateLost unless there are ``count`` rows."""
        if count > len(self):
            self._look()  # somebody else may have appended
        if count > len(self):
            raise StateLost(
                f"The file log {self._directory} ends at {len(self)}, and the checkpoint is at {count}: files would be "
                "ingested twice. Restore the schema location, or begin anew with an empty checkpoint."
            )

    def tables(self) -> Iterator[pa.Table]:
        """Iterate over all rows, a segment at a time."""
        position, end = 0, len(self)
        while position < end:
            part = self.rows(position, min(end, position + SEGMENT_ROWS))
            yield part
            position += part.num_rows

    def append(self, table: pa.Table) -> None:
        """Add rows; when this returns they are safe on disk."""
        for offset in range(0, table.num_rows, SEGMENT_ROWS):
            self._write(table.slice(offset, SEGMENT_ROWS), len(self))
        while self._merge_last():
            pass
        self._remove_replaced()

    def cut_torn_tail(self) -> None:
        """Remove what a crash left behind: an unreadable last segment and segments that were merged already.

        Only the process that appends may do it.  A torn segment was never acknowledged: no checkpoint knows its rows.
        """
        while self._segments and not self._is_sound(self._segments[-1]):
            filesystem.delete(self._url(self._segments.pop()))
            self._look()
        self._remove_replaced()

    def _look(self) -> None:
        """Find the segments; where a merge was not finished, the merged one counts.

        A listing during a merge may miss one that is just being replaced, so a gap is looked at again.
        """
        for _ in range(_LOOKS):
            if self._list():
                return
        raise StateLost(
            f"The file log {self._directory} has a gap at {len(self)}: a file of it was removed. "
            "Restore it, or begin anew with an empty checkpoint."
        )

    def _list(self) -> bool:
        """List the segments, and say whether there is none behind a gap."""
        matches = [match for name in filesystem.names(self._directory) if (match := _NAME.fullmatch(name))]
        found = sorted((Segment(int(m[1]), int(m[2])) for m in matches), key=lambda s: (s.first, -s.count))
        self._segments, self._replaced = [], []
        for segment in found:
            (self._segments if segment.first == len(self) else self._replaced).append(segment)
        return all(segment.end <= len(self) for segment in self._replaced)

    def _write(self, table: pa.Table, first: int) -> None:
        segment = Segment(first, table.num_rows)
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        filesystem.write_atomically(self._url(segment), buffer.getvalue())
        self._segments.append(segment)
        self._read_last = (segment, table)

    def _merge_last(self) -> bool:
        last = self._mergeable()
        if not last:
            return False
        merged = pa.concat_tables([self._read(segment) for segment in last])
        self._segments = self._segments[: -len(last)]
        self._write(merged, last[0].first)
        self._replaced += last
        return True

    def _mergeable(self) -> list[Segment]:
        """Return the run at the end that has eight of some level and none above it.

        Triggers find different numbers of files, so smaller segments may lie between; they are merged along.
        """
        for level in range(FINAL_LEVEL):
            run = list(takewhile(lambda segment, level=level: segment.level <= level, reversed(self._segments)))
            if sum(segment.level == level for segment in run) >= MERGED:
                return run[::-1]
        return []

    def _remove_replaced(self) -> None:
        # After the merged one is safe; a reader that still wants one of these finds its rows in the other.
        for segment in self._replaced:
            filesystem.delete(self._url(segment))
        self._replaced = []

    def _read(self, segment: Segment) -> pa.Table:
        if self._read_last is None or self._read_last[0] != segment:
            self._read_last = (segment, self._load(segment))
        return self._read_last[1]

    def _load(self, segment: Segment) -> pa.Table:
        try:
            table = pq.read_table(io.BytesIO(filesystem.read_bytes(self._url(segment))))
        except pa.ArrowInvalid as error:
            raise StateLost(
                f"{self._url(segment)}, a part of the file log, is damaged ({error}). "
                "Restore it, or begin anew with an empty checkpoint."
            ) from error
        if table.num_rows != segment.count:
            raise StateLost(f"{self._url(segment)} does not have the {segment.count} rows that its name says.")
        return table

    def _is_sound(self, segment: Segment) -> bool:
        # What cannot be read for another reason (too many open files, a store that is slow) may be sound.
        try:
            return pq.read_table(io.BytesIO(filesystem.read_bytes(self._url(segment)))).num_rows == segment.count
        except pa.ArrowInvalid:
            return False

    def _url(self, segment: Segment) -> str:
        return f"{self._directory}/{segment.name}"
