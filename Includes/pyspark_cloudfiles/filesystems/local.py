"""Files of this machine, by their path.

Listing is one ``scandir`` per directory, without recursion and without following a link in circles.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from pyspark_cloudfiles.errors import PathNotFound

_BUFFER = 256 * 1024


def read_bytes(path: str) -> bytes:
    """Return the whole content of a file."""
    with io.FileIO(path) as file:
        return file.readall()


def open_binary(path: str) -> BinaryIO:
    """Open a file for reading."""
    return io.BufferedReader(io.FileIO(path), _BUFFER)


def names(path: str) -> list[str]:
    """Return the names in a directory; none where there is no directory."""
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []


def modified(path: str) -> tuple[int, int]:
    """Return bytes, and microseconds since the epoch."""
    return _size_and_time(Path(path).stat())


def walk(path: str, url: str, enter: Callable[[str], bool]) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds) of every file below a directory, whose own URL is ``url``.

    Links are followed, except to a directory that the walk is in.  What vanishes while it is listed is passed over,
    and so are names that are not valid UTF-8: no Spark path can spell them.

    Parameters
    ----------
    enter : callable
        Told the URL of each directory; whether to list it.

    Raises
    ------
    PathNotFound
        A directory cannot be listed, or a file not be looked at.
    """
    stack = [_Directory(path, url, os.path.realpath(path), ())]
    while stack:
        directory = stack.pop()
        prefix = directory.url.rstrip("/") + "/"
        try:
            with os.scandir(directory.path) as entries:
                for entry in entries:
                    if not _can_be_spelled(entry.name):
                        continue
                    try:
                        if entry.is_dir():
                            below = directory.child(entry)
                            if below is not None and enter(below.url):
                                stack.append(below)
                        elif entry.is_file():
                            size, time = _size_and_time(entry.stat())
                            yield prefix + entry.name, size, time
                    except OSError as error:
                        _pass_over_or_raise(error, prefix + entry.name)
        except OSError as error:
            _pass_over_or_raise(error, directory.url)


class _Directory:
    """A directory that is still to be listed.

    ``real`` is its path without links, ``trail`` the real directories in which links were followed to get here.
    """

    __slots__ = ("path", "real", "trail", "url")

    def __init__(self, path: str, url: str, real: str, trail: tuple[str, ...]) -> None:
        self.path, self.url, self.real, self.trail = path, url, real, trail

    def child(self, entry: os.DirEntry[str]) -> _Directory | None:
        """Return the directory that an entry is, or None where it leads back to where the walk came from."""
        url = f"{self.url.rstrip('/')}/{entry.name}"
        if not entry.is_symlink():
            return _Directory(entry.path, url, f"{self.real.rstrip('/')}/{entry.name}", self.trail)
        target = os.path.realpath(entry.path)
        trail = (*self.trail, self.real)
        if any(f"{real}/".startswith(f"{target.rstrip('/')}/") for real in trail):
            return None
        return _Directory(entry.path, url, target, trail)


def _pass_over_or_raise(error: OSError, url: str) -> None:
    # It vanished, is another thing by now, or is a link to itself.
    if isinstance(error, FileNotFoundError | NotADirectoryError) or error.errno == errno.ELOOP:
        return
    raise PathNotFound(
        f"{url} cannot be listed: {error.strerror}. Make it readable to the user that runs Spark, or move it out of "
        "the source directory."
    ) from error


def _can_be_spelled(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def _size_and_time(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns // 1000
