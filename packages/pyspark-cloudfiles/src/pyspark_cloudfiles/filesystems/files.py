"""A source file, or a part of one: its URL, size and modification time when it was discovered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import BinaryIO, NamedTuple, TypeVar

from pyspark_cloudfiles.errors import MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem

Result = TypeVar("Result")
# Less of a file is not worth opening it once more; what comes before the rows of a file is found in as much.
SMALLEST_PART = 1024**2


class SourceFile(NamedTuple):
    """A file that the stream is to read.

    Parameters
    ----------
    url : str
        Where it is, as Spark's own readers spell it in ``_metadata.file_path``, but with plain characters instead of
        percent escapes.
    size : int
        Bytes, when it was discovered.
    modified : int
        When it had last been changed, microseconds since the epoch.
    start : int
        Where the part begins that is to be read, in bytes; a line is of the part in which its first byte is.
    last : int or None
        Where that part ends; None: where the file does, also if it has grown since.
    """

    url: str
    size: int
    modified: int
    start: int = 0
    last: int | None = None

    @property
    def end(self) -> int:
        """Where its bytes end, as far as is known."""
        return self.size if self.last is None else self.last

    @property
    def is_part(self) -> bool:
        """Whether it is less than a file."""
        return self.start > 0 or self.last is not None

    def part(self, start: int, end: int) -> SourceFile:
        """Return some of its bytes."""
        return self._replace(start=start, last=None if end >= self.size else end)

    def whole(self) -> SourceFile:
        """Return the file that it is a part of."""
        return self._replace(start=0, last=None)

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.url.rsplit("/", 1)[-1]

    def read_bytes(self) -> bytes:
        """Return the whole content.

        Raises
        ------
        MissingFile, UnreadableFile
            It is gone; it may not be read.
        """
        return self._told(filesystem.read_bytes)

    def open(self) -> BinaryIO:
        """Open it for reading; the file object can seek.

        Raises
        ------
        MissingFile, UnreadableFile
            It is gone; it may not be read.
        """
        return self._told(filesystem.open_binary)

    def _told(self, access: Callable[[str], Result]) -> Result:
        """Access it, and say of an error which file it was."""
        try:
            return access(self.url)
        except FileNotFoundError as error:
            raise MissingFile(self.url) from error
        except PermissionError as error:
            raise UnreadableFile(self.url, "This user may not read it.") from error


def digest_of(files: Iterable[SourceFile]) -> str:
    """Return what tells files, as they are, from others; their order does not matter."""
    identities = sorted(f"{file.url}\0{file.size}\0{file.modified}" for file in files)
    return blake2b("\0".join(identities).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
