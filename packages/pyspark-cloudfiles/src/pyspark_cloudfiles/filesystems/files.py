"""Source files and parts of them, with compressed ones recognized by their extension as in Hadoop."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import BinaryIO, NamedTuple, TypeVar, cast

from pyspark_cloudfiles.errors import MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem

Result = TypeVar("Result")
# A smaller part is not worth opening the file again; the header of a file is searched in as much.
SMALLEST_PART = 1024**2
_BUFFER = 1024 * 1024
# Only Hadoop reads its framing of these.
_HADOOP_ONLY = (".snappy", ".lz4")


class SourceFile(NamedTuple):
    """A file to read, or a part of one, as it was discovered.

    ``url`` is spelled as in Spark's ``_metadata.file_path``, but without percent escapes; ``modified`` is in
    microseconds since the epoch.  ``start`` and ``last`` are the part's bytes; a line belongs to the part that has its
    first byte.  Without ``last``, the part ends with the file, even if that has grown.
    """

    url: str
    size: int
    modified: int
    start: int = 0
    last: int | None = None

    @property
    def end(self) -> int:
        """The end of its bytes, as far as is known."""
        return self.size if self.last is None else self.last

    @property
    def is_part(self) -> bool:
        return self.start > 0 or self.last is not None

    def part(self, start: int, end: int) -> SourceFile:
        return self._replace(start=start, last=None if end >= self.size else end)

    def whole(self) -> SourceFile:
        return self._replace(start=0, last=None)

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[-1]

    def read_bytes(self) -> bytes:
        """Return the whole content; raise MissingFile or UnreadableFile."""
        return self._access(filesystem.read_bytes)

    def open(self) -> BinaryIO:
        """Open the file for reading; the file object can seek.  Raise MissingFile or UnreadableFile."""
        return self._access(filesystem.open_binary)

    def _access(self, function: Callable[[str], Result]) -> Result:
        try:
            return function(self.url)
        except FileNotFoundError as error:
            raise MissingFile(self.url) from error
        except PermissionError as error:
            raise UnreadableFile(self.url, "This user may not read it.") from error


def digest_of(files: Iterable[SourceFile]) -> str:
    """Return a digest of files in their current state, whatever their order."""
    identities = sorted(f"{file.url}\0{file.size}\0{file.modified}" for file in files)
    return blake2b("\0".join(identities).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


# The errors of reading a broken compressed file; EOFError if its end is missing.
BROKEN = (OSError, EOFError, zlib.error)


def is_compressed(file: SourceFile) -> bool:
    """Whether a file is compressed, by its name."""
    return file.name.lower().endswith((*_DECOMPRESSORS, *_HADOOP_ONLY))


def open_text(file: SourceFile) -> BinaryIO:
    """Open a file, decompressed, for reading from its beginning to its end; reading may raise one of ``BROKEN``."""
    name = file.name.lower()
    if name.endswith(_HADOOP_ONLY):
        raise UnreadableFile(file.url, "only Hadoop reads its compression. Use .gz, .bz2, .deflate or .zst.")
    for extension, decompress in _DECOMPRESSORS.items():
        if name.endswith(extension):
            return decompress(file.open())
    return file.open()


def read_text(file: SourceFile) -> bytes:
    """Return the whole content of a file, decompressed; raise MissingFile or UnreadableFile."""
    if not is_compressed(file):
        return file.read_bytes()
    with unreadable_if_broken(file), open_text(file) as stream:
        return stream.read()


@contextmanager
def unreadable_if_broken(file: SourceFile) -> Iterator[None]:
    """Raise UnreadableFile for the errors of reading a broken file."""
    try:
        yield
    except BROKEN as error:
        raise UnreadableFile(file.url, f"it cannot be read to its end ({error}).") from error


def _open_gzip(raw: BinaryIO) -> BinaryIO:
    import gzip

    return cast(BinaryIO, gzip.GzipFile(fileobj=raw))


def _open_bzip2(raw: BinaryIO) -> BinaryIO:
    import bz2

    return cast(BinaryIO, bz2.BZ2File(raw))


def _open_zstandard(raw: BinaryIO) -> BinaryIO:
    import pyarrow

    return cast(BinaryIO, io.BufferedReader(pyarrow.CompressedInputStream(raw, "zstd"), _BUFFER))


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


_DECOMPRESSORS: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    ".gz": _open_gzip,
    ".bz2": _open_bzip2,
    ".zst": _open_zstandard,
    ".deflate": lambda raw: cast(BinaryIO, io.BufferedReader(_Deflate(raw), _BUFFER)),
}
