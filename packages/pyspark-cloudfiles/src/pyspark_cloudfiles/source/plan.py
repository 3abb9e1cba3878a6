"""What a query reads: the files at its path, and the tasks of a batch of them.

The path is a directory, of which everything below is read; or a file; or a glob.  Names that Spark skips, because they
are still being written or are not data, are skipped here.

All processes of a query share its plan: the options, the columns, and the handling of new ones.  A batch is divided by
bytes into as many groups as there are cores, fewer for little data, more for much.  If a boundary falls into a file
that can be read in parts, each task reads its part of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from pyspark.sql import types as T
from pyspark.sql.datasource import InputPartition

from pyspark_cloudfiles import paths, times
from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile, is_compressed
from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache, retry
from pyspark_cloudfiles.formats import stream_format
from pyspark_cloudfiles.formats.base import Format, ReadRequest
from pyspark_cloudfiles.formats.lines import has_lines
from pyspark_cloudfiles.layout import Layout
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.paths import partition_values

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
    for url, size, modified in _below_glob(root, strict_glob, wanted) if paths.is_glob(root) else _below(root, wanted):
        time = modified // 1000 * 1000  # Spark compares whole milliseconds
        if (modified_after_us is None or time > modified_after_us) and (
            modified_before_us is None or time < modified_before_us
        ):
            yield SourceFile(url, size, modified)


class _WantedFiles:
    """Selects files of a listing by their names, and keeps the earlier listings."""

    def __init__(self, glob: str | None, known: KnownFiles | None, listed: KnownFiles | None) -> None:
        self._name = None if glob is None else paths.name_filter(glob)
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
    patterns = paths.path_globs(path, strict)
    bases = [pattern for pattern in patterns if filesystem.is_directory(pattern.base)]
    if not bases:
        # A directory may be named with brackets, which match nothing as a glob.
        if not filesystem.exists(path):
            raise _not_found(patterns[0].base)
        yield from _below(path, wanted)
    seen: set[str] | None = set() if len(bases) > 1 else None
    # Several globs may cover the same directories, and each must list them, so their listings are not remembered.
    listings, incremental = (wanted.listings, wanted.incremental) if len(bases) == 1 else (None, None)

    def select(pattern: paths.PathGlob, urls: list[str]) -> list[str]:
        chosen = [url for url in wanted(urls) if pattern.matches(url) and (seen is None or url not in seen)]
        if seen is not None:
            seen.update(chosen)
        return chosen

    def can_enter(pattern: paths.PathGlob, directory: str) -> bool:
        return _can_enter(directory) and pattern.may_contain(directory)

    for pattern in bases:
        enter, chosen = partial(can_enter, pattern), partial(select, pattern)
        yield from filesystem.list_files(pattern.base, enter, chosen, listings, incremental)


def _can_enter(directory: str) -> bool:
    return not is_hidden(directory[directory.rfind("/") + 1 :])


def _not_found(url: str) -> PathNotFound:
    return PathNotFound(f"{url} does not exist. Create the directory, or correct the path that load() is given.")


# The cost of opening a file, in bytes read: it decides how small files are grouped.
FILE_OVERHEAD = 4 * 1024
# A second task, and the second file that it writes, cost as much as reading this.
SMALLEST_PARTITION = 8 * 1024**2
LARGEST_PARTITION = 128 * 1024**2
_ON_UNKNOWN = {
    "addNewColumns": "error",
    "addNewColumnsWithTypeWidening": "error",
    "failOnNewColumns": "error",
    "rescue": "rescue",
    "none": "ignore",
}


@dataclass(frozen=True)
class Plan:
    """How one query reads: its options, columns, and handling of new ones.

    ``inferred`` schemas may evolve.  ``inferred_from`` is the digest of the files that the schema was just inferred
    from, which therefore have no other columns.  ``bad_records`` is the directory of unreadable files and records.
    """

    options: Options
    layout: Layout
    evolution_mode: str
    inferred: bool
    inferred_from: str | None = None
    bad_records: str | None = None

    @property
    def file_format(self) -> Format:
        return stream_format(self.options)

    @property
    def can_reject_data(self) -> bool:
        """Whether sound data can end the query, because it has more than the schema."""
        if self.file_format.fixed_schema() is not None:
            return False
        return _ON_UNKNOWN[self.evolution_mode] == "error" or self.mode == "FAILFAST"

    @property
    def mode(self) -> str:
        """The handling of malformed records; with a path for bad records they are always dropped."""
        return self.options.mode if self.options.bad_records_path is None else "DROPMALFORMED"

    def request(self, layout: Layout) -> ReadRequest:
        options, data = self.options, layout.data
        has_rescue_option = options.rescued_data_column is not None
        rescue = layout.rescued is not None and (self.evolution_mode != "none" or has_rescue_option)
        on_unknown = _ON_UNKNOWN[self.evolution_mode]
        # Spark's reader of JSON compares names exactly, its others by the session's setting.
        case_sensitive = options.reader_case_sensitive
        if case_sensitive is None:
            case_sensitive = rescue or options.format.lower() == "json" or options.session_case_sensitive
        if self.inferred and self.file_format.fixed_schema() is None:
            # If the data has a partition column as well, the column is known, and unused.
            data = T.StructType([*data.fields, *(T.StructField(name, T.StringType()) for name in layout.partitions)])
        return ReadRequest(
            schema=data,
            on_unknown="rescue" if on_unknown == "ignore" and rescue else on_unknown,
            rescue=rescue,
            case_sensitive=case_sensitive,
            mode=self.mode,
            corrupt_column=options.corrupt_column if options.corrupt_column in data.fieldNames() else None,
            timezone=options.timezone,
            machine_timezone=options.machine_timezone,
            # Columns of a given schema are matched by position, as in Spark, unless the files have a header.
            options=options.format_options if self.inferred else {"header": "false", **options.format_options},
        )

    def batch_layout(self, files: list[SourceFile]) -> Layout:
        """Return the columns of a batch: for a schema of the user's, the files' paths decide which are partitions."""
        options = self.options
        if self.inferred or options.recursive_file_lookup:
            return self.layout
        if options.partition_columns is not None:
            return self.layout.with_partitions(options.partition_columns)
        return self.layout.with_partitions(
            {name for file in files for name in partition_values(options.path, file.url)}
        )

    def divide(self, files: list[SourceFile]) -> list[list[SourceFile]]:
        cores, by_lines = self.options.parallelism or os.cpu_count() or 1, has_lines(self.options)
        return group_files(files, cores, lambda file: by_lines and not is_compressed(file))


@dataclass
class FilePartition(InputPartition):
    """Files that one task reads, the columns of the batch, and the batch's range in the file log."""

    files: list[SourceFile]
    layout: Layout
    log: str
    start: int
    end: int

    def __init__(self, files: list[SourceFile], layout: Layout, log: str, start: int, end: int) -> None:
        super().__init__(None)
        self.files, self.layout, self.log, self.start, self.end = files, layout, log, start, end


def group_files(
    files: list[SourceFile], cores: int, has_parts: Callable[[SourceFile], bool] = lambda file: False
) -> list[list[SourceFile]]:
    """Divide files, in their order, into groups of about equal work; some can be read in parts."""
    work = sum(file.size + FILE_OVERHEAD for file in files)
    count = max(min(cores, -(-work // SMALLEST_PARTITION)), -(-work // LARGEST_PARTITION))
    share = -(-work // max(count, 1))
    groups: list[list[SourceFile]] = [[] for _ in range(count)]
    done = 0
    for file in files:
        for part, group in _parts(file, done, share) if has_parts(file) else [(file, done // share)]:
            groups[min(group, count - 1)].append(part)
        done += file.size + FILE_OVERHEAD
    return [group for group in groups if group]


def _parts(file: SourceFile, done: int, share: int) -> Iterator[tuple[SourceFile, int]]:
    """Cut a file, which begins after ``done`` bytes of work, where a group has its share; yield each part's group."""
    start = 0
    while start < file.size or not start:
        group = (done + start) // share
        end = (group + 1) * share - done
        if end - start < SMALLEST_PART:  # too little is left of this share
            group, end = group + 1, end + share
        if file.size - end < SMALLEST_PART:
            end = file.size
        yield file.part(start, end), group
        start = max(end, 1)
