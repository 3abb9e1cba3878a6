"""Many records at once: the path for lines that fit the schema, which is nearly all of them.

The schema becomes a class that msgspec decodes lines into, with a column type for each field that says what to decode,
and how a list of what was decoded becomes an Arrow array.  A cell is either what was decoded or, where the other path
made the row, the final value already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Annotated, Any

import msgspec
import pyarrow as pa
from msgspec.structs import astuple
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.formats import variants
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.json_text import Malformed
from pyspark_cloudfiles.formats.variants import JsonVariants, Variant
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.text_columns import Way, column
from pyspark_cloudfiles.values.text_ways import ways

Owners = Sequence[int]
_MALFORMED = Variant(b"", b"")
_TEXT = msgspec.json.Decoder(str).decode


class Column:
    """A column: ``annotation`` is what msgspec decodes, :meth:`array` makes an Arrow array of it."""

    annotation: Any

    def __init__(self, data_type: T.DataType, annotation: Any) -> None:
        self.type = data_type
        self.annotation = annotation
        self.arrow = to_arrow_type(data_type, timezone="UTC")

    def array(self, cells: Sequence[Any], owners: Owners, misfits: set[int]) -> pa.Array:
        """Return the cells as an array; the owners (row numbers) of those that do not fit go to ``misfits``."""
        return pa.array(cells, self.arrow)


class Texts(Column):
    """STRING from values of any kind, which keep their source."""

    def __init__(self, data_type: T.DataType) -> None:
        super().__init__(data_type, msgspec.Raw)

    def array(self, cells: Sequence[Any], owners: Owners, misfits: set[int]) -> pa.Array:
        """Return the texts."""
        return pa.array([cell if type(cell) is str else _source(cell) for cell in cells], self.arrow)


class Converted(Column):
    """Values that are converted from their text."""

    def __init__(self, data_type: T.DataType, annotation: Any, convert: conversion.Convert, ways: list[Way]) -> None:
        super().__init__(data_type, annotation)
        self._convert = convert
        self._ways = ways

    def array(self, cells: Sequence[Any], owners: Owners, misfits: set[int]) -> pa.Array:
        """Return the values."""
        if self.annotation is msgspec.Raw:
            cells = [_source(cell) if isinstance(cell, msgspec.Raw) else cell for cell in cells]
        array, wrong = column(cells, self.arrow, self._convert, self._ways)
        misfits.update(owners[position] for position in wrong)
        return array


class Variants(Column):
    """Values of any kind, as VARIANT."""

    def __init__(self, data_type: T.VariantType, request: ReadRequest) -> None:
        super().__init__(data_type, msgspec.Raw)
        self._variants = JsonVariants(request.options)

    def array(self, cells: Sequence[Any], owners: Owners, misfits: set[int]) -> pa.Array:
        """Return the values; a null is one as well."""
        found = [self._variant(cell) if isinstance(cell, msgspec.Raw) else cell for cell in cells]
        misfits.update(owner for owner, some in zip(owners, found, strict=True) if some is _MALFORMED)
        return variants.column([None if some is _MALFORMED else some for some in found])

    def _variant(self, cell: msgspec.Raw) -> Variant:
        try:
            return self._variants.variant(bytes(cell))
        except Malformed:
            return _MALFORMED


class Structs(Column):
    """Objects as structs."""

    def __init__(self, data_type: T.StructType, columns: list[Column], strict: bool) -> None:
        self.record = record_class(data_type, columns, strict)
        super().__init__(data_type, self.record | None)
        self.columns = columns

    def array(self, cells: Sequence[Any], owners: Owners, misfits: set[int]) -> pa.Array:
        """Return the structs."""
        nothing = (None,) * len(self.columns)
        rows = [nothing if cell is None else cell if type(cell) is tuple else astuple(cell) for cell in cells]
        arrays = self.arrays(rows, owners, misfits)
        fields = [self.arrow.field(index) for index in range(len(arrays))]
        return pa.StructArray.from_arrays(
            arrays, fields=fields, mask=pa.array([cell is None for cell in cells], pa.bool_())
        )

    def arrays(self, rows: Sequence[tuple[Any, ...]], owners: Owners, misfits: set[int]) -> list[pa.Array]:
        """Return the fields of rows, none of which is None."""
        cells = zip(*rows, strict=True) if rows else repeat((), len(self.columns))
        return [part.array(some, owners, misfits) for part, some in zip(self.columns, cells, strict=False)]


class Lists(Column):
    """Arrays."""

    def __init__(self, data_type: T.ArrayType, element: Column) -> None:
        super().__init__(data_type, list[element.annotation] | None)  # type: ignore[name-defined]
        self._element = element

    def array(self, cells: Sequence[Any], owners: Owners, misfits: set[int]) -> pa.Array:
        """Return the arrays."""
        full = [cell or () for cell in cells]
        inside = self._element.array(list(chain.from_iterable(full)), _owners(full, owners), misfits)
        return pa.ListArray.from_arrays(_offsets(cells), inside, type=self.arrow)


class Maps(Column):
    """Objects as maps."""

    def __init__(self, data_type: T.MapType, element: Column) -> None:
        super().__init__(data_type, dict[str, element.annotation] | None)  # type: ignore[name-defined]
        self._element = element

    def array(self, cells: Sequence[Any], owners: Owners, misfits: set[int]) -> pa.Array:
        """Return the maps."""
        full = [cell or {} for cell in cells]
        keys = pa.array(list(chain.from_iterable(full)), pa.string())
        entries = list(chain.from_iterable(cell.values() for cell in full))
        inside = self._element.array(entries, _owners(full, owners), misfits)
        return pa.MapArray.from_arrays(_offsets(cells), keys, inside, type=self.arrow)


def columns_of(schema: T.StructType, request: ReadRequest) -> Structs:
    """Return the columns of a schema, as one struct."""
    strict = request.on_unknown != "ignore" or not request.case_sensitive
    make = lambda data_type: _column(data_type, request, make, strict)  # noqa: E731
    return Structs(schema, [make(field.dataType) for field in schema.fields], strict)


def record_class(schema: T.StructType, columns: list[Column], strict: bool) -> type[msgspec.Struct]:
    """Return the class of a struct; if ``strict``, it refuses objects with fields of other names."""
    fields = [(f"f{index}", part.annotation, None) for index, part in enumerate(columns)]
    names = {f"f{index}": name for index, name in enumerate(schema.names)}
    return msgspec.defstruct("Record", fields, rename=names, forbid_unknown_fields=strict, gc=False)


def _column(data_type: T.DataType, request: ReadRequest, make: Callable[[T.DataType], Column], strict: bool) -> Column:
    if isinstance(data_type, T.StructType):
        return Structs(data_type, [make(field.dataType) for field in data_type.fields], strict)
    if isinstance(data_type, T.ArrayType):
        return Lists(data_type, make(data_type.elementType))
    if isinstance(data_type, T.MapType):
        return Maps(data_type, make(data_type.valueType))
    if isinstance(data_type, T.VariantType):
        return Variants(data_type, request)
    if isinstance(data_type, T.StringType):
        return Texts(data_type)
    if isinstance(data_type, T.BooleanType):
        return Column(data_type, bool | None)
    if isinstance(data_type, T.IntegralType):
        return Column(data_type, _bounded(data_type))
    if isinstance(data_type, T.DoubleType):
        return Column(data_type, float | None)
    return _converted(data_type, request)


def _converted(data_type: T.DataType, request: ReadRequest) -> Column:
    if isinstance(data_type, T.DateType | T.TimestampType | T.TimestampNTZType):
        convert = conversion.converter(data_type, request.options, request.timezone)
        return Converted(data_type, str | None, convert, _ways(data_type, request))
    if isinstance(data_type, T.DecimalType):
        return Converted(data_type, msgspec.Raw, conversion.decimals(data_type), _ways(data_type, request))
    if isinstance(data_type, T.FloatType):
        return Converted(data_type, float | None, float, [])
    # Everything else takes the other path, row by row.
    return Column(data_type, _Never | None)


def _ways(data_type: T.DataType, request: ReadRequest) -> list[Way]:
    return ways(data_type, to_arrow_type(data_type, timezone="UTC"), request.options, request.timezone)


class _Never(msgspec.Struct, forbid_unknown_fields=True):
    """What no value is."""

    nothing: int


def _bounded(data_type: T.DataType) -> Any:
    bits = conversion.BITS[data_type.typeName()]
    return Annotated[int, msgspec.Meta(ge=-(1 << bits - 1), le=(1 << bits - 1) - 1)] | None


def _source(cell: Any) -> str | None:
    """Return the text of a string, or else the source; None of null."""
    if cell is None:
        return None
    source = bytes(cell)
    if source[:1] == b'"':
        return _TEXT(source) if b"\\" in source else source[1:-1].decode()
    return None if source == b"null" else source.decode()


def _offsets(cells: Sequence[Any]) -> pa.Array:
    """Return where the elements of each cell begin; NULL where the cell is NULL."""
    offsets: list[int | None] = []
    position = 0
    for cell in cells:
        offsets.append(None if cell is None else position)
        position += len(cell or ())
    return pa.array([*offsets, position], pa.int32())


def _owners(full: Sequence[Any], owners: Owners) -> list[int]:
    return [owner for owner, cell in zip(owners, full, strict=True) for _ in cell]
