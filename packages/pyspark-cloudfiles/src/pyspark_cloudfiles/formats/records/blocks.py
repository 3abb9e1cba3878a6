"""Blocks: some records of some files, as many as make a batch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import TypeVar

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base

Part = TypeVar("Part")


class Block:
    """Some lines of some files.

    Parameters
    ----------
    files : list of (SourceFile, int)
        How many lines each file has, in their order; an empty file has none.
    content : bytes or list of bytes
        The lines, each ended by LF; or, where records may have ends of lines in them, a list of the records.
    """

    def __init__(self, files: list[tuple[SourceFile, int]], content: bytes | list[bytes]) -> None:
        self.files = files
        self.data = content if isinstance(content, bytes) else None
        self._lines = None if isinstance(content, bytes) else content
        self._ends = list(accumulate(lines for _, lines in files))
        self.count = self._ends[-1] if files else 0

    @property
    def lines(self) -> list[bytes]:
        """The lines, without their ends."""
        if self._lines is None:
            self._lines = self.data.split(b"\n")[:-1]  # type: ignore[union-attr]
        return self._lines

    def text(self, number: int) -> str:
        """Return a line as text."""
        return self.lines[number].decode("utf-8", "replace")

    def file_of(self, number: int) -> SourceFile:
        """Return the file that a line is from."""
        return self.files[bisect_right(self._ends, number)][0]


def blocks(parts: Iterable[tuple[SourceFile, bytes | list[bytes]]]) -> Iterator[Block]:
    """Yield parts of files, whole lines or lists of records, in blocks of at most ``BATCH_BYTES`` (or one part)."""
    for some in coalesced(parts, lambda part: size_of(part[1])):
        first = some[0][1]
        if isinstance(first, bytes):
            files = [(file, data.count(b"\n")) for file, data in some]
            yield Block(files, first if len(some) == 1 else b"".join(data for _, data in some))  # type: ignore[misc]
        else:
            files = [(file, len(records)) for file, records in some]
            yield Block(files, [record for _, records in some for record in records])  # type: ignore[misc]


def size_of(content: bytes | list[bytes]) -> int:
    """Return the number of bytes."""
    return len(content) if isinstance(content, bytes) else sum(map(len, content))


def coalesced(parts: Iterable[Part], size: Callable[[Part], int]) -> Iterator[list[Part]]:
    """Yield the parts in their order, as many together as have at most ``BATCH_BYTES`` (or one part)."""
    waiting: list[Part] = []
    total = 0
    for part in parts:
        more = size(part)
        if waiting and total + more > base.BATCH_BYTES:
            yield waiting
            waiting, total = [], 0
        waiting.append(part)
        total += more
    if waiting:
        yield waiting
