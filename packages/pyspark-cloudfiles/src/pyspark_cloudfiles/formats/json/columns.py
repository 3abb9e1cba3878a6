"""The fast path of JSON: msgspec decodes whole blocks into objects, whose fields become Arrow columns.

The class of a schema has integers, floats, booleans and strings where the schema says so.  It has the source of the
value (``msgspec.Raw``) where a type is converted from it, or where a STRING holds values of other kinds.  Columns are
made of joined buffers.  A line that the class refuses, or whose text does not fit its type, goes to the row reader.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.json.lenient_parser import MalformedJsonError
from pyspark_cloudfiles.formats.variant import encoding
from pyspark_cloudfiles.formats.variant.encoding import JsonVariants
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.plain_arrays import binaries, lists_of, maps_of, offsets_of, plain, structs_of
from pyspark_cloudfiles.values.rescue_columns import member
from pyspark_cloudfiles.values.text_columns import arrow_casts, converted

_NULL = msgspec.Raw(b"null")
_ABSENT = msgspec.Raw(b"")
# As scalars of Arrow: of a Python value it makes one with the help of pandas, whose import takes a while.
_NULL_SOURCE, _NO_SOURCE = binaries([b"null", b""])
_NOTHING = pa.nulls(1, pa.binary())[0]
_TEXT = msgspec.json.Decoder(str).decode
# Makes an array of decoded values, and tells the positions of those that do not fit the type after all.
Build = Callable[[Sequence[Any]], tuple[pa.Array, Sequence[int]]]


class Column(NamedTuple):
    """A column: what msgspec decodes, how an array is made of that, and what stands for a field that is absent."""

    annotation: Any
    build: Build
    absent: Any = None


class StructColumns:
    """The columns of a struct, or of whole records.

    Parameters
    ----------
    schema : StructType
        Its fields.
    request : ReadRequest
        How to read.
    strict : bool
        Whether an object with fields of other names is refused.
    sources : collection of str or None
        The fields whose STRINGs take the source of any value; those of others are texts.  None: all of them.
    others : sequence of str
        More fields, whose sources are kept.
    """

    def __init__(
        self,
        schema: T.StructType,
        request: ReadRequest,
        strict: bool,
        sources: Collection[str] | None,
        others: Sequence[str] = (),
    ) -> None:
        self._arrow = to_arrow_type(schema, timezone="UTC")
        self._columns = [
            _column(field.dataType, request, strict, sources is None or field.name in sources) for field in schema
        ]
        self._others = list(others)
        fields: list[Any] = [(f"f{index}", part.annotation, part.absent) for index, part in enumerate(self._columns)]
        fields += [(f"f{index}", msgspec.Raw, _ABSENT) for index in range(len(fields), len(fields) + len(others))]
        names = {f"f{index}": name for index, name in enumerate([*schema.names, *others])}
        self.record = msgspec.defstruct("Record", fields, rename=names, forbid_unknown_fields=strict, gc=False)
        self.decoder = msgspec.json.Decoder(self.record)

    def arrays(self, records: Sequence[Any]) -> tuple[list[pa.Array], set[int]]:
        """Return the columns of records, and the positions of records that do not fit."""
        arrays: list[pa.Array] = []
        misfits: set[int] = set()
        for index, part in enumerate(self._columns):
            array, wrong = part.build(list(map(attrgetter(f"f{index}"), records)))
            arrays.append(array)
            misfits.update(wrong)
        return arrays, misfits

    def members(self, records: Sequence[Any]) -> list[pa.Array]:
        """Return the other fields as members of a JSON object, NULL where a record has none."""
        found = []
        for index, name in enumerate(self._others, len(self._columns)):
            sources = binaries(list(map(attrgetter(f"f{index}"), records)))
            present = pc.if_else(pc.equal(sources, _NO_SOURCE), _NOTHING, sources)
            found.append(member(name, present.view(pa.string())))
        return found

    def build(self, cells: Sequence[Any]) -> tuple[pa.Array, Sequence[int]]:
        """Return records, of which some may be None, as structs."""
        records = cells
        if None in cells:
            nothing = self.record()
            records = [nothing if cell is None else cell for cell in cells]
        arrays, misfits = self.arrays(records)
        return structs_of(cells, arrays, self._arrow), list(misfits)


def texts(sources: Sequence[msgspec.Raw]) -> pa.Array:
    """Return values as a STRING has them: what a text says, and the source of everything else."""
    found = binaries(sources)
    quoted = pc.starts_with(found, b'"')
    if not quoted.true_count:
        return pc.if_else(pc.equal(found, _NULL_SOURCE), _NOTHING, found).view(pa.string())
    inside = pc.binary_slice(found, 1, -1)
    if quoted.true_count < len(found):
        inside = pc.if_else(quoted, inside, pc.if_else(pc.equal(found, _NULL_SOURCE), _NOTHING, found))
    escaped = pc.and_(quoted, pc.match_substring(found, b"\\"))
    if escaped.true_count:
        unescaped = [_TEXT(source).encode() for source in found.filter(escaped).to_pylist()]
        inside = pc.replace_with_mask(inside, escaped, binaries(unescaped))
    return inside.view(pa.string())


class _Never(msgspec.Struct, forbid_unknown_fields=True):
    """What no value is: a type that has it is always read by the row reader."""

    nothing: int


def _column(data_type: T.DataType, request: ReadRequest, strict: bool, source: bool) -> Column:
    """Return how a type is read; `source` tells whether its STRINGs take the source of any value."""
    arrow = to_arrow_type(data_type, timezone="UTC")
    if isinstance(data_type, T.StructType):
        struct = StructColumns(data_type, request, strict, None if source else ())
        return Column(struct.record | None, struct.build)
    if isinstance(data_type, T.ArrayType):
        return _lists(_column(data_type.elementType, request, strict, source), arrow)
    if isinstance(data_type, T.MapType):
        return _maps(_column(data_type.valueType, request, strict, source), arrow)
    if isinstance(data_type, T.VariantType):
        return Column(msgspec.Raw, _variants(request), _ABSENT)
    if isinstance(data_type, T.StringType) and source:
        return Column(msgspec.Raw, lambda cells: (texts(cells), ()), _NULL)
    if isinstance(data_type, T.FloatType):
        return Column(float | None, lambda cells: (pc.cast(plain(cells, pa.float64()), arrow, safe=False), ()))
    if isinstance(data_type, T.DateType | T.TimestampType | T.TimestampNTZType):
        convert = conversion.converter(data_type, request.options, request.timezone)
        known = arrow_casts(data_type, arrow, request.options, request.timezone)
        return Column(str | None, lambda cells: converted(plain(cells, pa.string()), arrow, convert, known))
    if isinstance(data_type, T.DecimalType):
        convert = conversion.decimals(data_type)
        known = arrow_casts(data_type, arrow, request.options, request.timezone)
        return Column(msgspec.Raw, lambda cells: converted(texts(cells), arrow, convert, known), _NULL)
    annotation = _annotation(data_type)
    return Column(annotation | None, lambda cells: (plain(cells, arrow), ()))


def _annotation(data_type: T.DataType) -> Any:
    if isinstance(data_type, T.IntegralType):
        bits = conversion.BITS[data_type.typeName()]
        return Annotated[int, msgspec.Meta(ge=-(1 << bits - 1), le=(1 << bits - 1) - 1)]
    return {"string": str, "boolean": bool, "double": float}.get(data_type.typeName(), _Never)


def _lists(element: Column, arrow: pa.DataType) -> Column:
    def build(cells: Sequence[Any]) -> tuple[pa.Array, Sequence[int]]:
        full = [() if cell is None else cell for cell in cells] if None in cells else cells
        elements, wrong = element.build(list(chain.from_iterable(full)))
        return lists_of(cells, elements, arrow), _owners(wrong, full)

    return Column(list[element.annotation] | None, build)  # type: ignore[name-defined]


def _maps(value: Column, arrow: pa.DataType) -> Column:
    def build(cells: Sequence[Any]) -> tuple[pa.Array, Sequence[int]]:
        full = [{} if cell is None else cell for cell in cells] if None in cells else cells
        keys = plain(list(chain.from_iterable(full)), pa.string())
        values, wrong = value.build(list(chain.from_iterable(map(dict.values, full))))
        return maps_of(cells, keys, values, arrow), _owners(wrong, full)

    return Column(dict[str, value.annotation] | None, build)  # type: ignore[name-defined]


def _owners(elements: Sequence[int], cells: Sequence[Any]) -> Sequence[int]:
    """Return the cells that have these elements."""
    if not elements:
        return ()
    offsets = offsets_of(cells)
    return [bisect_right(offsets, element) - 1 for element in elements]


def _variants(request: ReadRequest) -> Build:
    reader = JsonVariants(request.options)

    def build(cells: Sequence[Any]) -> tuple[pa.Array, Sequence[int]]:
        found: list[Any] = []
        wrong = []
        for position, cell in enumerate(cells):
            try:
                # A null is a value of this type, and no NULL.
                found.append(reader.variant(bytes(cell)) if len(cell) else None)
            except MalformedJsonError:
                found.append(None)
                wrong.append(position)
        return encoding.column(found), wrong

    return build
