"""The task that reads a partition's files into Arrow batches, and handles missing, broken and changed ones.

The rows come from the format; columns of the path, what did not fit and the file's metadata are put beside them here.
A file that cannot be read ends the task, or is passed over where the options say so.  What is new in the data is kept
as a schema version, and then ends the task as well: the same program, started again, replays this batch with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.errors import MissingFile, UnknownFields, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import format_of
from pyspark_cloudfiles.formats.base import Rows
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.planning.plan import FilePartition, Plan
from pyspark_cloudfiles.reading.columns import assemble

if TYPE_CHECKING:
    from pyspark_cloudfiles.reading.bad_records import BadRecords


def read_partition(partition: FilePartition, plan: Plan) -> Iterator[pa.RecordBatch]:
    """Read a partition's files.

    Raises
    ------
    UnknownFields
        The data has new columns; where the mode allows, they have been added to the schema versions.
    MissingFile, UnreadableFile, MalformedRecord
        As the options say.
    """
    target = to_arrow_schema(partition.layout.schema, timezone="UTC")
    reading = _Reading(partition, plan)
    for rows in reading.rows():
        yield assemble(rows, partition.layout, target, plan.options)
    reading.keep_bad_records()


class _Reading:
    """The reading of one partition: all its files together, which is fast; after a first difficulty one by one."""

    def __init__(self, partition: FilePartition, plan: Plan) -> None:
        self._partition, self._plan = partition, plan
        self._format, self._request = format_of(plan.options), plan.request(partition.layout)
        self._given: Counter[SourceFile] = Counter()
        self._bad: BadRecords | None = None
        if plan.bad_records is not None:
            from pyspark_cloudfiles.reading.bad_records import BadRecords  # few streams keep them

            self._bad = BadRecords(plan.bad_records)
            self._request = replace(self._request, bad_records=self._bad.record)
        self._may_widen = plan.evolution_mode == "addNewColumnsWithTypeWidening"

    def rows(self) -> Iterator[Rows]:
        files = _unchanged(self._partition.files, self._plan.options)
        try:
            for rows in self._format.read(files, self._request):
                yield self._checked(rows)
                for file, count in rows.counts:
                    self._given[file] += count
            return
        except UnknownFields as error:
            self._evolve_or_raise(error)
        except (MissingFile, UnreadableFile) as error:
            self._raise_unless_passed_over(error)
        except OSError:
            if self._plan.options.bad_records_path is None:
                raise
        for file in files:
            yield from self._rows_of(file)

    def keep_bad_records(self) -> None:
        """Write what was passed over, if somebody wants it; before that an error may have it read again."""
        if self._bad is not None:
            self._bad.write()

    def _rows_of(self, file: SourceFile) -> Iterator[Rows]:
        """Read one file, without the rows that were given already."""
        while True:
            given = self._given[file]
            if self._bad is not None:
                self._bad.forget(file.url)
            try:
                for rows in self._format.read([file], self._request):
                    count = rows.batch.num_rows
                    skipped, given = min(given, count), max(0, given - count)
                    if skipped < count:
                        yield self._checked(_without_first(rows, skipped, file))
                        self._given[file] += count - skipped
                return
            except UnknownFields as error:
                self._evolve_or_raise(error)  # and read it again, by the request that this leaves
            except (MissingFile, UnreadableFile, OSError) as error:
                self._raise_unless_passed_over(error)
                if self._bad is not None:
                    self._bad.file(file.url, str(error))
                return

    def _raise_unless_passed_over(self, error: MissingFile | UnreadableFile | OSError) -> None:
        options = self._plan.options
        if options.bad_records_path is not None:
            return
        if isinstance(error, OSError):
            raise error
        if not (options.ignore_missing_files if isinstance(error, MissingFile) else options.ignore_corrupt_files):
            raise error

    def _evolve_or_raise(self, error: UnknownFields) -> None:
        """Keep the new columns and end the task; return only if there is none that could be added."""
        from pyspark_cloudfiles.reading.schema_update import evolve  # most tasks meet nothing new

        if not self._plan.inferred or self._plan.evolution_mode == "failOnNewColumns":
            raise UnknownFields(error.path, error.record, error.columns, retry=False) from None
        if evolve(self._partition, self._plan):
            raise error
        self._request = replace(self._request, on_unknown="rescue" if self._request.rescue else "ignore")

    def _checked(self, rows: Rows) -> Rows:
        """Where types may grow, see once whether what was rescued fits wider ones."""
        if rows.rescued is None or not self._may_widen:
            return rows
        from pyspark_cloudfiles.reading.schema_update import evolve, widened_columns  # most tasks meet nothing new

        self._may_widen = False
        if evolve(self._partition, self._plan):
            raise widened_columns(self._plan, rows.counts[0][0].url)
        return rows


def _without_first(rows: Rows, count: int, file: SourceFile) -> Rows:
    rescued = None if rows.rescued is None else rows.rescued.slice(count)
    return Rows(rows.batch.slice(count), [(file, rows.batch.num_rows - count)], rescued)


def _unchanged(files: list[SourceFile], options: Options) -> list[SourceFile]:
    """Leave out files that were overwritten since: they are, or will be, in the log once more as they are now."""
    if not options.allow_overwrites:
        return files
    return [file for file in files if not _is_overwritten(file)]


def _is_overwritten(file: SourceFile) -> bool:
    try:
        return filesystem.modified(file.url) != (file.size, file.modified)
    except FileNotFoundError:
        return False  # for the reader to say
