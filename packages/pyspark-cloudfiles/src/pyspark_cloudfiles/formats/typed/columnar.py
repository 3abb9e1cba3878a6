"""The formats ``parquet``, read one row group at a time, and ``orc``, read one stripe at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import repeat

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InferenceFailed, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import BATCH_BYTES, Format, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.batches import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.typed.calendars import HYBRID, INT96, file_calendar
from pyspark_cloudfiles.formats.typed.file_schemas import (
    LOCAL_MOMENT,
    Merged,
    NoArrowTypeError,
    apply_notes,
    is_shredded,
    open_arrow_file,
    schema_of,
)
from pyspark_cloudfiles.formats.typed.fitting import FileColumns

_ROWS_LIMIT = 65_536


class ParquetFormat(Format):
    """Reads what Spark's Parquet reader reads, and also timestamps with nanoseconds, which are cut."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        merged = Merged(request.case_sensitive, request.hinted)
        for file in files:
            with _open_parquet(file) as parquet:
                if parquet is not None:
                    merged.add(_inferred(file, parquet, request.hinted), file.url)
        return merged.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        return batches_of(rows for file in files for rows in _parquet_rows(file, request))


def _parquet_rows(file: SourceFile, request: ReadRequest) -> Iterator[FileRows]:
    with _open_parquet(file) as parquet:
        if parquet is None:
            return
        schema, metadata = _parquet_schema(file, parquet), parquet.metadata.metadata or {}
        calendar, int96 = file_calendar(metadata, request.options), file_calendar(metadata, request.options, INT96)

        def convert_times(array: pa.Array, data_type: T.DataType) -> pa.Array:
            if isinstance(data_type, T.DateType):
                return calendar.dates(array, file)
            if isinstance(data_type, T.TimestampType):
                # To Spark, timestamps of 96 bits are moments; Arrow has no time zone for them.
                return (int96 if array.type.tz is None else calendar).timestamps(array, file)
            return array

        columns = FileColumns(file, schema, request, convert_times)
        needed = columns.needed()
        for field in schema:
            if (needed is None or field.name in needed) and is_shredded(field.dataType):
                raise UnreadableFile(
                    file.url,
                    f"column {field.name} has a shredded VARIANT, which is not read here. Write it with "
                    "spark.sql.variant.writeShredding.enabled=false, or as a STRING with to_json.",
                )
        for batch in parquet.iter_batches(_rows_per_batch(parquet), columns=needed):
            yield columns.piece(batch)


@contextmanager
def _open_parquet(file: SourceFile) -> Iterator[pq.ParquetFile | None]:
    with open_arrow_file(file, "a Parquet") as source:
        if source is None:
            yield None
            return
        # Columns are buffered in pieces: a row group as a whole may be larger than the worker's memory.
        with pq.ParquetFile(source, pre_buffer=False, buffer_size=1 << 20, coerce_int96_timestamp_unit="us") as parquet:
            yield parquet


def _parquet_schema(file: SourceFile, parquet: pq.ParquetFile) -> T.StructType:
    physical = (parquet.schema.column(index).physical_type for index in range(len(parquet.schema)))
    return schema_of(file, parquet.schema_arrow, physical)


def _inferred(file: SourceFile, parquet: pq.ParquetFile, hinted: frozenset[str]) -> T.StructType:
    try:
        schema = _parquet_schema(file, parquet)
        return apply_notes(schema, parquet.metadata.metadata or {})
    except UnreadableFile as error:
        raise InferenceFailed(f"{error.message()}") from error
    except NoArrowTypeError as error:
        if str(error).split(" ")[0].split(".")[0].lower() in hinted:
            return schema
        raise InferenceFailed(f"Failed to infer the schema: in {file.url} column {error}.") from error


def _rows_per_batch(parquet: pq.ParquetFile) -> int:
    """Return the rows of about a batch, assuming that they are as large in memory as in the file."""
    metadata = parquet.metadata
    size = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
    return max(1, min(_ROWS_LIMIT, BATCH_BYTES * max(metadata.num_rows, 1) // max(size, 1)))


class OrcFormat(Format):
    """Reads ORC.  Timestamps end in the year 2262, where nanoseconds in 64 bits end."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Raise InferenceFailed, as Auto Loader does."""
        raise InferenceFailed(
            "The schema of ORC files is not inferred. Give one: .schema(spark.read.orc(path).schema), for example."
        )

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        return batches_of(rows for file in files for rows in _orc_rows(file, request))


def _orc_rows(file: SourceFile, request: ReadRequest) -> Iterator[FileRows]:
    from pyarrow.orc import ORCFile  # not for Parquet

    with open_arrow_file(file, "an ORC") as source:
        if source is None:
            return
        orc = ORCFile(source)
        # Wall clocks are moments to Spark, unless the request wants wall clocks.
        clocks = {field.name.lower() for field in request.schema if "timestamp_ntz" in field.dataType.simpleString()}
        schema = T.StructType()
        for field in orc.schema:
            physical = repeat("" if field.name.lower() in clocks else LOCAL_MOMENT)
            schema.add(schema_of(file, pa.schema([field]), physical)[0])
        columns = FileColumns(file, schema, request, partial(_convert_orc_times, file, request))
        needed = columns.needed()
        if needed == []:
            yield columns.piece(batch_of([], pa.schema([]), orc.nrows))
            return
        for number in range(orc.nstripes):
            try:
                stripe = orc.read_stripe(number, columns=needed)
            except pa.ArrowInvalid as error:
                if "out of range for nanosecond" not in str(error):
                    raise
                raise UnreadableFile(
                    file.url,
                    f"it has a timestamp outside of the years 1677 to 2262 ({error}), which is not read from ORC. "
                    "Write it as Parquet, or leave the column out of the schema.",
                ) from error
            yield columns.piece(stripe)


def _convert_orc_times(file: SourceFile, request: ReadRequest, array: pa.Array, data_type: T.DataType) -> pa.Array:
    """Return days of Spark's calendar, and moments: ORC stores what the clock of the writer's machine showed.

    Java's reader of ORC takes it for what the clock of this machine showed, whatever the session's time zone.
    """
    if isinstance(data_type, T.DateType):
        return HYBRID.dates(array, file)
    if isinstance(data_type, T.TimestampType) and array.type.tz is None:
        zone = request.machine_timezone.removeprefix("GMT") or "UTC"
        return pc.assume_timezone(array, zone, ambiguous="earliest", nonexistent="latest")
    return array
