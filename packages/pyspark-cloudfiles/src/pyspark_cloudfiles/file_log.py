"""The file log: the files of a stream, numbered in the order in which they were found.

An offset of the stream is a number into this list.  A file enters it once: known files are remembered by a digest of
their path, which the list has as well, so that a start need not compute ten million of them again.  Digests have 16
bytes.  New ones are in a Python set; when they are many they join two sorted columns of numbers, 16 bytes per digest
instead of 90.  Ten million take 160 MB, and twice that while they are sorted.

The log is below the stream's schema location, because a data source does not know its checkpoint.  A stream with a
schema of its own need not have such a location, and keeps its log in ``PYSPARK_CLOUDFILES_STATE``, by default a
directory below the home.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.segments import SEGMENT_ROWS, Segments

if TYPE_CHECKING:
    import numpy as np


DIGEST_BYTES = 16
# A set of so many is small, and needs no numpy; a larger one joins the columns when it is an eighth of them.
FEW = 65_536


class Digests:
    """A growing set of digests."""

    def __init__(self) -> None:
        self._new: set[bytes] = set()
        self._columns: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self._new) + (len(self._columns[0]) if self._columns else 0)

    def add(self, digests: Sequence[bytes]) -> None:
        self._new.update(digests)
        settled = len(self._columns[0]) if self._columns else 0
        if len(self._new) > max(FEW, settled // 8):
            self.add_packed([b"".join(self._new)], len(self._new))
            self._new.clear()

    def add_packed(self, blocks: Iterable[bytes | memoryview], count: int) -> None:
        """Add ``count`` unknown digests at once, packed in blocks."""
        import numpy as np  # not for a small log

        count += len(self._columns[0]) if self._columns else 0
        first, second = np.empty(count, np.uint64), np.empty(count, np.uint64)
        position = 0
        if self._columns:
            position = len(self._columns[0])
            first[:position], second[:position] = self._columns
            self._columns = None
        for block in blocks:
            pairs = np.frombuffer(block, np.uint64).reshape(-1, 2)
            first[position : position + len(pairs)], second[position : position + len(pairs)] = pairs.T
            position += len(pairs)
        order = np.argsort(first)
        second = second[order]
        del order  # of 80 MB where there are ten million
        first.sort()
        self._columns = first, second

    def missing(self, digests: Sequence[bytes]) -> list[int]:
        new = [position for position, digest in enumerate(digests) if digest not in self._new]
        if not self._columns or not new:
            return new
        import numpy as np

        asked = np.frombuffer(b"".join([digests[position] for position in new]), np.uint64).reshape(-1, 2)
        return [new[position] for position in np.flatnonzero(~self._among_columns(asked[:, 0], asked[:, 1]))]

    def _among_columns(self, asked_first: np.ndarray, asked_second: np.ndarray) -> np.ndarray:
        import numpy as np

        first, second = self._columns
        at = np.searchsorted(first, asked_first)
        found = np.zeros(len(at), bool)
        while True:  # more than once only where digests begin alike
            inside = at < len(first)
            alike = inside.copy()
            alike[inside] = first[at[inside]] == asked_first[inside]
            if not alike.any():
                return found
            found[alike] |= second[at[alike]] == asked_second[alike]
            at = np.where(alike & ~found, at + 1, len(first))


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
        self._known = Digests()
        self.total_bytes = 0
        blocks = self._digest_blocks()
        if len(self) > FEW:
            self._known.add_packed(blocks, len(self))
        else:
            for block in blocks:
                self._known.add([bytes(block[at : at + DIGEST_BYTES]) for at in range(0, len(block), DIGEST_BYTES)])

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
                self._known.add(list(new))
                self.total_bytes += sum(file.size for file in new.values())
        return len(self) - before

    def new_urls(self, urls: list[str]) -> list[str]:
        return [urls[position] for position in self._known.missing([_digest(url) for url in urls])]

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
        digests = [self._digest(file) for file in files]
        new = [(files[position], digests[position]) for position in self._known.missing(digests)]
        new.sort(key=lambda pair: (pair[0].modified, pair[0].url))
        return {digest: file for file, digest in new}

    def _digest(self, file: SourceFile) -> bytes:
        return _digest(f"{file.url}\0{file.modified}\0{file.size}" if self._tracks_changes else file.url)

    def _digest_blocks(self) -> Iterator[bytes | memoryview]:
        """Yield the packed digests of all files, and sum up their sizes."""
        position = 0
        for table in self._segments.tables(["digest", "size"]):
            end = position + table.num_rows
            self.total_bytes += sum(table["size"].to_pylist())
            if self._tracks_changes:
                yield b"".join(map(self._digest, self.files(position, end)))
            else:
                for chunk in table["digest"].chunks:
                    begin = chunk.offset * DIGEST_BYTES
                    yield memoryview(chunk.buffers()[1])[begin : begin + len(chunk) * DIGEST_BYTES]
            position = end


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
