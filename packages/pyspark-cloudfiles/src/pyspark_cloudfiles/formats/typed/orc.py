"""The format ``orc``, read one stripe at a time; its schema must be given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.orc import ORCFile
from pyspark.sql.types import DataType, DateType, StructType, TimestampType

from pyspark_cloudfiles.errors import InferenceFailed
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.typed.calendars import HYBRID
from pyspark_cloudfiles.formats.typed.fitting import FileColumns
from pyspark_cloudfiles.formats.typed.opening import opened, schema_of


class OrcFormat:
    """Reads ORC.  Timestamps end in the year 2262, where nanoseconds in 64 bits end."""

    name = "orc"

    def fixed_schema(self) -> None:
        """Return None: each file has its own."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
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
        columns = FileColumns(file, schema_of(file, orc.schema), request, partial(_changed, file))
        needed = columns.needed()
        if needed == []:
            yield columns.piece(batch_of([], pa.schema([]), orc.nrows))
            return
        for stripe in range(orc.nstripes):
            yield columns.piece(_with_zone(orc.read_stripe(stripe, columns=needed), request))


def _changed(file: SourceFile, array: pa.Array, data_type: DataType) -> pa.Array:
    return HYBRID.dates(array, file) if isinstance(data_type, DateType) else array


def _with_zone(batch: pa.RecordBatch, request: ReadRequest) -> pa.RecordBatch:
    """Return timestamps as moments: ORC keeps what the clock showed, and Spark's are where its session is."""
    if request.timezone == "UTC":
        return batch
    moments = {field.name.lower() for field in request.schema if isinstance(field.dataType, TimestampType)}
    for index, field in enumerate(batch.schema):
        if field.name.lower() in moments and pa.types.is_timestamp(field.type) and field.type.tz is None:
            column = pc.assume_timezone(batch[index], request.timezone, ambiguous="earliest", nonexistent="latest")
            batch = batch.set_column(index, field.name, column)
    return batch


FORMAT = OrcFormat()
