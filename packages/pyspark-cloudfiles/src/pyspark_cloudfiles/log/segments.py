"""An append-only list of rows, kept in segment files that never change.

Row numbers begin at 0.  A file, a *segment*, holds consecutive rows and says in its name which the first is.  It is
written whole and gets its name only when it is safe on disk, so that a crash leaves either all of it or nothing.  The
next rows have one name that they can get, and no name is given twice: of two processes that append, the store itself
refuses one, also where there are no locks.

Small segments are merged into larger ones, eight at a time, as a log-structured merge tree does: the number of files
grows with the logarithm of the number of rows, and a row is rewritten only a handful of times.  A merged segment also
says in its name how many rows it has.

A file is Parquet with a checksum behind it.  Parquet has checksums of its own for pages, but none for its footer, which
says where the pages are and how many rows they have.  Files of before have nothing behind them, and are read as they
are.  Nothing that has been acknowledged is ever removed, however damaged it is: what a user can restore is the user's.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_cloudfiles.errors import StateInUse, StateLost
from pyspark_cloudfiles.filesystems import filesystem

MERGED = 8
# A segment with so many merges behind it stays: about as many rows as reading a batch should have to decode.
FINAL_LEVEL = 4
SEGMENT_ROWS = MERGED ** (FINAL_LEVEL + 1)
# How often a reader looks again while another process merges.
_LOOKS = 5
_SEALED, _PARQUET = b"CRC1", b"PAR1"
_SEAL_LENGTH = 4 + len(_SEALED)
_NAME = re.compile(r"(\d{20})(?:-(\d{1,9}))?\.parquet")


class Segment(NamedTuple):
    """A file of the list: the number of its first row, how many it has, and whether it was put together of others."""

    first: int
    count: int
    merged: bool = False

    @property
    def end(self) -> int:
        return self.first + self.count

    @property
    def name(self) -> str:
        return f"{self.first:020d}-{self.count}.parquet" if self.merged else f"{self.first:020d}.parquet"

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
        self._nothing_yet: Segment | None = None
        self._read_last: tuple[Segment, pa.Table] | None = None
        self._look()

    def __len__(self) -> int:
        return self._segments[-1].end if self._segments else 0

    def rows(self, start: int, end: int, columns: list[str] | None = None) -> pa.Table | None:
        """Return rows ``start`` to ``end`` (exclusive), or None where that is none.

        Parameters
        ----------
        columns : list of str, optional
            Those that are wanted; one that the rows do not have is left out.

        Raises
        ------
        StateLost
            The list does not have them, or they cannot be read.
        """
        if start >= end:
            return None
        self.require(end)
        parts = self._again_after_a_merge(lambda: self._parts(start, end, columns))
        return pa.concat_tables(parts, promote_options="default")

    def _parts(self, start: int, end: int, columns: list[str] | None) -> list[pa.Table]:
        return [
            self._read(segment, columns).slice(
                max(start - segment.first, 0), min(end, segment.end) - max(start, segment.first)
            )
            for segment in self._segments
            if segment.first < end and start < segment.end
        ]

    def _again_after_a_merge(self, read: Callable[[], list[pa.Table]]) -> list[pa.Table]:
        """Read; where the process that appends has merged segments meanwhile, look again and read what there is now."""
        for _ in range(_LOOKS):
            try:
                return read()
            except (FileNotFoundError, _OtherRowsError):
                self._look()
        try:
            return read()
        except _OtherRowsError as error:
            raise self._lost(str(error)) from error

    def require(self, count: int) -> None:
        """Raise StateLost unless there are ``count`` rows."""
        if count > len(self):
            self._look()  # somebody else may have appended
        if count > len(self):
            raise self._lost(f"ends at {len(self)}, and the checkpoint is at {count}: files would be ingested twice")

    def tables(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Iterate over all rows, a segment at a time.

        Parameters
        ----------
        columns : list of str, optional
            Those that are wanted; one that a segment does not have is left out.
        """
        position, end = 0, len(self)
        while position < end:
            part = self.rows(position, min(end, position + SEGMENT_ROWS), columns)
            yield part
            position += part.num_rows

    def append(self, table: pa.Table) -> None:
        """Add rows; when this returns they are safe on disk.

        Raises
        ------
        StateInUse
            Another process has appended.
        """
        for offset in range(0, table.num_rows, SEGMENT_ROWS):
            self._add(table.slice(offset, SEGMENT_ROWS))
        while self._merge_last():
            pass
        self._remove_replaced()

    def clear_up(self) -> None:
        """Remove what a crash left behind: segments that were merged already, and a name that was given to nothing.

        Only the process that appends may do it.
        """
        if self._nothing_yet:
            filesystem.delete(self._url(self._nothing_yet))
            self._nothing_yet = None
        self._remove_replaced()

    def _look(self) -> None:
        """Find the segments; where a merge was not finished, the merged one counts.

        A listing during a merge may miss one that is just being replaced, so a gap is looked at again.
        """
        for _ in range(_LOOKS):
            if self._list():
                return
        raise self._lost(f"has a gap at {len(self)}: a file of it was removed")

    def _list(self) -> bool:
        """List the segments, and say whether there is no gap between them."""
        matches = [match for name in filesystem.names(self._directory) if (match := _NAME.fullmatch(name))]
        # Of those that begin with the same row the largest first, and what was merged before what it was made of.
        found = sorted(((int(m[1]), int(m[2] or 0)) for m in matches), key=lambda row: (row[0], -row[1]))
        self._segments, self._replaced, self._nothing_yet = [], [], None
        for first, count in found:
            if first < len(self):
                self._replaced.append(Segment(first, count, merged=count > 0))
            elif first > len(self):
                return False
            elif count:
                self._segments.append(Segment(first, count, merged=True))
            elif (following := next((other for other, _ in found if other > first), None)) is not None:
                self._segments.append(Segment(first, following - first))
            elif not self._list_last(Segment(first, 0)):
                return False
        return True

    def _list_last(self, last: Segment) -> bool:
        """Read how many rows the last segment has, which its name does not say; False where it has just gone."""
        if self._read_last and self._read_last[0][::2] == last[::2]:
            self._segments.append(self._read_last[0])
            return True
        try:
            data = filesystem.read_bytes(self._url(last))
        except FileNotFoundError:
            return False
        if not data:  # where there are no links a name is taken before its content is there
            self._nothing_yet = last
            return True
        table = self._unsealed(last, data)
        self._segments.append(last._replace(count=table.num_rows))
        self._read_last = (self._segments[-1], table)
        return True

    def _add(self, table: pa.Table) -> None:
        segment = Segment(len(self), table.num_rows)
        try:
            filesystem.write_atomically(self._url(segment), _seal(table), overwrite=False)
        except FileExistsError as error:
            raise self._in_use(segment) from error
        if filesystem.local_path(self._directory) is None:
            self._refuse_what_was_merged(segment)
        self._segments.append(segment)
        self._read_last = (segment, table)

    def _refuse_what_was_merged(self, written: Segment) -> None:
        """Look, where there are no locks, whether another has had these rows' numbers, and has merged them since."""
        now = Segments(self._directory)
        if not any(segment.first == written.first and not segment.merged for segment in now._segments):
            raise self._in_use(written)

    def _merge_last(self) -> bool:
        last = self._mergeable()
        if not last:
            return False
        table = pa.concat_tables([self._read(segment) for segment in last], promote_options="default")
        merged = Segment(last[0].first, table.num_rows, merged=True)
        filesystem.write_atomically(self._url(merged), _seal(table))
        self._segments = [*self._segments[: -len(last)], merged]
        self._read_last = (merged, table)
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

    def _read(self, segment: Segment, columns: list[str] | None = None) -> pa.Table:
        if self._read_last is not None and self._read_last[0] == segment:
            return self._read_last[1]
        table = self._load(segment, columns)
        if columns is None:
            self._read_last = (segment, table)
        return table

    def _load(self, segment: Segment, columns: list[str] | None) -> pa.Table:
        table = self._unsealed(segment, filesystem.read_bytes(self._url(segment)), columns)
        if table.num_rows != segment.count:
            raise _OtherRowsError(f"has {table.num_rows} rows in {segment.name}, where there should be {segment.count}")
        return table

    def _unsealed(self, segment: Segment, data: bytes, columns: list[str] | None = None) -> pa.Table:
        try:
            return _unseal(data, columns)
        except _DamagedSegmentError as error:
            raise self._lost(f"is damaged in {segment.name}: {error}") from error

    def _lost(self, what: str) -> StateLost:
        return StateLost(
            f"The file log {self._directory} {what}. "
            "Restore it, or begin anew with an empty checkpoint. Nothing of it was removed."
        )

    def _in_use(self, segment: Segment) -> StateInUse:
        return StateInUse(
            f"{self._url(segment)} was written by another stream while this one went on. "
            "Stop the other stream, or give this one its own checkpoint and schema location."
        )

    def _url(self, segment: Segment) -> str:
        return f"{self._directory}/{segment.name}"


class _OtherRowsError(Exception):
    """A segment has not the rows that the names say: one was missed in a listing, or removed."""


class _DamagedSegmentError(Exception):
    """The bytes are not what was written."""


def _seal(table: pa.Table) -> bytes:
    """Return rows as bytes, with their checksum at the end."""
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    content = buffer.getvalue().to_pybytes()
    return content + zlib.crc32(content).to_bytes(4, "little") + _SEALED


def _unseal(data: bytes, columns: list[str] | None = None) -> pa.Table:
    """Return the rows that bytes hold.

    Parameters
    ----------
    columns : list of str, optional
        Those that are wanted; a name that the rows do not have is left out.

    Raises
    ------
    _DamagedSegmentError
        A bit of them has changed, or a part is missing.
    """
    content = memoryview(data)
    if data.endswith(_SEALED):
        content = content[:-_SEAL_LENGTH]
        if zlib.crc32(content).to_bytes(4, "little") != data[-_SEAL_LENGTH : -len(_SEALED)]:
            raise _DamagedSegmentError("its checksum is another one")
    elif not data.endswith(_PARQUET):
        raise _DamagedSegmentError("its end is missing")
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        names = file.schema_arrow.names
        return file.read(names if columns is None else [name for name in columns if name in names])
    except (pa.ArrowException, OSError) as error:
        raise _DamagedSegmentError(str(error)) from error
