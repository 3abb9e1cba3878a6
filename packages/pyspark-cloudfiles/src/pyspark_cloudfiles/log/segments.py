"""An append-only list of rows, kept in segment files that never change.

Row numbers begin at 0.  A file, a *segment*, holds consecutive rows and says in its name which the first is.  It is
written whole and gets its name only when it is safe on disk, wherever the store can do that, so that a crash leaves
either all of it or nothing.  The next rows have one name that they can get: of two processes that append, the store
itself refuses one, also where there are no locks.

Small segments are merged into larger ones, eight at a time, as a log-structured merge tree does: the number of files
grows with the logarithm of the number of rows, and a row is rewritten only a handful of times.  A merged segment also
says in its name how many rows it has.  It is read back before those that it replaces are removed.

A store may keep a part of what a killed process was writing.  A merged segment of which only a part is there does not
count while those that it was made of are there.  The last segment does not count if it is damaged: the one who asks for
its rows (:meth:`Segments.require`) is told, and where nobody has been given them, the next rows take its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import NamedTuple

import pyarrow as pa

from pyspark_cloudfiles.errors import StateInUse, StateLost
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.log.segment import MERGED, DamagedSegmentError, Segment, seal, unseal

# A segment with so many merges behind it stays: about as many rows as reading a batch should have to decode.
FINAL_LEVEL = 4
SEGMENT_ROWS = MERGED ** (FINAL_LEVEL + 1)
# How often a reader looks again while another process merges.
_LOOKS = 5


class _Torn(NamedTuple):
    """The last segment where only a part of it is there, or it is damaged otherwise."""

    segment: Segment
    data: bytes
    reason: str


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
        self._torn: _Torn | None = None
        self._read_last: tuple[Segment, pa.Table] | None = None
        self._look()

    def __len__(self) -> int:
        return self._segments[-1].end if self._segments else 0

    def rows(self, start: int, end: int, columns: list[str] | None = None) -> pa.Table | None:
        """Return rows ``start`` to ``end`` (exclusive), or None if there are no such rows.

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
            damage = self._torn and f"is damaged in {self._torn.segment.name} ({self._torn.reason}): it "
            raise self._lost(
                f"{damage or ''}ends at {len(self)}, and the checkpoint is at {count}: files would be ingested twice"
            )

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
        """Begin to append: remove what a crash left of segments that were merged already.

        Only the process that appends may do it, and only after it has required what was given out.
        """
        self._remove_replaced()

    def _look(self) -> None:
        """Find the segments; where a merge was not finished, the merged one counts.

        A listing during a merge may miss one that is just being replaced, so a gap is looked at again.
        """
        damaged: list[_Torn] = []
        for _ in range(_LOOKS):
            damaged.clear()
            if self._list(damaged):
                return
        if damaged:
            raise self._lost(f"is damaged in {damaged[0].segment.name}: {damaged[0].reason}")
        raise self._lost(f"has a gap at {len(self)}: a file of it was removed")

    def _list(self, damaged: list[_Torn]) -> bool:
        """List the segments, and say whether there is no gap between them."""
        counted = [segment for name in filesystem.names(self._directory) if (segment := Segment.of_name(name))]
        # Of those that begin with the same row the largest first, and what was merged before what it was made of.
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
        """Take a segment that is whole; leave out one that is not; return False where it has just gone."""
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

    def _add(self, table: pa.Table) -> None:
        segment = Segment(len(self), table.num_rows)
        self._create(segment, seal(table))
        self._segments.append(segment)
        self._read_last = (segment, table)

    def _create(self, segment: Segment, data: bytes) -> None:
        """Write the next segment, in the place of one that is damaged and that nobody was given."""
        url = self._url(segment)
        try:
            if self._torn is not None and self._torn.segment.name == segment.name:
                filesystem.replace(url, data, self._torn.data)
                self._torn = None
            else:
                filesystem.write_atomically(url, data, overwrite=False)
        except FileExistsError as error:
            if not _has_content(url, data):  # else it is ours, and the answer of the store was lost
                raise self._in_use() from error
        if filesystem.local_path(self._directory) is None:
            self._refuse_what_was_merged(segment)

    def _refuse_what_was_merged(self, written: Segment) -> None:
        """Look, where there are no locks, whether another has had these rows' numbers, and has merged them since."""
        names = filesystem.names(self._directory)
        others = [segment for name in names if (segment := Segment.of_name(name)) and segment.is_counted]
        if written.name not in names or any(other.covers(written) for other in others):
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
        if not self._is_kept(merged, table):
            return False
        self._segments = [*self._segments[: -len(last)], merged]
        self._read_last = (merged, table)
        self._replaced += last
        return True

    def _is_kept(self, segment: Segment, table: pa.Table) -> bool:
        """Read a segment back, and tell whether it has these rows."""
        try:
            return unseal(filesystem.read_bytes(self._url(segment))).equals(table)
        except (FileNotFoundError, DamagedSegmentError):
            return False

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
        # After the merged one was read back; a reader that still wants one of these finds its rows in the other.
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
            return unseal(data, columns)
        except DamagedSegmentError as error:
            raise self._lost(f"is damaged in {segment.name}: {error}") from error

    def _lost(self, what: str) -> StateLost:
        return StateLost(
            f"The file log {self._directory} {what}. Restore it, or start again with an empty checkpoint. "
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
    """Tell from names that a segment is whole: it has a successor, or what it was made of was removed."""
    if later:
        return not segment.is_counted or not segment.covers(later[0])
    return segment.is_counted


def _has_content(url: str, data: bytes) -> bool:
    try:
        return filesystem.read_bytes(url) == data
    except FileNotFoundError:  # another has written it, and merged it since
        return False


class _OtherRowsError(Exception):
    """A segment has not the rows that the names say: one was missed in a listing, or removed."""
