"""Which files are at the source path of a stream.

The path is a directory, of which everything below is read; or a file; or a glob.  Names that Spark passes over are
passed over here: whatever is being written, or is not data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyspark_cloudfiles import filesystem, globs, times
from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.files import SourceFile


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


def discover(root_url: str, options: DiscoveryOptions | None = None) -> Iterator[SourceFile]:
    """Yield the files of a source path, in no order, each once.

    Raises
    ------
    PathNotFound
        The path, or the directory that its glob begins with, does not exist or cannot be listed.
    InvalidOption
        A glob is not valid.
    """
    options = options or DiscoveryOptions()
    root = filesystem.canonical(root_url)
    found = _below_glob(root, options.strict_glob) if globs.is_glob(root) else _below(root)
    wanted = _filter(options)
    for url, size, modified in found:
        name = url[url.rfind("/") + 1 :]
        if (name[0] not in "_." and not name.endswith("._COPYING_")) or not is_passed_over(name):
            file = SourceFile(url, size, modified)
            if wanted is None or wanted(file):
                yield file


def _below(root: str) -> Iterator[tuple[str, int, int]]:
    if filesystem.is_directory(root):
        yield from filesystem.walk(root, _enters)
        return
    try:
        yield root, *filesystem.modified(root)
    except (FileNotFoundError, NotADirectoryError):
        raise _not_found(root) from None
    except PermissionError as error:
        raise PathNotFound(f"{root} cannot be looked at: {error.strerror}. Make it readable.") from error


def _below_glob(path: str, strict: bool) -> Iterator[tuple[str, int, int]]:
    """Yield what matches; where braces span directories, several globs may match the same file."""
    patterns = globs.path_globs(path, strict)
    bases = [pattern for pattern in patterns if filesystem.is_directory(pattern.base)]
    if not bases:
        yield from _literally(path, patterns[0].base)
    seen: set[str] | None = set() if len(bases) > 1 else None
    for pattern in bases:
        for file in filesystem.walk(pattern.base, _entering(pattern)):
            if pattern.matches(file[0]) and (seen is None or file[0] not in seen):
                if seen is not None:
                    seen.add(file[0])
                yield file


def _literally(path: str, base: str) -> Iterator[tuple[str, int, int]]:
    """Take a glob at its word where it can match nothing: a directory may be named with brackets."""
    if not filesystem.exists(path):
        raise _not_found(base)
    yield from _below(path)


def _entering(pattern: globs.PathGlob) -> Callable[[str], bool]:
    return lambda directory: _enters(directory) and pattern.may_contain(directory)


def _enters(directory: str) -> bool:
    return not is_passed_over(directory[directory.rfind("/") + 1 :])


def _filter(options: DiscoveryOptions) -> Callable[[SourceFile], bool] | None:
    """Return whether a file passes the options, or None where all do; Spark compares whole milliseconds."""
    name = None if options.path_glob_filter is None else globs.name_filter(options.path_glob_filter)
    after, before = options.modified_after_us, options.modified_before_us
    if name is None and after is None and before is None:
        return None

    def wanted(file: SourceFile) -> bool:
        time = file.modified // 1000 * 1000
        return (
            (name is None or name.fullmatch(file.name) is not None)
            and (after is None or time > after)
            and (before is None or time < before)
        )

    return wanted


def _not_found(url: str) -> PathNotFound:
    return PathNotFound(f"{url} does not exist. Create the directory, or correct the path that load() is given.")
