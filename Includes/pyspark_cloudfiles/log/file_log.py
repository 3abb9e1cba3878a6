"""The files of one stream, numbered in the order in which they were found.

An offset of the stream is a number into this list.  A file enters it once: what is known is remembered by a digest of
its path, 16 bytes in a set, which costs about 100 bytes a file in all.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice

import pyarrow as pa

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.log.segments import SEGMENT_ROWS, Segments

_SCHEMA = pa.schema([("path", pa.string()), ("size", pa.int64()), ("modified", pa.int64()), ("discovered", pa.int64())])
# New files are put into order this many at a time: enough for all of an ordinary trigger's.
SORTED_TOGETHER = 100_000


class FileLog:
    """The list of a stream's files, for the process that plans its batches.

    Parameters
    ----------
    log : str
        URL of the stream's log.
    tracks_changes : bool
        Whether a file that has changed is a new file.

    Attributes
    ----------
    total_bytes : int
        The size of all files together.
    """

    def __init__(self, log: str, *, tracks_changes: bool = False) -> None:
        self._segments = file_segments(log)
        self._segments.cut_torn_tail()
        self._tracks_changes = tracks_changes
        self._known: set[bytes] = set()
        self.total_bytes = 0
        for table in self._segments.tables():
            self._remember(files_of(table))

    def __len__(self) -> int:
        return len(self._segments)

    def require(self, count: int) -> None:
        """Raise StateLost unless the log has ``count`` files, as a checkpoint says it must."""
        self._segments.require(count)

    def add(self, files: Iterable[SourceFile]) -> int:
        """Append those that are not known yet, oldest first, and return how many they are.

        When it returns they are safe on disk.
        """
        before = len(self)
        unknown = (file for file in files if self._digest(file) not in self._known)
        while some := list(islice(unknown, SORTED_TOGETHER)):
            some = self._without_repeats(some)
            self._segments.append(_table(some))
            self._remember(some)
        return len(self) - before

    def end_of_batch(self, start: int, max_files: int | None, max_bytes: int | None) -> int:
        """Return where a batch that begins at ``start`` ends within its limits.

        The limit of bytes is soft: the file that crosses it is still taken, so that a batch always has one.
        """
        end = len(self) if max_files is None else min(len(self), start + max_files)
        if max_bytes is None:
            return end
        taken = 0
        for position in range(start, end, SEGMENT_ROWS):
            for number, file in enumerate(self.files(position, min(end, position + SEGMENT_ROWS)), position + 1):
                taken += file.size
                if taken >= max_bytes:
                    return number
        return end

    def files(self, start: int, end: int) -> list[SourceFile]:
        """Return files number ``start`` to ``end`` (exclusive)."""
        return _files(self._segments, start, end)

    def _without_repeats(self, files: list[SourceFile]) -> list[SourceFile]:
        """Sort; where a listing gave a file twice (it was replaced meanwhile), take it once."""
        ordered = sorted(files, key=lambda file: (file.modified, file.url))
        return list({self._digest(file): file for file in ordered}.values())

    def _remember(self, files: list[SourceFile]) -> None:
        self._known.update(map(self._digest, files))
        self.total_bytes += sum(file.size for file in files)

    def _digest(self, file: SourceFile) -> bytes:
        identity = f"{file.url}\0{file.modified}\0{file.size}" if self._tracks_changes else file.url
        return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def file_segments(log: str) -> Segments:
    """Return the rows of a log: each file, and when it was discovered."""
    return Segments(f"{log}/files")


def files_between(log: str, start: int, end: int) -> list[SourceFile]:
    """Return files number ``start`` to ``end`` (exclusive) of a log, whichever process writes it."""
    return _files(file_segments(log), start, end)


def _files(segments: Segments, start: int, end: int) -> list[SourceFile]:
    table = segments.rows(start, end)
    return [] if table is None else files_of(table)


def files_of(table: pa.Table) -> list[SourceFile]:
    """Return the files that rows of the log describe."""
    columns = (table[name].to_pylist() for name in ("path", "size", "modified"))
    return [SourceFile(*values) for values in zip(*columns, strict=True)]


def _table(files: list[SourceFile]) -> pa.Table:
    urls, sizes, times = zip(*files, strict=True)
    now = [time.time_ns() // 1000] * len(files)
    return pa.table([urls, sizes, times, now], schema=_SCHEMA)
