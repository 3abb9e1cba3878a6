"""Putting a stream's columns together: the data's, the path's, what did not fit, and the file's metadata."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from pyspark.sql.types import StructField

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats.base import Rows
from pyspark_cloudfiles.layout import METADATA, Layout
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.partitions import convert_partition, partition_values
from pyspark_cloudfiles.plain_arrays import longs, texts
from pyspark_cloudfiles.plan import local_timezone

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
    columns = []
    for field, wanted in zip(layout.schema.fields, target, strict=True):
        if field.name in from_data and field.name not in layout.partitions:
            columns.append(from_data[field.name])
        elif field.name == layout.rescued:
            columns.append(pa.nulls(rows.batch.num_rows, wanted.type) if rows.rescued is None else rows.rescued)
        elif field.name == METADATA and layout.metadata:
            columns.append(_metadata(rows, wanted.type))
        else:
            columns.append(_of_path(rows, field, wanted.type, options))
    return pa.RecordBatch.from_arrays(columns, schema=target)


def _of_path(rows: Rows, field: StructField, wanted: pa.DataType, options: Options) -> pa.Array:
    def value(file: SourceFile) -> object:
        values = {name.lower(): text for name, text in partition_values(options.path, file.url).items()}
        text = values.get(field.name.lower())
        try:
            return convert_partition(text, field.dataType, options.timezone or local_timezone())
        except ValueError:
            return None  # as a value that does not fit is anywhere else

    return _per_file(rows, value, wanted)


def _metadata(rows: Rows, wanted: pa.StructType) -> pa.Array:
    values: dict[str, Callable[[SourceFile], object]] = {
        "file_path": lambda file: uri(file.url),
        "file_name": lambda file: uri(file.name),
        "file_size": lambda file: file.size,
        "file_block_start": lambda _: 0,
        "file_block_length": lambda file: file.size,
        # Spark has milliseconds here.
        "file_modification_time": lambda file: file.modified // 1000 * 1000,
    }
    children = [
        _repeated(rows, _made([values[field.name](file) for file, _ in rows.counts], field.type)) for field in wanted
    ]
    return pa.StructArray.from_arrays(children, fields=list(wanted))


def _made(values: list[Any], wanted: pa.DataType) -> pa.Array:
    """Return an array of texts or integers, which may mean times."""
    return texts(values) if pa.types.is_string(wanted) else longs(values).cast(wanted)


def _per_file(rows: Rows, value: Callable[[SourceFile], object], wanted: pa.DataType) -> pa.Array:
    """Return a column that has the same value for all rows of a file."""
    return _repeated(rows, pa.array([value(file) for file, _ in rows.counts], type=wanted))


def _repeated(rows: Rows, values: pa.Array) -> pa.Array:
    """Return a column from the values of the files."""
    return values.take(longs(place for place, (_, count) in enumerate(rows.counts) for _ in range(count)))


def uri(url: str) -> str:
    """Return a file's URL, or its name, as Spark's ``_metadata`` has it, with percent escapes."""
    return _ESCAPED.sub(lambda match: quote(match[0], safe=""), url)
