"""The formats ``parquet``, read one row group at a time, and ``orc``, read one stripe at a time.

Their dates and timestamps may be of the hybrid calendar: Spark 2 and Hive count days before 1582-10-15 by the Julian
calendar, and so do Spark 3 and 4 in the mode ``LEGACY``.  The metadata of such a file says so; otherwise the option
``datetimeRebaseMode`` or ``int96RebaseMode`` decides, as for Spark's readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InferenceFailed, InvalidOption, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import BATCH_BYTES, Format, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.engine import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.file_schemas import (
    LOCAL_MOMENT,
    Merged,
    NoArrowTypeError,
    apply_notes,
    is_shredded,
    open_arrow_file,
    schema_of,
)
from pyspark_cloudfiles.formats.fitting import FileColumns

MODES = ("CORRECTED", "LEGACY", "EXCEPTION")
_VERSION, _ZONE = b"org.apache.spark.version", b"org.apache.spark.timeZone"  # as Spark's writers note them
# Option of the reader, first release whose files may be proleptic, and the note of a later file that is hybrid.
DATETIME = ("datetimerebasemode", "3.0.0", b"org.apache.spark.legacyDateTime")
INT96 = ("int96rebasemode", "3.1.0", b"org.apache.spark.legacyINT96")
_NAMES = {"datetimerebasemode": "datetimeRebaseMode", "int96rebasemode": "int96RebaseMode"}
# The first day, and the first year's moment, from which the calendars and the zones' clocks agree.
_GREGORIAN = -141_427  # 1582-10-15
_DAY = 86_400_000_000
_PLAIN_CLOCKS = -2_208_988_800_000_000  # 1900-01-01 in UTC
_UTC = (b"UTC", b"Etc/UTC", b"GMT", b"Z")


@dataclass(frozen=True)
class Calendar:
    """The calendar of a file's dates and timestamps.

    In the mode CORRECTED they are proleptic, in LEGACY hybrid; in EXCEPTION their calendar is unknown, so ancient
    ones are an error.  ``option`` decides if the file does not; ``zone`` is the time zone of hybrid timestamps.
    """

    mode: str
    option: str
    zone: bytes = b"UTC"

    def dates(self, array: pa.Array, file: SourceFile) -> pa.Array:
        """Return dates in the proleptic calendar; raise UnreadableFile for ancient ones of an unknown calendar."""
        days = array.cast(pa.date32()).cast(pa.int32())
        if self.mode == "CORRECTED" or not _has_before(days, _GREGORIAN):
            return array
        if self.mode == "EXCEPTION":
            raise self._ambiguous(file, "a date before 1582-10-15")
        return _changed(days, proleptic).cast(pa.date32())

    def timestamps(self, array: pa.Array, file: SourceFile) -> pa.Array:
        """Return timestamps in the proleptic calendar; refuse ancient ones, unless hybrid and in UTC."""
        if self.mode == "CORRECTED":
            return array
        micros = array.cast(pa.timestamp("us", array.type.tz), safe=False).cast(pa.int64())
        if not _has_before(micros, _PLAIN_CLOCKS):
            return array
        if self.mode == "EXCEPTION":
            raise self._ambiguous(file, "a timestamp before 1900-01-01")
        if self.zone not in _UTC:
            raise UnreadableFile(
                file.url,
                f"it has a timestamp before 1900-01-01 of the hybrid calendar in the time zone {self.zone.decode()}, "
                "and only those in UTC are read here. Write it again with Spark, in the CORRECTED mode.",
            )

        def convert(numbers: np.ndarray) -> np.ndarray:
            day = numbers // _DAY
            return numbers + np.where(day < _GREGORIAN, (proleptic(day) - day) * _DAY, 0)

        return _changed(micros, convert).cast(pa.timestamp("us", array.type.tz))

    def _ambiguous(self, file: SourceFile, value: str) -> UnreadableFile:
        return UnreadableFile(
            file.url,
            f"[INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME] it has {value}, and does not say by which "
            f"calendar. Set the option {_NAMES[self.option]} to LEGACY if it was written by Spark 2 or Hive, and to "
            "CORRECTED otherwise.",
        )


#: Of ORC files: Spark writes hybrid dates into them, and reads all of them as hybrid.
HYBRID = Calendar("LEGACY", "")


def file_calendar(
    metadata: Mapping[bytes, bytes], options: Mapping[str, str], kind: tuple[str, str, bytes] = DATETIME
) -> Calendar:
    """Return the calendar of a file's dates and timestamps, or for INT96 of its timestamps of 96 bits."""
    option, since, note = kind
    mode = options.get(option, "CORRECTED").upper()
    if mode not in MODES:
        raise InvalidOption(f"{_NAMES[option]} is {mode!r}. Choose one of {', '.join(MODES)}.")
    version = metadata.get(_VERSION)
    if version is not None:
        mode = "LEGACY" if version.decode() < since or note in metadata else "CORRECTED"
    return Calendar(mode, option, metadata.get(_ZONE, b"UTC"))


def proleptic(days: np.ndarray) -> np.ndarray:
    """Return the days since the epoch of the dates with the same year, month and day in the proleptic calendar."""
    julian = days.astype(np.int64) + 2_472_670  # since the 1st of March of the year -4800
    year = (4 * julian + 3) // 1461
    # From March on, all years have the same days; a day that only the Julian calendar has is the 1st of March.
    rest = julian - 1461 * year // 4
    return rest + 365 * year + year // 4 - year // 100 + year // 400 - 2_472_632


def _has_before(values: pa.Array, first: int) -> bool:
    lowest = pc.min(values).as_py()
    return lowest is not None and lowest < first


def _changed(values: pa.Array, change: Callable[[np.ndarray], Any]) -> pa.Array:
    """Apply a change to integers that are not NULL; Gregorian dates stay."""
    numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
    found = change(numbers)
    if values.type == pa.int32():
        found = np.where(numbers < _GREGORIAN, found, numbers)
    return pa.array(found.astype(numbers.dtype), values.type, mask=values.is_null().to_numpy(zero_copy_only=False))


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
