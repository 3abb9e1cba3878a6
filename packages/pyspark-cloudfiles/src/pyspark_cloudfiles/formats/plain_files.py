"""The formats ``text``, a row per line or file, and ``binaryFile``, a row per file with its content.

The bytes of a text are taken as they are, as Spark takes them: ``encoding`` only says how the separator is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.errors import InvalidOption, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile, open_text, unreadable_if_broken
from pyspark_cloudfiles.formats.base import Format, ReadRequest, Rows
from pyspark_cloudfiles.formats.engine import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.lines import split_lines, whole_lines

_VALUE = "value"
_BINARY = T.StructType(
    [
        T.StructField("path", T.StringType()),
        T.StructField("modificationTime", T.TimestampType()),
        T.StructField("length", T.LongType()),
        T.StructField("content", T.BinaryType()),
    ]
)
# Neither Arrow nor Spark has longer values.
_CONTENT_LIMIT = 2**31 - 16


class TextFormat(Format):
    """Reads ``value``, with the options ``wholetext``, ``lineSep`` and ``encoding``."""

    def fixed_schema(self) -> T.StructType:
        return T.StructType([T.StructField(_VALUE, T.StringType())])

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files; raise InvalidOption if the schema has no text column, or ``lineSep`` is empty."""
        return batches_of(_text_rows(files, request, _text_column(request.schema), _separator(request.options)))


def _text_column(schema: T.StructType) -> str | None:
    """Return the column that takes the text: ``value``, or the only one; None if the schema has no columns."""
    name = _VALUE if _VALUE in schema.names or len(schema) != 1 else schema.names[0]
    if not len(schema):
        return None
    if name not in schema.names or not isinstance(schema[name].dataType, T.StringType):
        raise InvalidOption(f"Text files have one column, value STRING, and the schema is {schema.simpleString()}.")
    return name


def _separator(options: Mapping[str, str]) -> bytes | None:
    """Return the line separator, or None for the three usual ends of a line."""
    text = options.get("linesep")
    if text is None:
        return None
    if not text:
        raise InvalidOption("lineSep is empty. Leave it out, or set the characters that end a line.")
    encoding = options.get("encoding") or options.get("charset") or "utf-8"
    try:
        return text.encode(encoding)
    except LookupError:
        raise InvalidOption(f"There is no encoding {encoding!r}. Use one like UTF-8 or UTF-16LE.") from None


def _text_rows(
    files: Sequence[SourceFile], request: ReadRequest, column: str | None, separator: bytes | None
) -> Iterator[FileRows]:
    schema = to_arrow_schema(request.schema, timezone="UTC")
    whole = request.options.get("wholetext", "false").lower() == "true"
    for file in files:
        for values in _values(file, whole, separator):
            # As a view: bytes that are not valid UTF-8 stay as they are, as in Spark.
            text = pa.array(values, pa.binary()).view(pa.string())
            columns = [text if field.name == column else pa.nulls(len(text), field.type) for field in schema]
            yield FileRows(file, batch_of(columns, schema, len(text)))


def _values(file: SourceFile, whole: bool, separator: bytes | None) -> Iterator[list[bytes]]:
    with unreadable_if_broken(file), open_text(file) as opened:
        if whole:
            # An empty file has no row, in Spark either.
            yield [content] if (content := opened.read()) else []
            return
        for data in whole_lines(opened, file, separator):
            yield split_lines(data, separator)


class BinaryFileFormat(Format):
    """Reads files as Spark's ``binaryFile`` does: no row for an empty file, and bytes only for ``content``."""

    def fixed_schema(self) -> T.StructType:
        return _BINARY

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files; raise InvalidOption if one of the four columns has another type in the schema."""
        for field in request.schema:
            if field.name in _BINARY.names and field.dataType != _BINARY[field.name].dataType:
                raise InvalidOption(
                    f"Column {field.name} of binary files is {_BINARY[field.name].dataType.simpleString().upper()}. "
                    "Give no other type for it."
                )
        schema = to_arrow_schema(request.schema, timezone="UTC")
        return batches_of(
            FileRows(file, batch_of([pa.array([_value(field.name, file)], field.type) for field in schema], schema, 1))
            for file in files
            if file.size
        )


def _value(column: str, file: SourceFile) -> Any:
    match column:
        case "path":
            return file.url
        case "modificationTime":
            return file.modified // 1000 * 1000  # Spark's are milliseconds
        case "length":
            return file.size
        case "content" if file.size > _CONTENT_LIMIT:
            raise UnreadableFile(file.url, f"it has {file.size} bytes, and a value can have 2 GB.")
        case "content":
            try:
                return file.read_bytes()
            except OSError as error:
                raise UnreadableFile(file.url, f"{error.strerror or error}.") from error
    return None
