"""The format ``binaryFile``: a row per file with its path, modification time, length and content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.errors import InvalidOption, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batch_of, batches_of

_SCHEMA = T.StructType(
    [
        T.StructField("path", T.StringType()),
        T.StructField("modificationTime", T.TimestampType()),
        T.StructField("length", T.LongType()),
        T.StructField("content", T.BinaryType()),
    ]
)
# Longer is no value in Arrow, and none in Spark.
_LONGEST = 2**31 - 16


class BinaryFileFormat:
    """Reads what Spark's ``binaryFile`` reads: of an empty file, nothing; bytes only where ``content`` is wanted."""

    name = "binaryFile"

    def fixed_schema(self) -> T.StructType:
        """Return the four columns."""
        return _SCHEMA

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the four columns."""
        return _SCHEMA

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files.

        Raises
        ------
        InvalidOption
            One of the four columns has another type in the schema.
        """
        for field in request.schema:
            if field.name in _SCHEMA.names and field.dataType != _SCHEMA[field.name].dataType:
                raise InvalidOption(
                    f"Column {field.name} of binary files is {_SCHEMA[field.name].dataType.simpleString().upper()}. "
                    "Give no other type for it."
                )
        return batches_of(_piece(file, request) for file in files if file.size)


def _piece(file: SourceFile, request: ReadRequest) -> FileRows:
    schema = to_arrow_schema(request.schema, timezone="UTC")
    columns = [pa.array([_VALUES.get(field.name, _nothing)(file)], field.type) for field in schema]
    return FileRows(file, batch_of(columns, schema, 1))


def _content(file: SourceFile) -> bytes:
    if file.size > _LONGEST:
        raise UnreadableFile(file.url, f"it has {file.size} bytes, and a value can have 2 GB.")
    try:
        return file.read_bytes()
    except OSError as error:
        raise UnreadableFile(file.url, f"{error.strerror or error}.") from error


def _nothing(file: SourceFile) -> None:
    return None


_VALUES: dict[str, Callable[[SourceFile], Any]] = {
    "path": lambda file: file.url,
    "modificationTime": lambda file: file.modified // 1000 * 1000,  # Spark's are milliseconds
    "length": lambda file: file.size,
    "content": _content,
}

FORMAT = BinaryFileFormat()
