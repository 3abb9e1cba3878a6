"""The file log: the files of a stream, numbered in the order in which they were found.

An offset of the stream is a number into this list.  A file enters it once: what is known is remembered by a digest of
its path (:mod:`.digests`), which is in the list as well, so that a start need not make ten million of them again.

It is kept below the stream's schema location, for a data source is not told the checkpoint.  A stream that infers its
schema has such a location, which usually is the checkpoint; one with a schema of its own need not have any, and keeps
its log in ``PYSPARK_CLOUDFILES_STATE``, by default a directory below the home.

A digest is 16 bytes.  New ones are in a Python set; when they are many they join two sorted columns of numbers, 16
bytes a digest instead of 90.  Ten million take 160 MB, and twice that for the moment in which they are sorted.
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
from pyspark_cloudfiles.log.segments import SEGMENT_ROWS, Segments

if TYPE_CHECKING:
    import numpy as np

LENGTH = 16
# A set of so many is small, and spares the process numpy; a larger one joins the columns when it is an eighth of them.
FEW = 65_536


class Digests:
    """Digests that only become more."""

    def __init__(self) -> None:
        self._new: set[bytes] = set()
        self._columns: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self._new) + (len(self._columns[0]) if self._columns else 0)

    def add(self, digests: Sequence[bytes]) -> None:
        """Add digests that are not there yet."""
        self._new.update(digests)
        settled = len(self._columns[0]) if self._columns else 0
        if len(self._new) > max(FEW, settled // 8):
            self.add_packed([b"".join(self._new)], len(self._new))
            self._new.clear()

    def add_packed(self, blocks: Iterable[bytes | memoryview], count: int) -> None:
        """Add ``count`` digests at once, which are not there yet; in each block one follows another."""
        import numpy as np  # a small log does without

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
        """Return the positions of those that are not there."""
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
        ("digest", pa.binary(LENGTH)),
    ]
)
# New files are put into order this many at a time: enough for all of an ordinary trigger's.
SORTED_TOGETHER = 100_000


def new_log(schema_location: str | None) -> str:
    """Return the URL for the log of a stream that begins; nothing is written."""
    return f"{_base(schema_location)}/{uuid.uuid4().hex}"


def log_of(schema_location: str | None, recorded: str) -> str:
    """Return where the log of a checkpoint is.

    Parameters
    ----------
    schema_location : str or None
        What the stream's options say now; the directory may have been moved since.
    recorded : str
        What the checkpoint says.
    """
    here = f"{_base(schema_location)}/{recorded.rsplit('/', 1)[-1]}"
    return here if here == recorded or filesystem.is_directory(here) else recorded


def state_directory() -> str:
    """Return the directory of the logs of streams without a schema location."""
    # No percent escapes, as as_uri() would make of a blank: places are taken literally here.
    default = Path("~/.pyspark_cloudfiles").expanduser().as_posix()
    return filesystem.canonical(os.environ.get(VARIABLE) or f"file:/{default.lstrip('/')}")


def _base(schema_location: str | None) -> str:
    directory = state_directory() if schema_location is None else filesystem.canonical(schema_location)
    return f"{directory}/{_DIRECTORY}"


class FileLog:
    """The list of a stream's files, for the process that plans its batches.

    Parameters
    ----------
    log : str
        URL of the stream's log.
    tracks_changes : bool
        Whether a file that has changed is a new file.
    acknowledged : int
        How many files the checkpoint says that it must have.

    Raises
    ------
    StateLost
        It has not as many, or is damaged.

    Attributes
    ----------
    total_bytes : int
        The size of all files together.
    """

    def __init__(self, log: str, *, tracks_changes: bool = False, acknowledged: int = 0) -> None:
        self._segments = file_segments(log)
        self.require(acknowledged)  # before anything is changed
        self._segments.clear_up()
        self._tracks_changes = tracks_changes
        self._known = Digests()
        self.total_bytes = 0
        self._load()

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
        remaining = iter(files)
        while some := list(islice(remaining, SORTED_TOGETHER)):
            if new := self._unknown(some):
                self._segments.append(_table(list(new.values()), [path_digest(file.url) for file in new.values()]))
                self._known.add(list(new))
                self.total_bytes += sum(file.size for file in new.values())
        return len(self) - before

    def new_urls(self, urls: list[str]) -> list[str]:
        """Return those URLs of which no file is in the list."""
        return [urls[position] for position in self._known.missing([path_digest(url) for url in urls])]

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

    def _unknown(self, files: list[SourceFile]) -> dict[bytes, SourceFile]:
        """Return the new ones by their digests, oldest first; where a listing gave a file twice, it is taken once."""
        digests = [self._digest(file) for file in files]
        new = [(files[position], digests[position]) for position in self._known.missing(digests)]
        new.sort(key=lambda pair: (pair[0].modified, pair[0].url))
        return {digest: file for file, digest in new}

    def _digest(self, file: SourceFile) -> bytes:
        return _digest(f"{file.url}\0{file.modified}\0{file.size}") if self._tracks_changes else path_digest(file.url)

    def _load(self) -> None:
        """Remember what is in the list."""
        blocks = self._blocks()
        if len(self) > FEW:
            self._known.add_packed(blocks, len(self))
        else:
            for block in blocks:
                self._known.add([bytes(block[at : at + LENGTH]) for at in range(0, len(block), LENGTH)])

    def _blocks(self) -> Iterator[bytes | memoryview]:
        """Yield the digests of all files, those of a segment one after another."""
        position = 0
        for table in self._segments.tables(["digest", "size"]):
            end = position + table.num_rows
            self.total_bytes += sum(table["size"].to_pylist())
            if self._tracks_changes:
                yield b"".join(map(self._digest, self.files(position, end)))
            elif "digest" in table.column_names and not table["digest"].null_count:
                yield from (_packed(chunk) for chunk in table["digest"].chunks)
            else:  # a log of before
                yield b"".join(map(path_digest, self._segments.rows(position, end)["path"].to_pylist()))
            position = end


def path_digest(url: str) -> bytes:
    """Return what a file is known by."""
    return _digest(url)


def _digest(identity: str) -> bytes:
    return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=LENGTH).digest()


def _packed(digests: pa.FixedSizeBinaryArray) -> memoryview:
    begin = digests.offset * LENGTH
    return memoryview(digests.buffers()[1])[begin : begin + len(digests) * LENGTH]


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


def _table(files: list[SourceFile], digests: list[bytes]) -> pa.Table:
    urls, sizes, times = zip(*((file.url, file.size, file.modified) for file in files), strict=True)
    now = [time.time_ns() // 1000] * len(files)
    return pa.table([urls, sizes, times, now, digests], schema=_SCHEMA)
