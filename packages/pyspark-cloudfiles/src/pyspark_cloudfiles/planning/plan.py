"""The plan of a query, which all its processes share, and the division of a batch into tasks.

A plan has the options, the columns, and what happens to those that are new.  A batch is divided by bytes into as many
groups as there are cores, fewer for little, more for much.  Where a boundary falls into a file that can be read in
parts, each task reads its part of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyspark.sql import types as T
from pyspark.sql.datasource import InputPartition

from pyspark_cloudfiles.filesystems.compression import is_compressed
from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile
from pyspark_cloudfiles.formats import format_of
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.records.line_ranges import has_lines
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.schemas.layout import Layout
from pyspark_cloudfiles.schemas.partitions import partition_values
from pyspark_cloudfiles.values.times import local_timezone

# What opening a file costs, counted in bytes read: it decides how small files are grouped.
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
    """One query's reading.

    Parameters
    ----------
    options : Options
        Of the stream.
    layout : Layout
        Its columns.
    evolution_mode : str
        What to do with new columns; see :data:`pyspark_cloudfiles.options.EVOLUTION_MODES`.
    inferred : bool
        Whether the schema is ours to evolve.
    inferred_from : str or None
        Digest of the files that it was just inferred from, which therefore have nothing else in them.
    bad_records : str or None
        Where tasks put what they cannot read, which they then pass over.
    """

    options: Options
    layout: Layout
    evolution_mode: str
    inferred: bool
    inferred_from: str | None = None
    bad_records: str | None = None

    @property
    def may_refuse(self) -> bool:
        """Whether data that is well can end the query, because of what it has besides the schema."""
        if format_of(self.options).fixed_schema() is not None:
            return False
        return _ON_UNKNOWN[self.evolution_mode] == "error" or self.mode == "FAILFAST"

    @property
    def mode(self) -> str:
        """What to do with malformed records; where they have a place of their own they are always left out."""
        return self.options.mode if self.options.bad_records_path is None else "DROPMALFORMED"

    def _is_case_sensitive(self, rescue: bool) -> bool:
        """Whether a column in another case is another column.

        Where it can be rescued it is, unless the options say otherwise; elsewhere it is as Spark's own readers have it,
        of which the one of JSON compares names as they are.
        """
        if self.options.reader_case_sensitive is not None:
            return self.options.reader_case_sensitive
        return rescue or self.options.format.lower() == "json" or self.options.session_case_sensitive

    def request(self, layout: Layout) -> ReadRequest:
        """Return what the format is asked for, when the columns are those of ``layout``."""
        options = self.options
        asked_to_rescue = options.rescued_data_column is not None
        rescue = layout.rescued is not None and (self.evolution_mode != "none" or asked_to_rescue)
        on_unknown = _ON_UNKNOWN[self.evolution_mode]
        if on_unknown == "ignore" and rescue:
            on_unknown = "rescue"
        data = layout.data
        if self.inferred and format_of(options).fixed_schema() is None:
            # Where the data has a column of the path as well, it is known, and left.
            data = T.StructType([*data.fields, *(T.StructField(name, T.StringType()) for name in layout.partitions)])
        return ReadRequest(
            schema=data,
            on_unknown=on_unknown,
            rescue=rescue,
            case_sensitive=self._is_case_sensitive(rescue),
            mode=self.mode,
            corrupt_column=options.corrupt_column if options.corrupt_column in data.fieldNames() else None,
            timezone=options.timezone or local_timezone(),
            machine_timezone=options.machine_timezone or local_timezone(),
            # Columns of a given schema are the file's by their position, as in Spark, unless it has a header.
            options=options.format_options if self.inferred else {"header": "false", **options.format_options},
        )


@dataclass
class FilePartition(InputPartition):
    """Files that one task reads, and where the whole batch is found in the log.

    Parameters
    ----------
    files : list of SourceFile
        In the order in which to read them.
    layout : Layout
        The columns of this batch.
    log : str
        URL of the log.
    start, end : int
        The batch's files in it.
    """

    files: list[SourceFile]
    layout: Layout
    log: str
    start: int
    end: int

    def __init__(self, files: list[SourceFile], layout: Layout, log: str, start: int, end: int) -> None:
        super().__init__(None)
        self.files, self.layout, self.log, self.start, self.end = files, layout, log, start, end


def tasks(files: list[SourceFile], plan: Plan) -> list[list[SourceFile]]:
    """Return what each task reads: some files, or a part of a large one."""
    cores, by_lines = plan.options.parallelism or os.cpu_count() or 1, has_lines(plan.options)
    return grouped(files, cores, lambda file: by_lines and not is_compressed(file))


def with_partitions_of(files: list[SourceFile], plan: Plan) -> Layout:
    """Return the columns for a batch: with a schema of the user's, the files' paths say which come from there."""
    options = plan.options
    if plan.inferred or options.recursive_file_lookup:
        return plan.layout
    if options.partition_columns is not None:
        return plan.layout.with_partitions(options.partition_columns)
    return plan.layout.with_partitions({name for file in files for name in partition_values(options.path, file.url)})


def grouped(
    files: list[SourceFile], cores: int, has_parts: Callable[[SourceFile], bool] = lambda file: False
) -> list[list[SourceFile]]:
    """Divide files, in their order, into groups of about equal work.

    Parameters
    ----------
    files : list of SourceFile
        Of one batch.
    cores : int
        How many tasks run at once.
    has_parts : callable
        Whether a file can be read in parts.
    """
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
    """Cut a file, which begins after ``done`` bytes of work, where a group has its share; give each part's group."""
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
