"""Batches of a file that has columns and types of its own, as the stream's schema wants them.

Columns that fit are converted whole; only those that do not are looked at value by value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DataType, StructField, StructType

from pyspark_cloudfiles.errors import UnknownFields, UnreadableFile
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats.arrow_types import batch_of, normalized
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.fitting import Fitting, fits, unknown_fields
from pyspark_cloudfiles.formats.leftovers import rescued_column
from pyspark_cloudfiles.formats.pieces import Piece

# Values that are left over, one for each row, with the name of their column.
_Left = tuple[str, "pa.Array | Sequence[Any]"]


class FileColumns:
    """What becomes of one file's columns.

    Parameters
    ----------
    source : StructType
        The file's schema.

    Raises
    ------
    UnknownFields
        The file has columns that the schema does not have, and the request wants to know.
    """

    def __init__(self, file: SourceFile, source: StructType, request: ReadRequest) -> None:
        if request.on_unknown == "error" and (unknown := list(unknown_fields(source, request.schema))):
            raise UnknownFields(file.url, None, unknown)
        self._file, self._source, self._request = file, source, request
        self._fitting = Fitting.of(request)
        self._schema = to_arrow_schema(request.schema, timezone="UTC")
        self._pairs = self._fitting.pairs(source, request.schema)
        self._left_over = self._fitting.left_over(source, request.schema)

    def needed(self) -> list[str] | None:
        """Return the columns to read; None for all of them."""
        wanted = {index for index in self._pairs if index is not None} | set(self._left_over)
        if len(wanted) == len(self._source):
            return None
        return [name for index, name in enumerate(self._source.names) if index in wanted]

    def piece(self, batch: pa.RecordBatch) -> Piece:
        """Return a batch of the file as the request wants it.

        Raises
        ------
        UnreadableFile
            A value does not fit, and there is no rescued column.
        """
        arrays = {name: batch.column(index) for index, name in reversed(list(enumerate(batch.schema.names)))}
        columns: list[pa.Array] = []
        left: list[_Left] = []
        for index, field, wanted in zip(self._pairs, self._request.schema, self._schema, strict=True):
            if index is None:
                columns.append(pa.nulls(batch.num_rows, wanted.type))
                continue
            source = self._source[index]
            array, rest = self._fitted(normalized(arrays[source.name], source.dataType), source, field, wanted.type)
            columns.append(array)
            if rest is not None:
                left.append((source.name, rest))
        for index in self._left_over:
            source = self._source[index]
            left.append((source.name, normalized(arrays[source.name], source.dataType)))
        return Piece(
            self._file,
            batch_of(columns, self._schema, batch.num_rows),
            rescued_column(left, batch.num_rows, self._file) if left else None,
        )

    def _fitted(
        self, array: pa.Array, source: StructField, target: StructField, wanted: pa.DataType
    ) -> tuple[pa.Array, pa.Array | Sequence[Any] | None]:
        if array.type == wanted:
            return array, None
        if self._fitting.whole(source.dataType, target.dataType):
            try:
                # Bytes become text without being looked at, as in Spark.
                return pc.cast(array, options=pc.CastOptions(wanted, allow_invalid_utf8=True)), None
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                pass  # some value is too large for it: which, is to be found
        elif not fits(source.dataType, target.dataType):
            return pa.nulls(len(array), wanted), self._checked(array, source, target.dataType)
        pairs = [self._fitting.split(value, source.dataType, target.dataType) for value in array.to_pylist()]
        rest = self._checked([over for _, over in pairs], source, target.dataType)
        return pa.array([fitted for fitted, _ in pairs], wanted), rest

    def _checked(
        self, rest: pa.Array | Sequence[Any], source: StructField, target: DataType
    ) -> pa.Array | Sequence[Any] | None:
        if rest.null_count == len(rest) if isinstance(rest, pa.Array) else all(value is None for value in rest):
            return None
        if not self._request.rescue:
            raise UnreadableFile(
                self._file.url,
                f"column {source.name} is {source.dataType.simpleString().upper()} there, and some of it does not fit "
                f"{target.simpleString().upper()}, as the schema has it.",
            )
        return rest
