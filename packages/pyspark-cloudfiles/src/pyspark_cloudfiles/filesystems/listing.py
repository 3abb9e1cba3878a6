"""The recursive listing of a local directory, with as few system calls as possible.

A directory is listed with one ``scandir``; only wanted files cost a ``stat``.  Real directories are listed first, then
the targets of links in the order of their URLs, unless they were listed already, by device and inode.  So a file that
is reachable without a link has only that URL, each file is found once, and cycles end.

What fails for a moment, as file systems over a network do, is tried again (:mod:`.retries`).

A repeated listing can be given a :class:`ListingCache`, and then skips directories that have not changed.

File names often begin with a date or a growing number, and a store lists names in their order.  New files then come
last, and a listing that begins after the last known name is short, however many files there are.  Full listings show
whether names grow.  As on Databricks, every eighth listing is a full one, which finds files with names in between.
"""

from __future__ import annotations

import errno
import heapq
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from pyspark_cloudfiles.errors import PathNotFound
from pyspark_cloudfiles.filesystems.retries import tried_again

SHORT_IN_A_ROW = 7


@dataclass
class _SeenNames:
    """The state of a directory: its last name, whether new names came after it, and the number of short listings."""

    last: str = ""
    grew: bool = False
    short: int = 0


class IncrementalListing:
    """Decides from earlier listings of a store whether the next one can be short.

    Parameters
    ----------
    choice : str
        ``true``: list what comes after the last name; ``auto``: only if all new names came after it last time;
        ``false``: always list everything.
    """

    def __init__(self, choice: str = "auto") -> None:
        self._choice = choice
        self._seen: dict[str, _SeenNames] = {}

    def after(self, root: str) -> str | None:
        """Return the URL after which to list a directory; None to list everything."""
        seen = self._seen.get(root)
        if seen is None or not seen.last or self._choice == "false" or seen.short >= SHORT_IN_A_ROW:
            return None
        return seen.last if seen.grew or self._choice == "true" else None

    def listed(self, root: str, after: str | None, last: str, first_new: str | None) -> None:
        """Note a listing that is complete.

        Parameters
        ----------
        after : str or None
            The URL after which it began.
        last : str
            The last URL of all that there are, empty where there is none.
        first_new : str or None
            The first of those that were new.
        """
        seen = self._seen.setdefault(root, _SeenNames())
        if after is not None:
            seen.short += 1
        else:
            seen.short = 0
            if first_new is not None:
                seen.grew = bool(seen.last) and first_new > seen.last
        seen.last = max(seen.last, last)


# A clock that says when a directory was changed may count in steps: of two seconds on FAT, of milliseconds on most.
COARSEST_CLOCK = 3.0
# There are file systems that do not note when a directory was changed. What lands there is found this much later.
LONGEST_TRUST = 60.0

Enter = Callable[[str], bool]
Wanted = Callable[[list[str]], list[str]]


@dataclass
class _Listing:
    """The entries of a directory; ``odd``: one may become a file without a change of the directory's time."""

    files: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    odd: bool = False


@dataclass
class _KnownDirectory:
    """A directory as it was: its identity and time, since when it is so, when it was listed, and what is below."""

    state: tuple[int, int, int]
    since: float
    listed: float
    settled: bool
    directories: list[str]
    links: list[str]


class ListingCache:
    """What earlier listings have found, so that the next one can skip directories that have not changed.

    A directory is skipped if its modification time is that of an earlier listing which found nothing wanted in it, and
    which came so long after that time was first seen that a coarse clock cannot hide a change; and not forever.  Our
    own clock is never compared with the file system's, which may be that of another machine.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, _KnownDirectory] = {}

    def unchanged(self, path: str, state: tuple[int, int, int]) -> _Listing | None:
        """Return what is below a directory, without its files, where nothing can have changed; else None."""
        known = self._known.get(path)
        if known is None or known.state != state or not known.settled:
            return None
        if self._clock() - known.listed > LONGEST_TRUST:
            return None
        return _Listing([], known.directories, known.links)

    def note(self, path: str, state: tuple[int, int, int], began: float, listing: _Listing, wanted: int) -> None:
        """Keep what a listing has found that was begun at ``began`` by :meth:`now`."""
        before = self._known.get(path)
        since = before.since if before is not None and before.state == state else began
        settled = not wanted and not listing.odd and began - since >= COARSEST_CLOCK
        self._known[path] = _KnownDirectory(state, since, began, settled, listing.directories, listing.links)

    def now(self) -> float:
        """Return the time of the clock that listings are noted by."""
        return self._clock()


def list_files(
    path: str, url: str, enter: Enter, wanted: Wanted | None = None, listings: ListingCache | None = None
) -> Iterator[tuple[str, int, int]]:
    """Yield (URL, bytes, microseconds) of the files below a directory, whose own URL is ``url``.

    What vanishes while it is listed is passed over, and so are names that are not valid UTF-8, which no Spark path can
    spell, and links that lead nowhere.

    Parameters
    ----------
    enter : callable
        Takes the URL of a directory, and returns whether to list it.
    wanted : callable, optional
        Takes the URLs of a directory's files, and returns the wanted ones; by default all.
    listings : ListingCache, optional
        Of earlier listings of the same path, with the same ``enter``, whose results the caller has kept.

    Raises
    ------
    PathNotFound
        A directory cannot be listed, or a file not be looked at.
    ListingFailed
        The file system kept failing.
    """
    directories, links = [(url, path, False)], []
    entered: set[tuple[int, int]] = set()
    while directories or links:
        url, path, linked = directories.pop() if directories else heapq.heappop(links)
        try:
            status = tried_again(url, partial(os.stat, path))
            # Only where a link was followed: there are file systems that number different directories alike.
            if linked and (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            state = (status.st_dev, status.st_ino, status.st_mtime_ns)
            listing = listings.unchanged(path, state) if listings else None
            if listing is None:
                began = listings.now() if listings else 0.0
                listing = tried_again(url, partial(_list, path))
                found = _urls(url, listing.files)
                chosen = found if wanted is None or not found else wanted(found)
                if listings:
                    listings.note(path, state, began, listing, len(chosen))
                yield from _with_status(path, url, chosen)
        except OSError as error:
            _pass_over_or_raise(error, url)
            continue
        directories += _below(path, url, listing.directories, enter, linked)
        for link in _below(path, url, listing.links, enter, True):
            heapq.heappush(links, link)


def _list(path: str) -> _Listing:
    listing = _Listing()
    with os.scandir(path) as entries:
        for entry in entries:
            if not _can_be_spelled(entry.name):
                continue
            if entry.is_symlink():
                _follow(entry, listing)
            elif entry.is_dir():
                listing.directories.append(entry.name)
            elif entry.is_file():
                listing.files.append(entry.name)
    return listing


def _follow(entry: os.DirEntry[str], listing: _Listing) -> None:
    try:
        if entry.is_dir():
            listing.links.append(entry.name)
        elif entry.is_file():
            listing.files.append(entry.name)
        else:
            listing.odd = True  # what it leads to may come
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        listing.odd = True


def _urls(url: str, names: list[str]) -> list[str]:
    prefix = url.rstrip("/") + "/"
    return [prefix + name for name in names]


def _below(path: str, url: str, names: list[str], enter: Enter, linked: bool) -> list[tuple[str, str, bool]]:
    prefix = url.rstrip("/") + "/"
    return [(prefix + name, f"{path}{os.sep}{name}", linked) for name in names if enter(prefix + name)]


def _with_status(path: str, url: str, urls: list[str]) -> Iterator[tuple[str, int, int]]:
    inside = len(url.rstrip("/")) + 1
    for file in urls:
        try:
            status = tried_again(file, partial(os.stat, f"{path}{os.sep}{file[inside:]}"))
        except OSError as error:
            _pass_over_or_raise(error, file)
        else:
            yield file, status.st_size, status.st_mtime_ns // 1000


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
