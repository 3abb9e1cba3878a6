"""The format ``orc``, read one stripe at a time; its schema must be given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.orc import ORCFile
from pyspark.sql.types import StructType, TimestampType

from pyspark_cloudfiles.errors import InferenceFailed, MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batches_of
from pyspark_cloudfiles.formats.typed.arrow_types import UnknownArrowTypeError, batch_of, spark_schema
from pyspark_cloudfiles.formats.typed.fitting import FileColumns


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
    with _opened(file) as orc:
        if orc is None:
            return
        columns = FileColumns(file, _schema(file, orc), request)
        needed = columns.needed()
        if needed == []:
            yield columns.piece(batch_of([], pa.schema([]), orc.nrows))
            return
        for stripe in range(orc.nstripes):
            yield columns.piece(_with_zone(orc.read_stripe(stripe, columns=needed), request))


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


@contextmanager
def _opened(file: SourceFile) -> Iterator[ORCFile | None]:
    """Open a file; None for one without any bytes, which Spark passes over."""
    try:
        with filesystem.open_arrow(file.url) as source:
            yield ORCFile(source) if source.size() else None
    except FileNotFoundError as error:
        raise MissingFile(file.url) from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(file.url, f"it cannot be read as an ORC file ({error}).") from error


def _schema(file: SourceFile, orc: ORCFile) -> StructType:
    try:
        return spark_schema(orc.schema)
    except UnknownArrowTypeError as error:
        raise UnreadableFile(file.url, f"it has a column of type {error}, which Spark does not have.") from error


FORMAT = OrcFormat()
