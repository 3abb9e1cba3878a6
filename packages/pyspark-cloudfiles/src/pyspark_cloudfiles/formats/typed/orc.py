"""The format ``orc``, read one stripe at a time; its schema must be given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import repeat

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.orc import ORCFile
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InferenceFailed, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.typed.arrow_types import LOCAL_MOMENT, opened, schema_of
from pyspark_cloudfiles.formats.typed.calendars import HYBRID
from pyspark_cloudfiles.formats.typed.fitting import FileColumns


class OrcFormat:
    """Reads ORC.  Timestamps end in the year 2262, where nanoseconds in 64 bits end."""

    name = "orc"

    def fixed_schema(self) -> None:
        """Return None: each file has its own."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Raise an error: Auto Loader infers no schema from ORC.

        Raises
        ------
        InferenceFailed
            Always.
        """
        raise InferenceFailed(
            "The schema of ORC files is not inferred. Give one: .schema(spark.read.orc(path).schema), for example."
        )

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files."""
        return batches_of(piece for file in files for piece in _pieces(file, request))


def _pieces(file: SourceFile, request: ReadRequest) -> Iterator[FileRows]:
    with opened(file, "an ORC") as source:
        if source is None:
            return
        orc = ORCFile(source)
        columns = FileColumns(file, _schema(file, orc.schema, request), request, partial(_changed, file, request))
        needed = columns.needed()
        if needed == []:
            yield columns.piece(batch_of([], pa.schema([]), orc.nrows))
            return
        for stripe in range(orc.nstripes):
            yield columns.piece(_stripe(file, orc, stripe, needed))


def _stripe(file: SourceFile, orc: ORCFile, number: int, columns: list[str] | None) -> pa.RecordBatch:
    try:
        return orc.read_stripe(number, columns=columns)
    except pa.ArrowInvalid as error:
        if "out of range for nanosecond" not in str(error):
            raise
        raise UnreadableFile(
            file.url,
            f"it has a timestamp outside of the years 1677 to 2262 ({error}), which is not read from ORC. Write it as "
            "Parquet, or leave the column out of the schema.",
        ) from error


def _schema(file: SourceFile, schema: pa.Schema, request: ReadRequest) -> T.StructType:
    """Return the schema of a file, whose wall clocks are moments to Spark, unless the request wants wall clocks."""
    clocks = {field.name.lower() for field in request.schema if "timestamp_ntz" in field.dataType.simpleString()}
    fields = []
    for field in schema:
        physical = repeat("" if field.name.lower() in clocks else LOCAL_MOMENT)
        fields += schema_of(file, pa.schema([field]), physical).fields
    return T.StructType(fields)


def _changed(file: SourceFile, request: ReadRequest, array: pa.Array, data_type: T.DataType) -> pa.Array:
    """Return days of Spark's calendar, and moments: ORC keeps what the clock of the writer's machine showed.

    Java's reader of ORC takes it for what the clock of this machine showed, whatever the time zone of the session.
    """
    if isinstance(data_type, T.DateType):
        return HYBRID.dates(array, file)
    if isinstance(data_type, T.TimestampType) and array.type.tz is None:
        zone = request.machine_timezone.removeprefix("GMT") or "UTC"
        return pc.assume_timezone(array, zone, ambiguous="earliest", nonexistent="latest")
    return array


FORMAT = OrcFormat()
