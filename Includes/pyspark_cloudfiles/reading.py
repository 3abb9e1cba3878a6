"""Reading a partition's files into Spark's Arrow batches, with what to do when they are not as the schema says.

The rows come from the format; columns of the path, what did not fit and the file's metadata are put beside them here.
A file that cannot be read ends the task, or is passed over where the options say so.  What is new in the data is kept
as a schema version, and then ends the task as well: the same program, started again, replays this batch with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyspark_cloudfiles import filesystem
from pyspark_cloudfiles.columns import assemble
from pyspark_cloudfiles.errors import MissingFile, UnknownFields, UnreadableFile
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import format_named
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.plan import FilePartition, Plan, local_timezone
from pyspark_cloudfiles.schemas.hints import parse_hints


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
    for rows in _rows(partition, plan):
        yield assemble(rows, partition.layout, target, plan.options)


def infer(files: list[SourceFile], options: Options) -> StructType:
    """Return the schema of the data in ``files``; see :meth:`pyspark_cloudfiles.formats.base.Format.infer`."""
    request = InferRequest(
        infer_types=options.infer_column_types,
        options=options.format_options,
        timezone=options.timezone or local_timezone(),
        hinted=frozenset(hint.path[0].lower() for hint in parse_hints(options.schema_hints)),
    )
    file_format = format_named(options.format)
    try:
        return file_format.infer(files, request)
    except (MissingFile, UnreadableFile) as error:
        # A file that went away can still be read by nobody; its columns are not missed.
        if isinstance(error, UnreadableFile) and not options.ignore_corrupt_files:
            raise
        left = [file for file in files if file.url != error.path]
        if len(left) == len(files):
            raise
        return infer(left, options)


def _rows(partition: FilePartition, plan: Plan) -> Iterator[Rows]:
    """Read all files together, which is fast; after a first difficulty one by one, which can pass over single files."""
    file_format, request = format_named(plan.options.format), plan.request(partition.layout)
    files = _unchanged(partition.files, plan.options)
    given: Counter[SourceFile] = Counter()
    try:
        for rows in file_format.read(files, request):
            yield _checked_for_wider_types(rows, partition, plan)
            for file, count in rows.counts:
                given[file] += count
        return
    except UnknownFields as error:
        _evolve_or_raise(error, partition, plan)
        request = replace(request, on_unknown="rescue" if request.rescue else "ignore")
    except (MissingFile, UnreadableFile) as error:
        if not _may_pass_over(error, plan.options):
            raise
    for file in files:
        yield from _rows_of_one(file, request, plan, given[file])


def _rows_of_one(file: SourceFile, request: ReadRequest, plan: Plan, given: int) -> Iterator[Rows]:
    """Read one file, without the rows that were given already."""
    try:
        for rows in format_named(plan.options.format).read([file], request):
            skipped = min(given, rows.batch.num_rows)
            given -= skipped
            if skipped < rows.batch.num_rows:
                yield _without_first(rows, skipped)
    except (MissingFile, UnreadableFile) as error:
        if not _may_pass_over(error, plan.options):
            raise


def _without_first(rows: Rows, count: int) -> Rows:
    (file, total), *_ = rows.counts
    rescued = None if rows.rescued is None else rows.rescued.slice(count)
    return Rows(rows.batch.slice(count), [(file, total - count)], rescued)


def _may_pass_over(error: MissingFile | UnreadableFile, options: Options) -> bool:
    return options.ignore_missing_files if isinstance(error, MissingFile) else options.ignore_corrupt_files


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


def _evolve_or_raise(error: UnknownFields, partition: FilePartition, plan: Plan) -> None:
    """Keep the new columns and end the task; return only if there is none that could be added."""
    from pyspark_cloudfiles.evolving import evolve

    if not plan.inferred or plan.evolution_mode == "failOnNewColumns":
        raise UnknownFields(error.path, error.record, error.columns, retry=False) from None
    if evolve(partition, plan):
        raise error


def _checked_for_wider_types(rows: Rows, partition: FilePartition, plan: Plan) -> Rows:
    """Where types may grow, see whether what was rescued fits a wider one."""
    if rows.rescued is None or plan.evolution_mode != "addNewColumnsWithTypeWidening":
        return rows
    from pyspark_cloudfiles.evolving import evolve, widened_columns

    if evolve(partition, plan):
        raise widened_columns(partition, plan, rows.counts[0][0].url)
    return rows
