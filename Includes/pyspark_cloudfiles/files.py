"""A discovered file: where it is and what it was like when it was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO, NamedTuple, TypeVar

from pyspark_cloudfiles import filesystem
from pyspark_cloudfiles.errors import MissingFile, UnreadableFile

T = TypeVar("T")


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
    """

    url: str
    size: int
    modified: int

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

    def _told(self, access: Callable[[str], T]) -> T:
        """Access it, and say of an error which file it was."""
        try:
            return access(self.url)
        except FileNotFoundError as error:
            raise MissingFile(self.url) from error
        except PermissionError as error:
            raise UnreadableFile(self.url, "This user may not read it.") from error
