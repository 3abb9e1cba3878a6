"""An append-only list of rows, stored in segment files that never change.

A segment has consecutive rows, and its name has the number of the first.  It is written whole and gets its name only
when it is safe on disk, wherever the store can do that.  There is one possible name for the next rows: of two processes
that append, the store itself refuses one, even without locks.

Small segments are merged into larger ones, eight at a time, as in a log-structured merge tree: the number of files
grows with the logarithm of the number of rows.  The name of a merged segment also has its number of rows.  It is read
back before the segments that it replaces are removed.

A store may keep a part of what a killed process was writing.  A partial merged segment does not count while the
segments that it was made of exist.  A damaged last segment does not count: :meth:`Segments.require` raises for those
who know its rows; otherwise the next rows replace it.  Parquet has no checksum of its footer, so a segment ends with a
checksum of all its bytes.
"""

from __future__ import annotations

import re
import uuid
import zlib
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_cloudfiles.errors import StateInUse, StateLost
from pyspark_cloudfiles.filesystems import filesystem

_SEALED = b"CRC1"
_SEAL_LENGTH = 4 + len(_SEALED)


class DamagedSegmentError(Exception):
    """The bytes of a segment are not those that were written."""


def seal(table: pa.Table) -> bytes:
    """Return rows as bytes, unique to this writer, with a checksum at the end."""
    buffer = pa.BufferOutputStream()
    # So that a writer recognizes its own file if the store's response was lost.
    pq.write_table(table.replace_schema_metadata({"written": uuid.uuid4().hex}), buffer, compression="zstd")
    content = buffer.getvalue().to_pybytes()
    return content + zlib.crc32(content).to_bytes(4, "little") + _SEALED


def unseal(data: bytes, columns: list[str] | None = None) -> pa.Table:
    """Return the rows of a segment, with the wanted columns that it has; raise DamagedSegmentError."""
    if not data.endswith(_SEALED):
        raise DamagedSegmentError("its end is missing")
    content = memoryview(data)[:-_SEAL_LENGTH]
    if zlib.crc32(content).to_bytes(4, "little") != data[-_SEAL_LENGTH : -len(_SEALED)]:
        raise DamagedSegmentError("its checksum is another one")
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        names = file.schema_arrow.names
        table = file.read(names if columns is None else [name for name in columns if name in names])
    except (pa.ArrowException, OSError) as error:
        raise DamagedSegmentError(str(error)) from error
    return table.replace_schema_metadata(None) if table.num_columns else table  # which would forget its rows


MERGED = 8
_NAME = re.compile(r"(\d{20})(?:-(\d{1,9}))?\.parquet")


class Segment(NamedTuple):
    """A file of the list: its first row, and its number of rows, which a merged one has in its name."""

    first: int
    count: int
    is_counted: bool = False

    @staticmethod
    def of_name(name: str) -> Segment | None:
        """Return the segment of a file name, or None for another file."""
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
        """The number of merges that it is the result of."""
        return next(level for level in range(20) if self.count < MERGED ** (level + 1))

    def covers(self, other: Segment) -> bool:
        """Whether another segment's first row is one of its rows."""
        return self.first <= other.first < self.end


# A segment of so many merges is final: it has about as many rows as reading a batch should have to decode.
FINAL_LEVEL = 4
SEGMENT_ROWS = MERGED ** (FINAL_LEVEL + 1)
_LIST_ATTEMPTS = 5  # while another process merges


class _Torn(NamedTuple):
    """The last segment, if it is incomplete or damaged."""

    segment: Segment
    data: bytes
    reason: str


class Segments:
    """The list in one directory; many may read it at once, one process may append."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._segments: list[Segment] = []
        self._replaced: list[Segment] = []
        self._torn: _Torn | None = None
        self._read_last: tuple[Segment, pa.Table] | None = None
        self._refresh()

    def __len__(self) -> int:
        return self._segments[-1].end if self._segments else 0

    def rows(self, start: int, end: int, columns: list[str] | None = None) -> pa.Table | None:
        """Return rows ``start`` to ``end`` (exclusive) with the wanted columns that they have, if any."""
        if start >= end:
            return None
        self.require(end)
        for _ in range(_LIST_ATTEMPTS):
            try:
                parts = self._parts(start, end, columns)
                break
            except (FileNotFoundError, _OtherRowsError):  # the process that appends has merged segments
                self._refresh()
        else:
            try:
                parts = self._parts(start, end, columns)
            except _OtherRowsError as error:
                raise self._lost(str(error)) from error
        return pa.concat_tables(parts, promote_options="default")

    def _parts(self, start: int, end: int, columns: list[str] | None) -> list[pa.Table]:
        return [
            self._read(segment, columns).slice(
                max(start - segment.first, 0), min(end, segment.end) - max(start, segment.first)
            )
            for segment in self._segments
            if segment.first < end and start < segment.end
        ]

    def require(self, count: int) -> None:
        """Raise StateLost unless there are ``count`` rows."""
        if count > len(self):
            self._refresh()  # another process may have appended
        if count > len(self):
            damage = self._torn and f"is damaged in {self._torn.segment.name} ({self._torn.reason}): it "
            raise self._lost(
                f"{damage or ''}ends at {len(self)}, and the checkpoint is at {count}: files would be ingested twice"
            )

    def tables(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Yield the tables of all segments, with the wanted columns that each has."""
        position, end = 0, len(self)
        while position < end:
            part = self.rows(position, min(end, position + SEGMENT_ROWS), columns)
            yield part
            position += part.num_rows

    def append(self, table: pa.Table) -> None:
        """Append rows, which are safe on disk on return; raise StateInUse if another process has appended."""
        for offset in range(0, table.num_rows, SEGMENT_ROWS):
            rows = table.slice(offset, SEGMENT_ROWS)
            segment = Segment(len(self), rows.num_rows)
            self._create(segment, seal(rows))
            self._segments.append(segment)
            self._read_last = (segment, rows)
        while self._merge_last():
            pass
        self.remove_replaced()

    def _refresh(self) -> None:
        """Find the segments; a listing during a merge may miss one that is being replaced, so a gap is listed again."""
        damaged: list[_Torn] = []
        for _ in range(_LIST_ATTEMPTS):
            damaged.clear()
            if self._list(damaged):
                return
        if damaged:
            raise self._lost(f"is damaged in {damaged[0].segment.name}: {damaged[0].reason}")
        raise self._lost(f"has a gap at {len(self)}: a file of it was removed")

    def _list(self, damaged: list[_Torn]) -> bool:
        """List the segments; return whether there is no gap between them."""
        counted = [segment for name in filesystem.names(self._directory) if (segment := Segment.of_name(name))]
        # Of those that begin with the same row the largest first, so a merged one before those that it was made of.
        counted.sort(key=lambda segment: (segment.first, -segment.count))
        self._segments, self._replaced, self._torn = [], [], None
        for position, segment in enumerate(counted):
            later = counted[position + 1 :]
            if segment.first < len(self):
                self._replaced.append(segment)
            elif segment.first > len(self):
                return False
            elif _is_certain(segment, later):
                count = segment.count if segment.is_counted else later[0].first - segment.first
                self._segments.append(segment._replace(count=count))
            elif not self._list_checked(segment, damaged):
                return False
        if damaged and damaged[-1].segment.first == len(self):
            self._torn = damaged[-1]
        return True

    def _list_checked(self, segment: Segment, damaged: list[_Torn]) -> bool:
        """Add a segment if it is complete, and skip it if not; return False if it does not exist any more."""
        if self._read_last and self._read_last[0].name == segment.name:
            self._segments.append(self._read_last[0])
            return True
        try:
            data = filesystem.read_bytes(self._url(segment))
            table = unseal(data)
        except FileNotFoundError:
            return False
        except DamagedSegmentError as error:
            damaged.append(_Torn(segment, data, str(error)))
            return True
        self._segments.append(segment._replace(count=table.num_rows))
        self._read_last = (self._segments[-1], table)
        return True

    def _create(self, segment: Segment, data: bytes) -> None:
        """Write the next segment, in the place of a damaged one whose rows nobody was given."""
        url = self._url(segment)
        try:
            if self._torn is not None and self._torn.segment.name == segment.name:
                filesystem.replace(url, data, self._torn.data)
                self._torn = None
            else:
                filesystem.write_atomically(url, data, overwrite=False)
        except FileExistsError as error:
            if not _has_content(url, data):  # else it is ours, and the response of the store was lost
                raise self._in_use() from error
        if filesystem.local_path(self._directory) is None:
            # Without locks, another process may have written these rows, and merged them since.
            names = filesystem.names(self._directory)
            others = [other for name in names if (other := Segment.of_name(name)) and other.is_counted]
            if segment.name not in names or any(other.covers(segment) for other in others):
                raise self._in_use()

    def _merge_last(self) -> bool:
        last = self._mergeable()
        if not last:
            return False
        try:
            table = pa.concat_tables([self._read(segment) for segment in last], promote_options="default")
        except (FileNotFoundError, _OtherRowsError) as error:  # which another has merged
            raise self._in_use() from error
        merged = Segment(last[0].first, table.num_rows, True)
        filesystem.write_atomically(self._url(merged), seal(table))
        try:
            if not unseal(filesystem.read_bytes(self._url(merged))).equals(table):
                return False
        except (FileNotFoundError, DamagedSegmentError):
            return False
        self._segments = [*self._segments[: -len(last)], merged]
        self._read_last = (merged, table)
        self._replaced += last
        return True

    def _mergeable(self) -> list[Segment]:
        """Return the run at the end with eight segments of some level, none above it, and any below it."""
        for level in range(FINAL_LEVEL):
            run = list(takewhile(lambda segment, level=level: segment.level <= level, reversed(self._segments)))
            if sum(segment.level == level for segment in run) >= MERGED:
                return run[::-1]
        return []

    def remove_replaced(self) -> None:
        """Remove merged segments; only by the process that appends, after it has required its rows."""
        for segment in self._replaced:
            filesystem.delete(self._url(segment))
        self._replaced = []

    def _read(self, segment: Segment, columns: list[str] | None = None) -> pa.Table:
        if self._read_last is not None and self._read_last[0] == segment:
            return self._read_last[1]
        try:
            table = unseal(filesystem.read_bytes(self._url(segment)), columns)
        except DamagedSegmentError as error:
            raise self._lost(f"is damaged in {segment.name}: {error}") from error
        if table.num_rows != segment.count:
            raise _OtherRowsError(f"has {table.num_rows} rows in {segment.name}, where there should be {segment.count}")
        if columns is None:
            self._read_last = (segment, table)
        return table

    def _lost(self, problem: str) -> StateLost:
        return StateLost(
            f"The file log {self._directory} {problem}. Restore it, or start again with an empty checkpoint. "
            "Nothing of it was removed but files whose rows were read back from a merged one."
        )

    def _in_use(self) -> StateInUse:
        return StateInUse(
            f"{self._directory} was written by another stream while this one was running. "
            "Stop the other stream, or give this one its own checkpoint and schema location."
        )

    def _url(self, segment: Segment) -> str:
        return f"{self._directory}/{segment.name}"


def _is_certain(segment: Segment, later: list[Segment]) -> bool:
    """Whether names prove that a segment is complete: it has a successor, or replaced all others."""
    if later:
        return not segment.is_counted or not segment.covers(later[0])
    return segment.is_counted


def _has_content(url: str, data: bytes) -> bool:
    try:
        return filesystem.read_bytes(url) == data
    except FileNotFoundError:  # another process has written it, and merged it since
        return False


class _OtherRowsError(Exception):
    """A segment does not have the rows that the names say: a listing missed one, or it was removed."""
