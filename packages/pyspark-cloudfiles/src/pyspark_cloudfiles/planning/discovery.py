"""The discovery of files at the source path.

The path is a directory, of which everything below is read; or a file; or a glob.  Names that Spark passes over are
passed over here: whatever is being written, or is not data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.filesystems import filesystem, globs
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache
from pyspark_cloudfiles.filesystems.retries import tried_again
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.values import times


@dataclass(frozen=True)
class DiscoveryOptions:
    """Which of the files at a path are wanted.

    Parameters
    ----------
    strict_glob : bool
        Whether a ``*`` in the path stays inside one directory, as Spark's does; Auto Loader's own may cross them, and
        then a glob is the beginning of paths.
    path_glob_filter : str or None
        A glob for the names of files.
    modified_after_us, modified_before_us : int or None
        Microseconds since the epoch; the moment itself is outside.
    """

    strict_glob: bool = False
    path_glob_filter: str | None = None
    modified_after_us: int | None = None
    modified_before_us: int | None = None


def parse_timestamp(text: str, timezone: str = "UTC") -> int:
    """Return what ``modifiedAfter`` or ``modifiedBefore`` says, as microseconds since the epoch.

    Raises
    ------
    InvalidOption
        It is no timestamp.
    """
    try:
        return times.timestamp(text, times.zone_named(timezone))
    except ValueError as error:
        raise InvalidOption(
            f"modifiedAfter or modifiedBefore is {text!r}, which is no timestamp ({error}). Write one like "
            "2020-06-01T13:00:00."
        ) from error


def is_passed_over(name: str) -> bool:
    """Tell whether the name of a file or a directory is one that Spark's readers do not look at."""
    if name.startswith(("_common_metadata", "_metadata")):
        return False
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


@dataclass(frozen=True)
class KnownFiles:
    """The state of repeated discoveries: known files, and earlier listings.

    Parameters
    ----------
    new : callable
        Takes URLs, and returns those that are not known.
    listings : ListingCache
        Of local directories.
    incremental : IncrementalListing
        Of stores.
    """

    new: Callable[[list[str]], list[str]]
    listings: ListingCache
    incremental: IncrementalListing


def discover_files(options: Options, known: KnownFiles | None = None) -> Iterator[SourceFile]:
    """Yield the files of a stream that are there now, without those that are known."""
    timezone = options.timezone or times.local_timezone()
    bounds = (options.modified_after, options.modified_before)
    after, before = (parse_timestamp(text, timezone) if text else None for text in bounds)
    wanted = DiscoveryOptions(
        strict_glob=options.strict_globber,
        path_glob_filter=options.path_glob_filter,
        modified_after_us=after,
        modified_before_us=before,
    )
    return discover(options.path, wanted, known)


def discover(
    root_url: str, options: DiscoveryOptions | None = None, known: KnownFiles | None = None
) -> Iterator[SourceFile]:
    """Yield the files of a source path, in no order, each once.

    Parameters
    ----------
    known : KnownFiles, optional
        Files to leave out. Changes of known files are not noticed.

    Raises
    ------
    PathNotFound
        The path, or the directory that its glob begins with, does not exist or cannot be listed.
    InvalidOption
        A glob is not valid.
    """
    options = options or DiscoveryOptions()
    root = filesystem.canonical(root_url)
    wanted_files = _WantedFiles(options, known)
    is_glob = globs.is_glob(root)
    found = _below_glob(root, options.strict_glob, wanted_files) if is_glob else _below(root, wanted_files)
    in_time = _time_filter(options)
    for url, size, modified in found:
        if in_time is None or in_time(modified):
            yield SourceFile(url, size, modified)


class _WantedFiles:
    """Selects files of a listing by their names, and knows the earlier listings."""

    def __init__(self, options: DiscoveryOptions, known: KnownFiles | None) -> None:
        glob = options.path_glob_filter
        self._name = None if glob is None else globs.name_filter(glob)
        self._known = known
        # A file's own time may change, and let it in, without its directory's.
        timed = options.modified_after_us is not None or options.modified_before_us is not None
        self.listings = None if known is None or timed else known.listings
        self.incremental = None if known is None or timed else known.incremental

    def __call__(self, urls: list[str]) -> list[str]:
        named = [url for url in urls if self._is_named(url[url.rfind("/") + 1 :])]
        return named if self._known is None or not named else self._known.new(named)

    def _is_named(self, name: str) -> bool:
        if (name[0] in "_." or name.endswith("._COPYING_")) and is_passed_over(name):
            return False
        return self._name is None or self._name.fullmatch(name) is not None

    def matching(self, matches: Callable[[str], bool], seen: set[str] | None) -> Callable[[list[str]], list[str]]:
        """Return the same for those that a glob matches, each only once among several globs."""

        def wanted(urls: list[str]) -> list[str]:
            chosen = [url for url in self(urls) if matches(url) and (seen is None or url not in seen)]
            if seen is not None:
                seen.update(chosen)
            return chosen

        return wanted


def _below(root: str, wanted_files: _WantedFiles) -> Iterator[tuple[str, int, int]]:
    if filesystem.is_directory(root):
        yield from filesystem.list_files(root, _enters, wanted_files, wanted_files.listings, wanted_files.incremental)
        return
    try:
        found = (root, *tried_again(root, partial(filesystem.modified, root)))
    except (FileNotFoundError, NotADirectoryError):
        raise _not_found(root) from None
    except PermissionError as error:
        raise PathNotFound(f"{root} cannot be looked at: {error.strerror}. Make it readable.") from error
    if wanted_files([root]):
        yield found


def _below_glob(path: str, strict: bool, wanted_files: _WantedFiles) -> Iterator[tuple[str, int, int]]:
    """Yield what matches; where braces span directories, several globs may match the same file."""
    patterns = globs.path_globs(path, strict)
    bases = [pattern for pattern in patterns if filesystem.is_directory(pattern.base)]
    if not bases:
        yield from _literally(path, patterns[0].base, wanted_files)
    seen: set[str] | None = set() if len(bases) > 1 else None
    # Of several globs over the same directories one has entered what another must, so that each lists again.
    listings, incremental = (wanted_files.listings, wanted_files.incremental) if len(bases) == 1 else (None, None)
    for pattern in bases:
        wanted = wanted_files.matching(pattern.matches, seen)
        yield from filesystem.list_files(pattern.base, _entering(pattern), wanted, listings, incremental)


def _literally(path: str, base: str, wanted_files: _WantedFiles) -> Iterator[tuple[str, int, int]]:
    """Take a glob at its word where it can match nothing: a directory may be named with brackets."""
    if not filesystem.exists(path):
        raise _not_found(base)
    yield from _below(path, wanted_files)


def _entering(pattern: globs.PathGlob) -> Callable[[str], bool]:
    return lambda directory: _enters(directory) and pattern.may_contain(directory)


def _enters(directory: str) -> bool:
    return not is_passed_over(directory[directory.rfind("/") + 1 :])


def _time_filter(options: DiscoveryOptions) -> Callable[[int], bool] | None:
    """Return whether a file of a time passes the options, or None where all do; Spark compares whole milliseconds."""
    after, before = options.modified_after_us, options.modified_before_us
    if after is None and before is None:
        return None

    def in_time(modified: int) -> bool:
        time = modified // 1000 * 1000
        return (after is None or time > after) and (before is None or time < before)

    return in_time


def _not_found(url: str) -> PathNotFound:
    return PathNotFound(f"{url} does not exist. Create the directory, or correct the path that load() is given.")
