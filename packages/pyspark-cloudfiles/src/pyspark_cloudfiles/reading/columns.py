"""The stream's columns assembled: data, path columns, rescued data, and file metadata.

What ends a query is better found by the process that plans: every sink shows its errors as they are, instead of
wrapping them.  Names alone tell of nearly all batches that there is nothing new in them, at a fraction of what reading
costs.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import cached_property
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import format_of
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.planning.plan import FilePartition, Plan
from pyspark_cloudfiles.schemas.layout import METADATA, Layout
from pyspark_cloudfiles.schemas.partitions import convert_partition, partition_values
from pyspark_cloudfiles.values.plain_arrays import longs, texts
from pyspark_cloudfiles.values.times import local_timezone

# Of these, names are found without reading values.
_FORMATS = {"json", "csv", "parquet", "orc", "avro"}
_NESTED = (T.StructType, T.ArrayType, T.MapType)


def is_plainly_known(partition: FilePartition, plan: Plan) -> bool:
    """Tell whether no file of a batch has a column that the schema does not have; False says nothing.

    Parameters
    ----------
    partition : FilePartition
        All files of the batch.
    """
    request = plan.request(partition.layout)
    if not _is_decided_by_names(plan, request):
        return False
    known = {name.lower() for name in request.schema.names}
    # Fields that are always NULL are fields as well here.
    options = {key: value for key, value in request.options.items() if key != "dropfieldifallnull"}
    asked = InferRequest(case_sensitive=True, options=options, timezone=request.timezone, hinted=frozenset(known))
    try:
        found = format_of(plan.options).infer(partition.files, asked)
    except CloudFilesError:
        return False  # for the reading to say, with all that the options make of it
    return all(name.lower() in known for name in found.names)


def _is_decided_by_names(plan: Plan, request: ReadRequest) -> bool:
    """Tell whether new names at the top are all that could end the query."""
    if plan.options.format.lower() not in _FORMATS or request.mode == "FAILFAST":
        return False
    if plan.evolution_mode == "addNewColumnsWithTypeWidening":
        return False
    return not any(isinstance(field.dataType, _NESTED) for field in request.schema.fields)


# What Java's `URI` escapes in a path: ASCII that it does not allow, and control and space characters of any script.
_ESCAPED = re.compile(r"""[\x00-\x20"#%<>?\[\\\]^`{|}\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]""")


def assemble(rows: Rows, layout: Layout, target: pa.Schema, options: Options) -> pa.RecordBatch:
    """Return a batch with all columns of a stream.

    Parameters
    ----------
    rows : Rows
        What the format gave.
    layout : Layout
        Where each column comes from.
    target : pyarrow.Schema
        What Spark expects.
    options : Options
        Of the stream.
    """
    from_data = dict(zip(rows.batch.schema.names, rows.batch.columns, strict=True))
    columns, per_file = [], _PerFile(rows)
    for field, wanted in zip(layout.schema.fields, target, strict=True):
        if field.name in from_data and field.name not in layout.partitions:
            columns.append(from_data[field.name])
        elif field.name == layout.rescued:
            columns.append(pa.nulls(rows.batch.num_rows, wanted.type) if rows.rescued is None else rows.rescued)
        elif field.name == METADATA and layout.metadata:
            columns.append(per_file.metadata(wanted.type))
        else:
            columns.append(per_file.of_path(field, wanted.type, options))
    return pa.RecordBatch.from_arrays(columns, schema=target)


class _PerFile:
    """Columns that have the same value for all rows of a file."""

    def __init__(self, rows: Rows) -> None:
        self._files = [file for file, _ in rows.counts]
        self._counts = [count for _, count in rows.counts]

    def column(self, values: pa.Array) -> pa.Array:
        """Return a column from the values of the files."""
        return values.take(self._places)

    @cached_property
    def _places(self) -> pa.Array:
        """Return for each row which file it came from; made once, and without a Python object for each row."""
        places = array("q")
        for place, count in enumerate(self._counts):
            places.extend(array("q", [place]) * count)
        return longs(places)

    def of_path(self, field: T.StructField, wanted: pa.DataType, options: Options) -> pa.Array:
        """Return a column of the files' paths."""

        def value(file: SourceFile) -> object:
            values = {name.lower(): text for name, text in partition_values(options.path, file.url).items()}
            text = values.get(field.name.lower())
            try:
                return convert_partition(text, field.dataType, options.timezone or local_timezone())
            except ValueError:
                return None  # as a value that does not fit is anywhere else

        return self.column(pa.array([value(file) for file in self._files], type=wanted))

    def metadata(self, wanted: pa.StructType) -> pa.Array:
        """Return the column ``_metadata``.

        Encodings that would make a repeated value small, dictionaries and runs, are refused by PySpark, which compares
        the types of batches with those of plain columns.  What it costs is that its bytes are copied, a hundred for
        each row where the path is long; so queries that do not use it are read without
        (:mod:`pyspark_cloudfiles.session.metadata_pruning`).
        """
        values: dict[str, Callable[[SourceFile], object]] = {
            "file_path": lambda file: uri(file.url),
            "file_name": lambda file: uri(file.name),
            "file_size": lambda file: file.size,
            "file_block_start": lambda file: file.start,
            "file_block_length": lambda file: file.end - file.start,
            # Spark has milliseconds here.
            "file_modification_time": lambda file: file.modified // 1000 * 1000,
        }
        children = [
            self.column(_made([values[field.name](file) for file in self._files], field.type)) for field in wanted
        ]
        return pa.StructArray.from_arrays(children, fields=list(wanted))


def _made(values: list[Any], wanted: pa.DataType) -> pa.Array:
    """Return an array of texts or integers, which may mean times."""
    return texts(values) if pa.types.is_string(wanted) else longs(values).cast(wanted)


def uri(url: str) -> str:
    """Return a file's URL, or its name, as Spark's ``_metadata`` has it, with percent escapes."""
    return _ESCAPED.sub(lambda match: quote(match[0], safe=""), url)
