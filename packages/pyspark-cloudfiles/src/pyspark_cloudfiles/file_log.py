"""The file log: the files of a stream, numbered in the order in which they were found.

An offset of the stream is a number into this list.  A file enters it once: known files are remembered by a digest of
their path, which the list has as well, so that a start need not compute millions of them again.

The log is below the stream's schema location, because a data source does not know its checkpoint.  A stream with a
schema of its own need not have such a location, and keeps its log in ``PYSPARK_CLOUDFILES_STATE``, by default a
directory below the home.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.segments import SEGMENT_ROWS, Segments

DIGEST_BYTES = 16
VARIABLE = "PYSPARK_CLOUDFILES_STATE"
_DIRECTORY = "_cloudfiles"
_SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("size", pa.int64()),
        ("modified", pa.int64()),
        ("discovered", pa.int64()),
        ("digest", pa.binary(DIGEST_BYTES)),
    ]
)
# New files are sorted in groups of this size, which has all files of an ordinary trigger.
SORTED_TOGETHER = 100_000


def new_log(schema_location: str | None) -> str:
    """Return a URL for the log of a new stream; nothing is written."""
    return f"{_base(schema_location)}/{uuid.uuid4().hex}"


def log_of(schema_location: str | None, recorded: str) -> str:
    """Return the current URL of a checkpoint's log, which may have been moved with the schema location."""
    here = f"{_base(schema_location)}/{recorded.rsplit('/', 1)[-1]}"
    return here if here == recorded or filesystem.is_directory(here) else recorded


def state_directory() -> str:
    """Return the directory of the logs of streams without a schema location."""
    # Without the percent escapes of as_uri(): URLs are taken literally here.
    default = Path("~/.pyspark_cloudfiles").expanduser().as_posix()
    return filesystem.canonical(os.environ.get(VARIABLE) or f"file:/{default.lstrip('/')}")


def _base(schema_location: str | None) -> str:
    directory = state_directory() if schema_location is None else filesystem.canonical(schema_location)
    return f"{directory}/{_DIRECTORY}"


class FileLog:
    """The list of a stream's files, for the process that plans its batches.

    With ``tracks_changes``, a changed file is a new file.  StateLost is raised if the log is damaged or has fewer than
    the ``acknowledged`` files of the checkpoint.  ``total_bytes`` is the size of all files.
    """

    def __init__(self, log: str, *, tracks_changes: bool = False, acknowledged: int = 0) -> None:
        self._segments = file_segments(log)
        self.require(acknowledged)  # before anything is changed
        self._segments.remove_replaced()
        self._tracks_changes = tracks_changes
        self._known: set[bytes] = set()
        self.total_bytes = 0
        position = 0
        for table in self._segments.tables(["digest", "size"]):
            end = position + table.num_rows
            self.total_bytes += pc.sum(table["size"]).as_py()
            digests = map(self._digest, self.files(position, end)) if tracks_changes else table["digest"].to_pylist()
            self._known.update(digests)
            position = end

    def __len__(self) -> int:
        return len(self._segments)

    def require(self, count: int) -> None:
        """Raise StateLost unless the log has ``count`` files, as a checkpoint says."""
        self._segments.require(count)

    def add(self, files: Iterable[SourceFile]) -> int:
        """Append unknown files, oldest first, and return their number; they are safe on disk on return."""
        before = len(self)
        remaining = iter(files)
        while some := list(islice(remaining, SORTED_TOGETHER)):
            if new := self._unknown(some):
                found = list(new.values())
                now, digests = [time.time_ns() // 1000] * len(found), [_digest(file.url) for file in found]
                urls, sizes, times, *_ = zip(*found, strict=True)
                self._segments.append(pa.table([urls, sizes, times, now, digests], schema=_SCHEMA))
                self._known.update(new)
                self.total_bytes += sum(file.size for file in new.values())
        return len(self) - before

    def new_urls(self, urls: list[str]) -> list[str]:
        return [url for url in urls if _digest(url) not in self._known]

    def end_of_batch(self, start: int, max_files: int | None, max_bytes: int | None) -> int:
        """Return the end of a batch that begins at ``start``, with the file that crosses the limit of bytes."""
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
        return _files(self._segments, start, end)

    def _unknown(self, files: list[SourceFile]) -> dict[bytes, SourceFile]:
        oldest_first = sorted(files, key=lambda file: (file.modified, file.url))
        return {digest: file for file in oldest_first if (digest := self._digest(file)) not in self._known}

    def _digest(self, file: SourceFile) -> bytes:
        return _digest(f"{file.url}\0{file.modified}\0{file.size}" if self._tracks_changes else file.url)


def _digest(identity: str) -> bytes:
    return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def file_segments(log: str) -> Segments:
    """Return the rows of a log: each file, and when it was discovered."""
    return Segments(f"{log}/files")


def files_between(log: str, start: int, end: int) -> list[SourceFile]:
    return _files(file_segments(log), start, end)


def _files(segments: Segments, start: int, end: int) -> list[SourceFile]:
    table = segments.rows(start, end)
    if table is None:
        return []
    columns = (table[name].to_pylist() for name in ("path", "size", "modified"))
    return [SourceFile(*values) for values in zip(*columns, strict=True)]
