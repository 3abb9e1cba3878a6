"""The format ``csv``: columns are matched by name, or by position in files without a header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyspark.sql.types import StructType

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.csv.blocks import blocks
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.parser import CsvParser
from pyspark_cloudfiles.formats.records.batches import coalesced_rows
from pyspark_cloudfiles.formats.records.engine import Engine


class CsvFormat:
    """The format ``csv``."""

    name = "csv"

    def fixed_schema(self) -> StructType | None:
        """Return None: the schema is in the data."""
        return None

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
        """Return the schema of the files: the columns in the order in which they came up first."""
        from pyspark_cloudfiles.formats.csv.inference import CsvTypes  # tasks that read do not infer

        types = CsvTypes(request)
        for file in files:
            types.add(file)
        return types.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files."""
        dialect = Dialect.of(request.options)
        engine = Engine(CsvParser(request, dialect), request)
        return coalesced_rows(map(engine.rows, blocks(files, dialect, request)))


FORMAT = CsvFormat()
