"""The option ``singleVariantColumn``: each record as one VARIANT.

There is nothing to infer and nothing that could drift, so a stream needs no schema location.  What is malformed is NULL
by default; its text is kept where there is a column for it, ``columnNameOfCorruptRecord`` in the user's schema or the
``rescuedDataColumn``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batches_of

FORMATS = ("json", "csv", "xml")


class SingleVariantFormat:
    """Reads the records of a text format into one column.

    Parameters
    ----------
    name : str
        The text format: json, csv or xml.
    column : str
        The column's name.
    """

    def __init__(self, name: str, column: str) -> None:
        self.name, self._column = name, column

    def fixed_schema(self) -> T.StructType:
        """Return the one column."""
        return T.StructType([T.StructField(self._column, T.VariantType())])

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the one column."""
        return self.fixed_schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files.

        Raises
        ------
        InvalidOption
            The schema has other columns than the VARIANT, or none of its name.
        """
        columns = {field.name: field.dataType for field in request.schema if field.name != request.corrupt_column}
        if columns != {self._column: T.VariantType()}:
            raise InvalidOption(
                f"singleVariantColumn is {self._column}, and the schema is {request.schema.simpleString()}. Give none, "
                f"or one with {self._column} VARIANT and, if you like, a column for corrupt records."
            )
        return batches_of(piece for file in files for piece in self._pieces(file, request))

    def _pieces(self, file: SourceFile, request: ReadRequest) -> Iterator[FileRows]:
        # The process that plans reads nothing.
        from pyspark_cloudfiles.formats.records.outcome import file_rows
        from pyspark_cloudfiles.formats.variant import records

        for some in getattr(records, f"{self.name}_records")(file, request):
            yield file_rows(file, ((record, partial(str, text)) for record, text in some), request)
