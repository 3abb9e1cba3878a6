"""Schema inference for the files of a stream, in any format.

It is asked of the format, without the files that nobody can read; columns of the path are found in the paths.
"""

from __future__ import annotations

from pyspark.sql.types import DataType, StringType, StructField, StructType

from pyspark_cloudfiles.errors import InferenceFailed, MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import format_of
from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.schemas.hints import parse_hints
from pyspark_cloudfiles.schemas.partitions import infer_partition_types, partition_values
from pyspark_cloudfiles.schemas.versions import SchemaVersion
from pyspark_cloudfiles.values.times import local_timezone


def first_version(files: list[SourceFile], options: Options) -> SchemaVersion:
    """Return the schema of ``files`` with the columns of their paths.

    Raises
    ------
    InferenceFailed
        They have no columns, or types that cannot be merged.
    """
    data = format_of(options).fixed_schema() or infer(files, options)
    if not data.fields:
        raise InferenceFailed(
            f"The files in {options.path} have no columns. Check cloudFiles.format and the files, or give a schema."
        )
    partitions = _partition_schema(files, options)
    return SchemaVersion(data, partitions, filesystem.canonical(options.path), options.format.lower())


def _partition_schema(files: list[SourceFile], options: Options) -> StructType:
    if options.recursive_file_lookup:
        return StructType()
    values = [partition_values(options.path, file.url) for file in files]
    found: dict[str, str] = {}
    for name in (name for file_values in values for name in file_values):
        found.setdefault(name.lower(), name)
    names = list(found.values()) if options.partition_columns is None else options.partition_columns
    types: dict[str, DataType] = infer_partition_types(values) if options.infer_column_types else {}
    return StructType([StructField(name, types.get(name, StringType())) for name in names])


def infer(files: list[SourceFile], options: Options) -> StructType:
    """Return the schema of the data in ``files``; see :meth:`pyspark_cloudfiles.formats.base.Format.infer`."""
    request = InferRequest(
        infer_types=options.infer_column_types,
        options=options.format_options,
        timezone=options.timezone or local_timezone(),
        hinted=frozenset(hint.path[0].lower() for hint in parse_hints(options.schema_hints)),
    )
    file_format = format_of(options)
    while True:
        try:
            return file_format.infer(files, request)
        except MissingFile:
            # Files that went away can be read by nobody; their columns are not missed.
            files = [file for file in files if filesystem.exists(file.url)]
        except UnreadableFile as error:
            left = [file for file in files if file.url != error.path]
            passed_over = options.ignore_corrupt_files or options.bad_records_path is not None
            if not passed_over or len(left) == len(files):
                raise
            files = left
