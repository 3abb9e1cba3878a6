"""The discovery of files at the source path.

The path is a directory, of which everything below is read; or a file; or a glob.  Names that Spark skips, because they
are still being written or are not data, are skipped here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.filesystems import filesystem, globs
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache, retry
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.values import times

Filter = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class KnownFiles:
    """The state of repeated discoveries: a filter for unknown URLs, and the earlier listings."""

    filter_new: Filter
    listings: ListingCache
    incremental: IncrementalListing


def parse_timestamp(text: str, timezone: str = "UTC") -> int:
    """Return the microseconds since the epoch of ``modifiedAfter`` or ``modifiedBefore``."""
    try:
        return times.timestamp(text, times.find_zone(timezone))
    except ValueError as error:
        raise InvalidOption(
            f"modifiedAfter or modifiedBefore is {text!r}, which is not a timestamp ({error}). Write one like "
            "2020-06-01T13:00:00."
        ) from error


def is_hidden(name: str) -> bool:
    """Whether Spark's readers skip a file or a directory by its name."""
    if name.startswith(("_common_metadata", "_metadata")):
        return False
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def discover_files(options: Options, known: KnownFiles | None = None) -> Iterator[SourceFile]:
    bounds = (options.modified_after, options.modified_before)
    after, before = (parse_timestamp(text, options.timezone) if text else None for text in bounds)
    return discover(options.path, known, options.strict_globber, options.path_glob_filter, after, before)


def discover(
    root_url: str,
    known: KnownFiles | None = None,
    strict_glob: bool = False,
    path_glob_filter: str | None = None,
    modified_after_us: int | None = None,
    modified_before_us: int | None = None,
) -> Iterator[SourceFile]:
    """Yield the files of a source path, in no order, each once; raise PathNotFound, or InvalidOption for a broken glob.

    Files that are ``known`` are left out, even if they have changed.  With ``strict_glob``, a ``*`` in the path stays
    inside one directory, as Spark's does; Auto Loader's own may cross them, and its globs are the beginning of paths.
    """
    root = filesystem.canonical(root_url)
    is_timed = modified_after_us is not None or modified_before_us is not None
    # A file's own time may change, and let it in, without its directory's, so then nothing is remembered.
    wanted = _WantedFiles(path_glob_filter, known, None if is_timed else known)
    for url, size, modified in _below_glob(root, strict_glob, wanted) if globs.is_glob(root) else _below(root, wanted):
        time = modified // 1000 * 1000  # Spark compares whole milliseconds
        if (modified_after_us is None or time > modified_after_us) and (
            modified_before_us is None or time < modified_before_us
        ):
            yield SourceFile(url, size, modified)


class _WantedFiles:
    """Selects files of a listing by their names, and keeps the earlier listings."""

    def __init__(self, glob: str | None, known: KnownFiles | None, listed: KnownFiles | None) -> None:
        self._name = None if glob is None else globs.name_filter(glob)
        self._known = known
        self.listings = None if listed is None else listed.listings
        self.incremental = None if listed is None else listed.incremental

    def __call__(self, urls: list[str]) -> list[str]:
        wanted = [url for url in urls if self._has_wanted_name(url[url.rfind("/") + 1 :])]
        return wanted if self._known is None or not wanted else self._known.filter_new(wanted)

    def _has_wanted_name(self, name: str) -> bool:
        if (name[0] in "_." or name.endswith("._COPYING_")) and is_hidden(name):
            return False
        return self._name is None or self._name.fullmatch(name) is not None


def _below(root: str, wanted: _WantedFiles) -> Iterator[tuple[str, int, int]]:
    if filesystem.is_directory(root):
        yield from filesystem.list_files(root, _can_enter, wanted, wanted.listings, wanted.incremental)
        return
    try:
        found = (root, *retry(root, partial(filesystem.file_status, root)))
    except (FileNotFoundError, NotADirectoryError):
        raise _not_found(root) from None
    except PermissionError as error:
        raise PathNotFound(f"{root} cannot be read: {error.strerror}. Make it readable.") from error
    if wanted([root]):
        yield found


def _below_glob(path: str, strict: bool, wanted: _WantedFiles) -> Iterator[tuple[str, int, int]]:
    """Yield the files that match; if braces span directories, several globs may match the same file."""
    patterns = globs.path_globs(path, strict)
    bases = [pattern for pattern in patterns if filesystem.is_directory(pattern.base)]
    if not bases:
        # A directory may be named with brackets, which match nothing as a glob.
        if not filesystem.exists(path):
            raise _not_found(patterns[0].base)
        yield from _below(path, wanted)
    seen: set[str] | None = set() if len(bases) > 1 else None
    # Several globs may cover the same directories, and each must list them, so their listings are not remembered.
    listings, incremental = (wanted.listings, wanted.incremental) if len(bases) == 1 else (None, None)

    def select(pattern: globs.PathGlob, urls: list[str]) -> list[str]:
        chosen = [url for url in wanted(urls) if pattern.matches(url) and (seen is None or url not in seen)]
        if seen is not None:
            seen.update(chosen)
        return chosen

    def can_enter(pattern: globs.PathGlob, directory: str) -> bool:
        return _can_enter(directory) and pattern.may_contain(directory)

    for pattern in bases:
        enter, chosen = partial(can_enter, pattern), partial(select, pattern)
        yield from filesystem.list_files(pattern.base, enter, chosen, listings, incremental)


def _can_enter(directory: str) -> bool:
    return not is_hidden(directory[directory.rfind("/") + 1 :])


def _not_found(url: str) -> PathNotFound:
    return PathNotFound(f"{url} does not exist. Create the directory, or correct the path that load() is given.")
