"""The format ``parquet``, read one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InferenceFailed, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import BATCH_BYTES, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batches_of
from pyspark_cloudfiles.formats.typed.arrow_types import Change, opened, schema_of
from pyspark_cloudfiles.formats.typed.calendars import datetime_calendar, int96_calendar
from pyspark_cloudfiles.formats.typed.fitting import FileColumns
from pyspark_cloudfiles.formats.typed.merging import Merged
from pyspark_cloudfiles.formats.typed.spark_notes import NoArrowTypeError, is_shredded, noted_schema

_MOST_ROWS = 65_536


class ParquetFormat:
    """Reads what Spark's Parquet reader reads, and timestamps with nanoseconds besides, which are cut."""

    name = "parquet"

    def fixed_schema(self) -> None:
        """Return None: each file has its own."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the files' schemas, merged."""
        merged = Merged(request.case_sensitive, request.hinted)
        for file in files:
            with _opened(file) as parquet:
                if parquet is not None:
                    merged.add(_inferred(file, parquet, request.hinted), file.url)
        return merged.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files."""
        return batches_of(piece for file in files for piece in _pieces(file, request))


def _pieces(file: SourceFile, request: ReadRequest) -> Iterator[FileRows]:
    with _opened(file) as parquet:
        if parquet is None:
            return
        schema = _schema(file, parquet)
        columns = FileColumns(file, schema, request, _change(file, parquet, request))
        _refuse_shredded(file, schema, columns.needed())
        for batch in parquet.iter_batches(_rows_at_once(parquet), columns=columns.needed()):
            yield columns.piece(batch)


def _change(file: SourceFile, parquet: pq.ParquetFile, request: ReadRequest) -> Change:
    """Return what makes Spark's values of those that a file has in its own calendars."""
    metadata = parquet.metadata.metadata or {}
    of_times, of_int96 = (
        datetime_calendar(metadata, request.options),
        int96_calendar(metadata, request.options),
    )

    def change(array: pa.Array, data_type: T.DataType) -> pa.Array:
        if isinstance(data_type, T.DateType):
            return of_times.dates(array, file)
        if isinstance(data_type, T.TimestampType):
            # Spark has moments of 96 bits, and Arrow no time zone.
            return (of_int96 if array.type.tz is None else of_times).timestamps(array, file)
        return array

    return change


@contextmanager
def _opened(file: SourceFile) -> Iterator[pq.ParquetFile | None]:
    with opened(file, "a Parquet") as source:
        if source is None:
            yield None
            return
        # Columns are buffered in pieces: a row group as a whole may be larger than the worker's memory.
        with pq.ParquetFile(source, pre_buffer=False, buffer_size=1 << 20, coerce_int96_timestamp_unit="us") as parquet:
            yield parquet


def _schema(file: SourceFile, parquet: pq.ParquetFile) -> T.StructType:
    physical = (parquet.schema.column(index).physical_type for index in range(len(parquet.schema)))
    return schema_of(file, parquet.schema_arrow, physical)


def _inferred(file: SourceFile, parquet: pq.ParquetFile, hinted: frozenset[str]) -> T.StructType:
    try:
        schema = _schema(file, parquet)
        return noted_schema(schema, parquet.metadata.metadata or {})
    except UnreadableFile as error:
        raise InferenceFailed(f"{error.message()}") from error
    except NoArrowTypeError as error:
        if str(error).split(" ")[0].split(".")[0].lower() in hinted:
            return schema
        raise InferenceFailed(f"Failed to infer the schema: in {file.url} column {error}.") from error


def _refuse_shredded(file: SourceFile, schema: T.StructType, needed: list[str] | None) -> None:
    for field in schema:
        if (needed is None or field.name in needed) and is_shredded(field.dataType):
            raise UnreadableFile(
                file.url,
                f"column {field.name} has a shredded VARIANT, which is not read here. Write it with "
                "spark.sql.variant.writeShredding.enabled=false, or as a STRING with to_json.",
            )


def _rows_at_once(parquet: pq.ParquetFile) -> int:
    """Return how many rows are about a batch, if they are as large when read as they are in the file."""
    metadata = parquet.metadata
    size = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
    return max(1, min(_MOST_ROWS, BATCH_BYTES * max(metadata.num_rows, 1) // max(size, 1)))


FORMAT = ParquetFormat()
