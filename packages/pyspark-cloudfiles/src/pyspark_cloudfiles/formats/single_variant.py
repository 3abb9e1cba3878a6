"""``singleVariantColumn``: each record as one VARIANT, whatever is in it.

There is nothing to infer and nothing that could drift, so a stream needs no schema location.  What is malformed is NULL
by default; its text is kept where there is a column for it, ``columnNameOfCorruptRecord`` in the user's schema or the
``rescuedDataColumn``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType, VariantType

from pyspark_cloudfiles.errors import InvalidOption, MalformedRecord
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.arrow_types import batch_of
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.batches import Piece, gathered
from pyspark_cloudfiles.values.rescue import CORRUPT_RECORD, Leaf, quoted, rescued_text

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

    def fixed_schema(self) -> StructType:
        """Return the one column."""
        return StructType([StructField(self._column, VariantType())])

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
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
        if columns != {self._column: VariantType()}:
            raise InvalidOption(
                f"singleVariantColumn is {self._column}, and the schema is {request.schema.simpleString()}. Give none, "
                f"or one with {self._column} VARIANT and, if you like, a column for corrupt records."
            )
        return gathered(piece for file in files for piece in self._pieces(file, request))

    def _pieces(self, file: SourceFile, request: ReadRequest) -> Iterator[Piece]:
        from pyspark_cloudfiles.formats import variant_records  # the process that plans reads nothing

        records = getattr(variant_records, f"{self.name}_records")
        for some in records(file, request):
            yield _piece(file, some, request)


def _piece(file: SourceFile, records: list, request: ReadRequest) -> Piece:
    from pyspark_cloudfiles.formats import variants  # as above

    bad = next((record.malformed for record in records if record.malformed is not None), None)
    if bad is not None and request.mode == "FAILFAST":
        raise MalformedRecord(file.url, bad)
    if bad is not None and request.mode == "DROPMALFORMED":
        if request.bad_records is not None:
            for record in records:
                if record.malformed is not None:
                    request.bad_records(file.url, record.malformed, "it is malformed")
        records = [record for record in records if record.malformed is None]
    schema = to_arrow_schema(request.schema, timezone="UTC")
    malformed = [record.malformed for record in records]
    columns = [
        pa.array(malformed, pa.string())
        if field.name == request.corrupt_column
        else variants.column([record.variant for record in records])
        for field in schema
    ]
    rescued = None
    if request.rescue and request.corrupt_column is None and any(text is not None for text in malformed):
        rescued = pa.array([None if text is None else _rescued(text, file) for text in malformed], pa.string())
    return Piece(file, batch_of(columns, schema, len(records)), rescued)


def _rescued(text: str, file: SourceFile) -> str:
    return rescued_text({CORRUPT_RECORD: Leaf(quoted(text))}, file.url)
