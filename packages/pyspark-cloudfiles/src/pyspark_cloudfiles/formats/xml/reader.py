"""The format ``xml``: a row for each element with the name ``rowTag``.

Records that have the same fields take the fast path (:mod:`.fast_path`); all others go through the parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pyspark.sql.types import StructType

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batches_of
from pyspark_cloudfiles.formats.records.outcome import Outcome, Record
from pyspark_cloudfiles.formats.xml.elements import Broken, Element, XmlOptions, elements, opened, parsed, records
from pyspark_cloudfiles.formats.xml.fast_path import ColumnReader, RestOfFile, texts
from pyspark_cloudfiles.formats.xml.inference import XmlTypes
from pyspark_cloudfiles.formats.xml.row_reader import XmlRowReader


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
        return batches_of(piece for file in files for piece in _pieces(file, request, options))


def _pieces(file: SourceFile, request: ReadRequest, options: XmlOptions) -> Iterator[FileRows]:
    rows, columns = XmlRowReader(request, options), ColumnReader(request, options)
    with opened(file, options) as (source, decode):
        for some in texts(source, decode, options):
            if isinstance(some, RestOfFile):
                if some.is_all:
                    return
                for part in parsed(file, options, source, decode, some.opening, some.text):
                    yield _piece(file, part, request, rows)
                return
            batch = columns.batch(some.cut) if base.FAST_PATH else None
            if batch is not None:
                yield FileRows(file, batch)
            else:
                yield _piece(file, elements(some.opening, some.text, some.closing, options), request, rows)


def _piece(file: SourceFile, some: list[Element | Broken], request: ReadRequest, rows: XmlRowReader) -> FileRows:
    outcome = Outcome(request)
    for number, record in enumerate(some):
        if isinstance(record, Broken):
            outcome.add(number, file.url, [Record(None, malformed="it is no XML")], partial(str, record.text))
        else:
            outcome.add(number, file.url, [rows.record(record)], record.outer)
    _, batch, rescued = outcome.rows()
    return FileRows(file, batch, rescued)


FORMAT = XmlFormat()
