"""The format ``xml``: a row for each element with the name ``rowTag``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import UnsupportedOption
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batches_of
from pyspark_cloudfiles.formats.records.outcome import Record, file_rows
from pyspark_cloudfiles.formats.xml.elements import Broken, Element, XmlOptions, records
from pyspark_cloudfiles.formats.xml.inference import XmlTypes
from pyspark_cloudfiles.formats.xml.row_reader import XmlRowReader

_WILDCARD = "xs_any"


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
        """Read the files.

        Raises
        ------
        UnsupportedOption
            The schema has the column in which Spark collects the elements that have no column.
        """
        if _WILDCARD in request.schema.names:
            raise UnsupportedOption(
                f"The column {_WILDCARD} of XML, which takes the elements that have no column, is not supported. Read "
                "them from the rescued data column, or name a column for each."
            )
        options = XmlOptions.of(request.options)
        return batches_of(piece for file in files for piece in _pieces(file, request, options))


def _pieces(file: SourceFile, request: ReadRequest, options: XmlOptions) -> Iterator[FileRows]:
    rows = XmlRowReader(request, options)
    for some in records(file, options):
        yield file_rows(file, (_record(found, rows) for found in some), request)


def _record(found: Element | Broken, rows: XmlRowReader) -> tuple[Record, Callable[[], str]]:
    if isinstance(found, Broken):
        return Record(None, malformed="it is no XML"), partial(str, found.text)
    return rows.record(found), found.outer


FORMAT = XmlFormat()
