"""The format ``text``: a row per line, or with ``wholetext`` per file.

The bytes are taken as they are, as Spark takes them: ``encoding`` only says how the separator is written in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.compression import open_text, unreadable_if_broken
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.records.text_lines import split, whole_lines

_VALUE = "value"


class TextFormat:
    """Reads ``value``, with the options ``wholetext``, ``lineSep`` and ``encoding``."""

    name = "text"

    def fixed_schema(self) -> T.StructType:
        """Return the one column."""
        return T.StructType([T.StructField(_VALUE, T.StringType())])

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the one column."""
        return self.fixed_schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files.

        Raises
        ------
        InvalidOption
            The schema has no column for the text, or ``lineSep`` is empty.
        """
        return batches_of(_pieces(files, request, _column(request.schema), _separator(request.options)))


def _column(schema: T.StructType) -> str | None:
    """Return the column that takes the text: ``value``, or the only one; None where none is wanted."""
    name = _VALUE if _VALUE in schema.names or len(schema) != 1 else schema.names[0]
    if not len(schema):
        return None
    if name not in schema.names or not isinstance(schema[name].dataType, T.StringType):
        raise InvalidOption(f"Text files have one column, value STRING, and the schema is {schema.simpleString()}.")
    return name


def _separator(options: Mapping[str, str]) -> bytes | None:
    """Return what is between lines, or None for any of the three usual ends of a line."""
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


def _pieces(
    files: Sequence[SourceFile], request: ReadRequest, column: str | None, separator: bytes | None
) -> Iterator[FileRows]:
    schema = to_arrow_schema(request.schema, timezone="UTC")
    whole = request.options.get("wholetext", "false").lower() == "true"
    for file in files:
        for values in _values(file, whole, separator):
            # As a view: bytes that are no valid text stay what they are, which Spark's own functions then tell.
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
            yield split(data, separator)


FORMAT = TextFormat()
