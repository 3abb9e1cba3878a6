"""Batches of a typed file converted to the stream's schema.

A type fits if Spark's Parquet reader would read one as the other; other values are left over.  Fields are matched by
name, by default exactly.  Columns that fit are converted whole; only others are converted value by value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.conversion import DIGITS
from pyspark_cloudfiles.errors import UnknownFields, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import Names, ReadRequest
from pyspark_cloudfiles.formats.engine import FileRows, batch_of
from pyspark_cloudfiles.formats.file_schemas import Change, change_leaves, normalize_array
from pyspark_cloudfiles.rescue import rescued_values

_BITS = {T.ByteType: 8, T.ShortType: 16, T.IntegerType: 32}
_SMALL = (T.ByteType, T.ShortType, T.IntegerType)
_FITS: dict[type[T.DataType], tuple[type[T.DataType], ...]] = {
    # A smaller integer is tried value by value; Spark would truncate it.
    T.ByteType: (*_SMALL, T.LongType, T.DoubleType),
    T.ShortType: (*_SMALL, T.LongType, T.DoubleType),
    T.IntegerType: (*_SMALL, T.LongType, T.DoubleType),
    T.FloatType: (T.DoubleType,),
    T.StringType: (T.BinaryType,),
    T.BinaryType: (T.StringType,),
    # Spark writes intervals as microseconds.
    T.LongType: (T.DayTimeIntervalType,),
    T.DateType: (T.TimestampNTZType,),
    T.TimestampType: (T.TimestampNTZType,),
    T.TimestampNTZType: (T.TimestampType,),
}
# The leftover values of a column, one for each row, with its name.
_Left = tuple[str, "pa.Array | Sequence[Any]"]


class FileColumns:
    """Converts the columns of one file, after a change of the format's.

    UnknownFields is raised for columns that the schema does not have, if requested, and UnreadableFile if several
    columns match one of the schema in other cases.
    """

    def __init__(
        self, file: SourceFile, source: T.StructType, request: ReadRequest, change: Change | None = None
    ) -> None:
        for name in () if request.case_sensitive else set(request.schema.names) - set(source.names):
            same = [other for other in source.names if other.lower() == name.lower()]
            if len(same) > 1:  # another reader would take another one
                raise UnreadableFile(
                    file.url,
                    f"its columns {' and '.join(same)} are both {name} where case does not matter. Set "
                    "readerCaseSensitive to true and name one of them in the schema.",
                )
        if request.on_unknown == "error" and (unknown := list(unknown_fields(source, request.schema))):
            raise UnknownFields(file.url, None, unknown)
        self._file, self._source, self._request, self._change = file, source, request, change
        keeps_unknown = request.rescue and request.on_unknown == "rescue"
        self._fitting = Fitting(request.case_sensitive, keeps_unknown, request.rescue)
        self._schema = to_arrow_schema(request.schema, timezone="UTC")
        self._pairs = self._fitting.pairs(source, request.schema)
        self._left_over = self._fitting.left_over(source, request.schema)

    def needed(self) -> list[str] | None:
        """Return the columns to read; None for all of them."""
        wanted = {index for index in self._pairs if index is not None} | set(self._left_over)
        if len(wanted) == len(self._source):
            return None
        return [name for index, name in enumerate(self._source.names) if index in wanted]

    def piece(self, batch: pa.RecordBatch) -> FileRows:
        """Return a batch of the file for the request; raise UnreadableFile for a misfit without a rescued column."""
        arrays = {name: batch.column(index) for index, name in reversed(list(enumerate(batch.schema.names)))}
        columns: list[pa.Array] = []
        left: list[_Left] = []
        for index, field, wanted in zip(self._pairs, self._request.schema, self._schema, strict=True):
            if index is None:
                columns.append(pa.nulls(batch.num_rows, wanted.type))
                continue
            source = self._source[index]
            array, rest = self._fitted(self._normalized(arrays, source), source, field, wanted.type)
            columns.append(array)
            if rest is not None:
                left.append((source.name, rest))
        for index in self._left_over:
            source = self._source[index]
            left.append((source.name, self._normalized(arrays, source)))
        return FileRows(
            self._file,
            batch_of(columns, self._schema, batch.num_rows),
            rescued_values(left, batch.num_rows, self._file) if left else None,
        )

    def _normalized(self, arrays: dict[str, pa.Array], source: T.StructField) -> pa.Array:
        array = arrays[source.name]
        if self._change is not None:
            array = change_leaves(array, source.dataType, self._change)
        return normalize_array(array, source.dataType)

    def _fitted(
        self, array: pa.Array, source: T.StructField, target: T.StructField, wanted: pa.DataType
    ) -> tuple[pa.Array, pa.Array | Sequence[Any] | None]:
        if array.type == wanted:
            return array, None
        if self._fitting.whole(source.dataType, target.dataType):
            try:
                # Bytes become text without a check, as in Spark.
                return pc.cast(array, options=pc.CastOptions(wanted, allow_invalid_utf8=True)), None
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                pass  # some value is too large
        elif not fits(source.dataType, target.dataType):
            return pa.nulls(len(array), wanted), self._checked(array, source, target.dataType)
        pairs = [self._fitting.split(value, source.dataType, target.dataType) for value in array.to_pylist()]
        rest = self._checked([over for _, over in pairs], source, target.dataType)
        return pa.array([fitted for fitted, _ in pairs], wanted), rest

    def _checked(
        self, rest: pa.Array | Sequence[Any], source: T.StructField, target: T.DataType
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


@dataclass(frozen=True)
class Fitting:
    """The rules by which values are made to fit.

    A field in another case is another field if ``case_sensitive``.  Unknown fields, and fields in another case, are
    left over or dropped.
    """

    case_sensitive: bool
    keep_unknown: bool
    keep_other_case: bool

    def pairs(self, source: T.StructType, target: T.StructType) -> list[int | None]:
        """Return the source's field for each field of the target, if any."""
        names = Names(source.names, self.case_sensitive)
        return [names.index_of(name) for name in target.names]

    def left_over(self, source: T.StructType, target: T.StructType) -> list[int]:
        """Return the fields of the source without a field of the target that must be kept."""
        matched, known = set(self.pairs(source, target)), Names(target.names, self.case_sensitive)
        return [
            index
            for index, name in enumerate(source.names)
            if index not in matched and (self.keep_unknown if known.is_unknown(name) else self.keep_other_case)
        ]

    def whole(self, source: T.DataType, target: T.DataType) -> bool:
        """Whether values can be converted as a whole column, with nothing but too large numbers left over."""
        match source, target:
            case T.StructType(), T.StructType():
                pairs = self.pairs(source, target)
                return not self.left_over(source, target) and all(
                    index is None
                    or (source.names[index] == field.name and self.whole(source[index].dataType, field.dataType))
                    for index, field in zip(pairs, target, strict=True)
                )
            case T.ArrayType(), T.ArrayType():
                return self.whole(source.elementType, target.elementType)
            case T.MapType(), T.MapType():
                return self.whole(source.keyType, target.keyType) and self.whole(source.valueType, target.valueType)
        return fits(source, target)

    def split(self, value: Any, source: T.DataType, target: T.DataType) -> tuple[Any, Any]:
        """Return the part of a value that fits, and the leftover; structs are dicts, maps are lists of pairs."""
        if value is None or source == target:
            return value, None
        if not fits(source, target):
            return None, value
        match source, target:
            case T.StructType(), T.StructType():
                return self._split_struct(value, source, target)
            case T.ArrayType(), T.ArrayType():
                pairs = [self.split(element, source.elementType, target.elementType) for element in value]
                rest = [over for _, over in pairs]
                return [fitted for fitted, _ in pairs], rest if any(over is not None for over in rest) else None
            case T.MapType(), T.MapType():
                return self._split_map(value, source, target)
        fitted = convert_value(value, target)
        return fitted, value if fitted is None else None

    def _split_struct(self, value: dict[str, Any], source: T.StructType, target: T.StructType) -> tuple[Any, Any]:
        fitted: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for field, index in zip(target, self.pairs(source, target), strict=True):
            if index is None:
                fitted[field.name] = None
                continue
            name = source.names[index]
            fitted[field.name], over = self.split(value.get(name), source[index].dataType, field.dataType)
            if over is not None:
                rest[name] = over
        for index in self.left_over(source, target):
            over = value.get(source.names[index])
            if over is not None:
                rest[source.names[index]] = over
        return fitted, rest or None

    def _split_map(self, value: list[tuple[Any, Any]], source: T.MapType, target: T.MapType) -> tuple[Any, Any]:
        fitted, rest = [], {}
        for key, item in value:
            new_key, _ = self.split(key, source.keyType, target.keyType)
            new_item, over = self.split(item, source.valueType, target.valueType)
            if new_key is None:  # a map's key cannot be NULL
                rest[key] = item
                continue
            fitted.append((new_key, new_item))
            if over is not None:
                rest[key] = over
        return fitted, rest or None


def fits(source: T.DataType, target: T.DataType) -> bool:
    """Whether values of one type can be of the other; of nested types, only the kind counts."""
    if source == target or isinstance(source, T.NullType):
        return True
    if isinstance(target, T.VariantType):
        return isinstance(source, T.StructType) and set(source.names) == {"value", "metadata"}
    if isinstance(target, T.DecimalType):
        if isinstance(source, T.DecimalType):
            return target.scale >= source.scale and _integral(target) >= _integral(source)
        return _integral(target) >= DIGITS.get(type(source), 99)
    if type(source) is type(target):
        return isinstance(source, T.StructType | T.ArrayType | T.MapType | T.StringType)
    return type(target) in _FITS.get(type(source), ())


def _integral(data_type: T.DecimalType) -> int:
    return data_type.precision - data_type.scale


def convert_value(value: Any, target: T.DataType) -> Any:
    """Return a value whose type fits as the target type, or None if it is too large."""
    match target:
        case T.ByteType() | T.ShortType() | T.IntegerType():
            limit = 1 << (_BITS[type(target)] - 1)
            return value if -limit <= value < limit else None
        case T.DoubleType():
            return float(value)
        case T.StringType() if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        case T.BinaryType() if isinstance(value, str):
            return value.encode()
        case T.TimestampNTZType():
            if not isinstance(value, datetime):
                return datetime.combine(value, time())
            return value.replace(tzinfo=None)  # it was UTC
    return value


def unknown_fields(source: T.DataType, target: T.DataType, prefix: str = "") -> Iterator[str]:
    """Yield the fields that the schema has in no case, dotted; without the fields of an unknown struct."""
    match source, target:
        case T.StructType(), T.StructType():
            known = {field.name.lower(): field for field in target}
            for field in source:
                if field.name.lower() not in known:
                    yield prefix + field.name
                else:
                    yield from unknown_fields(
                        field.dataType, known[field.name.lower()].dataType, f"{prefix}{field.name}."
                    )
        case T.ArrayType(), T.ArrayType():
            yield from unknown_fields(source.elementType, target.elementType, f"{prefix}element.")
        case T.MapType(), T.MapType():
            yield from unknown_fields(source.valueType, target.valueType, f"{prefix}value.")
