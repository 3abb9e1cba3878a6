"""The recursive listing of a local directory, the state of repeated listings, and retries of listings.

A directory is listed with one ``scandir``; only wanted files cost a ``stat``.  Real directories are listed first, then
the targets of links in the order of their URLs, unless they were listed already, by device and inode.  So a file that
is reachable without a link has only that URL, each file is found once, and cycles end.

A listing is retried after momentary errors, with pauses of random length that double (full jitter), so that many
readers of one store do not return together.

A store lists names in their order, and file names often begin with a date or a growing number.  New files then come
last, and a listing that begins after the last known name is short.  Full listings show whether names grow.  As on
Databricks, every eighth listing is a full one, which finds files with names in between.
"""

from __future__ import annotations

import errno
import heapq
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from pyspark_cloudfiles.errors import ListingFailed, PathNotFound

Result = TypeVar("Result")
# A store that is down for longer since the last progress of a listing needs an operator.
RETRY_TIMEOUT = 60.0  # seconds
FIRST_PAUSE, PAUSE_LIMIT = 0.2, 10.0

_NAMES = (
    "ESTALE EIO EREMOTEIO ETIMEDOUT EAGAIN EBUSY EINTR ECONNRESET ECONNREFUSED ECONNABORTED EPIPE EHOSTUNREACH "
    "EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET ENOTCONN"
)
_ERRNOS = {getattr(errno, name) for name in _NAMES.split() if hasattr(errno, name)}  # no system has all
# obstore and pyarrow have a store's response in the text of their errors only.
_STATUS = re.compile(r"status(?: code:?)? (\d{3})\b", re.IGNORECASE)
_TEXTS = re.compile(
    r"HTTP error: |AWS Error (?:SLOW_DOWN|THROTTLING|NETWORK_CONNECTION|"
    r"INTERNAL_FAILURE|SERVICE_UNAVAILABLE|REQUEST_TIMEOUT)|SlowDown|timed out|connection reset",
    re.IGNORECASE,
)


class Attempts:
    """The attempts at one listing, with pauses and a timeout."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.restart()

    def restart(self) -> None:
        self._began, self._failed = time.monotonic(), 0

    def wait_or_raise(self, error: Exception) -> None:
        """Wait before the next attempt; raise an error that is not momentary, and ListingFailed after the timeout."""
        if not is_momentary(error):
            raise error
        self._failed += 1
        seconds = time.monotonic() - self._began
        if seconds >= RETRY_TIMEOUT:
            reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
            raise ListingFailed(self._url, self._failed, seconds, reason) from error
        longest = min(PAUSE_LIMIT, FIRST_PAUSE * 2**self._failed)
        time.sleep(min(random.uniform(0.0, longest), RETRY_TIMEOUT - seconds))


def retry(url: str, listing: Callable[[], Result]) -> Result:
    """Return the result of a listing, retried after momentary errors; raise ListingFailed after the timeout."""
    attempts = Attempts(url)
    while True:
        try:
            return listing()
        except Exception as error:
            attempts.wait_or_raise(error)


def is_momentary(error: Exception) -> bool:
    """Whether another attempt may succeed after an error."""
    if isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
        return False
    if isinstance(error, TimeoutError | ConnectionError):
        return True
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in _ERRNOS
    if status := _STATUS.search(str(error)):
        return int(status[1]) in (408, 429) or 500 <= int(status[1]) < 600
    return _TEXTS.search(str(error)) is not None


SHORT_LISTINGS_LIMIT = 7


@dataclass
class _SeenNames:
    """A directory's last name, whether its new names came after it, and its number of short listings in a row."""

    last: str = ""
    has_grown: bool = False
    short: int = 0


class IncrementalListing:
    """Decides from earlier listings of a store whether the next one can be short.

    With the choice ``true``, a listing begins after the last name; with ``auto``, only if all new names came after it
    last time; with ``false``, never.
    """

    def __init__(self, choice: str = "auto") -> None:
        self._choice = choice
        self._seen: dict[str, _SeenNames] = {}

    def offset(self, root: str) -> str | None:
        """Return the URL after which to list a directory; None to list everything."""
        seen = self._seen.get(root)
        if seen is None or not seen.last or self._choice == "false" or seen.short >= SHORT_LISTINGS_LIMIT:
            return None
        return seen.last if seen.has_grown or self._choice == "true" else None

    def record(self, root: str, offset: str | None, last: str, first_new: str | None) -> None:
        """Record a complete listing: its offset, the last of all URLs, or "", and the first of the new ones."""
        seen = self._seen.setdefault(root, _SeenNames())
        if offset is not None:
            seen.short += 1
        else:
            seen.short = 0
            if first_new is not None:
                seen.has_grown = bool(seen.last) and first_new > seen.last
        seen.last = max(seen.last, last)


# The clock of a directory's modification time may tick every two seconds, as on FAT; mostly it is milliseconds.
COARSEST_CLOCK = 3.0
# Some file systems do not record when a directory changed; new files there are found this much later.
TRUST_LIMIT = 60.0


@dataclass
class _Listing:
    """The entries of a directory; ``odd`` ones may become files without a change of the directory's time."""

    files: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    odd: bool = False


@dataclass
class _KnownDirectory:
    """The state of a directory (device, inode, time), since when it is so, its last listing, and its directories."""

    state: tuple[int, int, int]
    since: float
    listed: float
    settled: bool
    directories: list[str]
    links: list[str]


class ListingCache:
    """The directories of earlier listings, so that the next one can skip those that have not changed.

    A directory is skipped if its modification time is that of an earlier listing which found nothing wanted in it, and
    which came so long after that time was first seen that a coarse clock cannot hide a change; and for ``TRUST_LIMIT``
    at most.  Our own clock is never compared with the file system's, which may be that of another machine.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._known: dict[str, _KnownDirectory] = {}

    def unchanged(self, path: str, state: tuple[int, int, int]) -> _Listing | None:
        """Return the directories in a directory that cannot have changed, without its files."""
        known = self._known.get(path)
        if known is None or known.state != state or not known.settled:
            return None
        if self.clock() - known.listed > TRUST_LIMIT:
            return None
        return _Listing([], known.directories, known.links)

    def record(self, path: str, state: tuple[int, int, int], began: float, listing: _Listing, wanted: int) -> None:
        """Record a listing that began at a time of the clock, and its number of wanted files."""
        before = self._known.get(path)
        since = before.since if before is not None and before.state == state else began
        settled = not wanted and not listing.odd and began - since >= COARSEST_CLOCK
        self._known[path] = _KnownDirectory(state, since, began, settled, listing.directories, listing.links)


def list_files(
    path: str,
    url: str,
    enter: Callable[[str], bool],
    wanted: Callable[[list[str]], list[str]] | None = None,
    listings: ListingCache | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds) of the files below a directory; see :func:`.filesystem.list_files`.

    The caller keeps the results of earlier ``listings``, which had the same ``enter``.
    """
    directories, links = [(url, path, False)], []
    entered: set[tuple[int, int]] = set()
    while directories or links:
        url, path, linked = directories.pop() if directories else heapq.heappop(links)
        try:
            status = retry(url, partial(os.stat, path))
            # Only after a link: some file systems number different directories alike.
            if linked and (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            state = (status.st_dev, status.st_ino, status.st_mtime_ns)
            listing = listings.unchanged(path, state) if listings else None
            if listing is None:
                began = listings.clock() if listings else 0.0
                listing = retry(url, partial(_list_directory, path))
                found = [f"{url.rstrip('/')}/{name}" for name in listing.files]
                chosen = found if wanted is None or not found else wanted(found)
                if listings:
                    listings.record(path, state, began, listing, len(chosen))
                yield from _with_status(path, url, chosen)
        except OSError as error:
            _skip_or_raise(error, url)
            continue
        directories += _subdirectories(path, url, listing.directories, enter, linked)
        for link in _subdirectories(path, url, listing.links, enter, True):
            heapq.heappush(links, link)


def _list_directory(path: str) -> _Listing:
    listing = _Listing()
    with os.scandir(path) as entries:
        for entry in entries:
            name = entry.name
            if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
                continue  # not UTF-8, which Spark cannot spell
            if not entry.is_symlink():
                if entry.is_dir():
                    listing.directories.append(name)
                elif entry.is_file():
                    listing.files.append(name)
                continue
            try:
                if entry.is_dir():
                    listing.links.append(name)
                elif entry.is_file():
                    listing.files.append(name)
                else:
                    listing.odd = True  # its target may be created later
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
                listing.odd = True
    return listing


def _subdirectories(
    path: str, url: str, names: list[str], enter: Callable[[str], bool], linked: bool
) -> list[tuple[str, str, bool]]:
    prefix = url.rstrip("/") + "/"
    return [(prefix + name, f"{path}{os.sep}{name}", linked) for name in names if enter(prefix + name)]


def _with_status(path: str, url: str, urls: list[str]) -> Iterator[tuple[str, int, int]]:
    inside = len(url.rstrip("/")) + 1
    for file in urls:
        try:
            status = retry(file, partial(os.stat, f"{path}{os.sep}{file[inside:]}"))
        except OSError as error:
            _skip_or_raise(error, file)
        else:
            yield file, status.st_size, status.st_mtime_ns // 1000


def _skip_or_raise(error: OSError, url: str) -> None:
    # It vanished, was replaced by another kind of file, or is a link to itself.
    if isinstance(error, FileNotFoundError | NotADirectoryError) or error.errno == errno.ELOOP:
        return
    raise PathNotFound(
        f"{url} cannot be listed: {error.strerror}. Make it readable to the user that runs Spark, or move it out of "
        "the source directory."
    ) from error
