"""XML files: a row for each element of one name.

Records that look alike are cut out of the text (:mod:`xml_lanes`), everything else goes through the parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import MalformedRecord, UnknownFields
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.arrow_types import batch_of
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.batches import Piece, gathered
from pyspark_cloudfiles.formats.xml_infer import XmlTypes
from pyspark_cloudfiles.formats.xml_lanes import ColumnReader, Rest, texts
from pyspark_cloudfiles.formats.xml_rows import RowReader
from pyspark_cloudfiles.formats.xml_text import Broken, Element, XmlOptions, elements, opened, parsed, records
from pyspark_cloudfiles.values.rescue import (
    Leaf,
    Leftover,
    has_misfit,
    quoted,
    rescued_text,
    unknown_names,
    unknown_text,
)

_CORRUPT_RECORD = "_corrupt_record"


class XmlFormat:
    """Reads records as Spark's XML reader does, by the same options; ``rowTag`` is required."""

    name = "xml"

    def fixed_schema(self) -> None:
        """Return None: the schema is in the data."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
        """Return the schema of all records, sorted by names; what is no XML is passed over."""
        options = XmlOptions.of(request.options)
        types = XmlTypes(request, options)
        for file in files:
            for some in records(file, options):
                for record in some:
                    if isinstance(record, Element):
                        types.add(record)
        return types.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files."""
        options = XmlOptions.of(request.options)
        return gathered(piece for file in files for piece in _pieces(file, request, options))


def _pieces(file: SourceFile, request: ReadRequest, options: XmlOptions) -> Iterator[Piece]:
    rows, columns = RowReader(request, options), ColumnReader(request, options)
    with opened(file, options) as (source, decode):
        for some in texts(source, decode, options):
            if isinstance(some, Rest):
                if some.is_all:
                    return
                for part in parsed(file, options, source, decode, some.opening, some.text):
                    yield _piece(file, part, request, rows)
                return
            batch = columns.batch(some.cut) if base.FAST_PATH else None
            if batch is not None:
                yield Piece(file, batch)
            else:
                yield _piece(file, elements(some.opening, some.text, some.closing, options), request, rows)


def _piece(file: SourceFile, some: list[Element | Broken], request: ReadRequest, rows: RowReader) -> Piece:
    batch = _Batch(file, request)
    for record in some:
        if isinstance(record, Broken):
            batch.malformed({}, record.text, "it is no XML")
        else:
            batch.add(record, *rows.row(record))
    return batch.piece()


class _Batch:
    """Some rows of a file, and what is told about them."""

    def __init__(self, file: SourceFile, request: ReadRequest) -> None:
        self._file, self._request = file, request
        self._rows: list[dict[str, Any]] = []
        self._rescued: list[str | None] = []
        self._bad: list[tuple[str, str]] = []
        self._unknown: dict[str, None] = {}
        self._first_unknown: str | None = None

    def add(self, record: Element, cells: dict[str, Any], leftover: dict[str, Leftover]) -> None:
        """Add a record that is sound XML."""
        if self._request.on_unknown == "error":
            self._note_unknown(leftover)
        if has_misfit(leftover) and not self._request.rescue:
            self.malformed(cells, record.outer(), "a value does not fit the type of its column")
            return
        if self._request.on_unknown == "ignore":
            leftover = {name: part for name, part in leftover.items() if not _is_unknown(part)}
        self._append(cells, leftover if self._request.rescue else {})

    def malformed(self, cells: dict[str, Any], text: str, reason: str) -> None:
        """Add what is malformed, as the mode wants it.

        Raises
        ------
        MalformedRecord
            The mode is FAILFAST.
        """
        if self._request.mode == "FAILFAST":
            raise MalformedRecord(self._file.url, text)
        if self._request.mode == "DROPMALFORMED":
            self._bad.append((text, reason))
            return
        if self._request.corrupt_column is not None:
            self._append(cells | {self._request.corrupt_column: text}, {})
        else:  # without a column of its own the text would be lost
            self._append(cells, {_CORRUPT_RECORD: Leaf(quoted(text))} if self._request.rescue else {})

    def piece(self) -> Piece:
        """Return the rows.

        Raises
        ------
        UnknownFields
            Some record has fields that the schema does not have, and the request wants it to be an error.
        """
        if self._first_unknown is not None:
            raise UnknownFields(self._file.url, self._first_unknown, list(self._unknown))
        if self._request.bad_records is not None:
            for text, reason in self._bad:
                self._request.bad_records(self._file.url, text, reason)
        schema = to_arrow_schema(self._request.schema, timezone="UTC")
        columns = [pa.array([row.get(field.name) for row in self._rows], field.type) for field in schema]
        rescued = pa.array(self._rescued, pa.string()) if any(self._rescued) else None
        return Piece(self._file, batch_of(columns, schema, len(self._rows)), rescued)

    def _append(self, cells: dict[str, Any], leftover: dict[str, Leftover]) -> None:
        self._rows.append(cells)
        self._rescued.append(rescued_text(leftover, self._file.url) if leftover else None)

    def _note_unknown(self, leftover: dict[str, Leftover]) -> None:
        names = dict.fromkeys(unknown_names(leftover))
        if names and self._first_unknown is None:
            self._first_unknown = unknown_text(leftover)
        self._unknown |= names


def _is_unknown(part: Leftover) -> bool:
    return isinstance(part, Leaf) and part.unknown


FORMAT = XmlFormat()
