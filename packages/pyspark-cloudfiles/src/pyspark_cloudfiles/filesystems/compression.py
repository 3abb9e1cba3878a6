"""Compressed files of text formats, recognized by their file extension as in Hadoop."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from pyspark_cloudfiles.errors import UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile

_BUFFER = 1024 * 1024
# Hadoop has its own framing for them, which nothing else reads.
_HADOOP_ONLY = (".snappy", ".lz4")


def open_text(file: SourceFile) -> BinaryIO:
    """Open a file, decompressed, for reading from its beginning to its end.

    Reading may raise what :data:`BROKEN` lists.

    Raises
    ------
    MissingFile
        It is gone.
    UnreadableFile
        It is compressed in a way that cannot be read here.
    """
    name = file.name.lower()
    if name.endswith(_HADOOP_ONLY):
        raise UnreadableFile(file.url, "only Hadoop reads its compression. Use .gz, .bz2, .deflate or .zst.")
    for ending, decompressed in _OPENERS.items():
        if name.endswith(ending):
            return decompressed(file.open())
    return file.open()


def is_compressed(file: SourceFile) -> bool:
    """Tell whether a file is compressed, by its name."""
    return file.name.lower().endswith((*_OPENERS, *_HADOOP_ONLY))


def read_text(file: SourceFile) -> bytes:
    """Return the whole content of a file, decompressed.

    Raises
    ------
    MissingFile
        It is gone.
    UnreadableFile
        It may not be read, or its compression is broken.
    """
    if not is_compressed(file):
        return file.read_bytes()
    with unreadable_if_broken(file), open_text(file) as stream:
        return stream.read()


@contextmanager
def unreadable_if_broken(file: SourceFile) -> Iterator[None]:
    """Say of what reading raises which file it was."""
    try:
        yield
    except BROKEN as error:
        raise UnreadableFile(file.url, f"it cannot be read to its end ({error}).") from error


# What reading raises where the compression is broken; EOFError where the end is missing.
BROKEN = (OSError, EOFError, zlib.error)


def _gzip(raw: BinaryIO) -> BinaryIO:
    import gzip

    return cast(BinaryIO, gzip.GzipFile(fileobj=raw))


def _bzip2(raw: BinaryIO) -> BinaryIO:
    import bz2

    return cast(BinaryIO, bz2.BZ2File(raw))


def _zstandard(raw: BinaryIO) -> BinaryIO:
    import pyarrow

    return cast(BinaryIO, io.BufferedReader(pyarrow.CompressedInputStream(raw, "zstd"), _BUFFER))


def _deflate(raw: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Deflate(raw), _BUFFER))


class _Deflate(io.RawIOBase):
    """A stream of zlib, for which Python has no file object."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._decompress, self._rest = raw, zlib.decompressobj(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._decompress.eof:
            data = self._rest or self._raw.read(_BUFFER)
            if not data:
                raise EOFError("the compressed stream ends too early")
            out = self._decompress.decompress(data, len(buffer))
            self._rest = self._decompress.unconsumed_tail
            if out:
                buffer[: len(out)] = out
                return len(out)
        return 0


_OPENERS: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    ".gz": _gzip,
    ".bz2": _bzip2,
    ".zst": _zstandard,
    ".deflate": _deflate,
}
