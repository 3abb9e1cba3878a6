"""The plan of a query, which all its processes share, and the division of a batch into tasks.

A plan has the options, the columns, and the handling of new ones.  A batch is divided by bytes into as many groups as
there are cores, fewer for little data, more for much.  If a boundary falls into a file that can be read in parts, each
task reads its part of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyspark.sql import types as T
from pyspark.sql.datasource import InputPartition

from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile, is_compressed
from pyspark_cloudfiles.formats import stream_format
from pyspark_cloudfiles.formats.base import Format, ReadRequest
from pyspark_cloudfiles.formats.lines import has_lines
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.schemas.layout import Layout
from pyspark_cloudfiles.schemas.partitions import partition_values

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
