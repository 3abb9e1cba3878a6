"""The fast path of JSON: msgspec decodes whole blocks into objects, whose fields become Arrow columns.

The class of a schema has integers, floats, booleans and strings where the schema does.  It has the source of the value
(``msgspec.Raw``) if a type is converted from it, or if a STRING holds values of other kinds.  Columns are built from
joined buffers.  If the class refuses a block, a wider class is used if possible: an unknown field becomes one more
column, and STRINGs take values of any kind.  Lines that are still refused go to the row reader.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles import conversion
from pyspark_cloudfiles.columns import (
    arrow_casts,
    binaries,
    convert_texts,
    lists_of,
    maps_of,
    offsets_of,
    plain,
    structs_of,
)
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.engine import FastColumns, Record
from pyspark_cloudfiles.formats.json_parser import MalformedJsonError
from pyspark_cloudfiles.formats.json_rows import JsonRowReader
from pyspark_cloudfiles.formats.lines import Block, is_utf8
from pyspark_cloudfiles.formats.variant_encoding import JsonVariants, variant_array
from pyspark_cloudfiles.rescue import member

_NULL = msgspec.Raw(b"null")
_ABSENT = msgspec.Raw(b"")
# As scalars of Arrow, which would import pandas to convert a Python value.
_NULL_SOURCE, _NO_SOURCE = binaries([b"null", b""])
_NOTHING = pa.nulls(1, pa.binary())[0]
_TEXT = msgspec.json.Decoder(str).decode
# Returns an array of decoded values, and the positions of those that do not fit the type after all.
Build = Callable[[Sequence[Any]], tuple[pa.Array, Sequence[int]]]


class Column(NamedTuple):
    """A column: the type that msgspec decodes, the builder of its array, and the value of an absent field."""

    annotation: Any
    build: Build
    absent: Any = None


class StructColumns:
    """The columns of a struct, or of whole records.

    If ``strict``, an object with unknown fields is refused.  The STRINGs of the fields in ``sources``, by default
    of all, take the source of any value; those of other fields are texts.  The sources of ``others`` are kept as
    well.
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
        """Return the other fields as members of a JSON object, NULL for a record without them."""
        found = []
        for index, name in enumerate(self._others, len(self._columns)):
            sources = binaries(list(map(attrgetter(f"f{index}"), records)))
            present = pc.if_else(pc.equal(sources, _NO_SOURCE), _NOTHING, sources)
            found.append(member(name, present.view(pa.string())))
        return found

    def build(self, cells: Sequence[Any]) -> tuple[pa.Array, Sequence[int]]:
        records = cells
        if None in cells:
            nothing = self.record()
            records = [nothing if cell is None else cell for cell in cells]
        arrays, misfits = self.arrays(records)
        return structs_of(cells, arrays, self._arrow), list(misfits)


def texts(sources: Sequence[msgspec.Raw]) -> pa.Array:
    """Return values as STRINGs: the text of a text, and the source of any other value."""
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
    """A type that no value has: its lines are always read by the row reader."""

    nothing: int


def _column(data_type: T.DataType, request: ReadRequest, strict: bool, source: bool) -> Column:
    """Return the column of a type, whose STRINGs take the source of any value if ``source``."""
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
        return Column(str | None, lambda cells: convert_texts(plain(cells, pa.string()), arrow, convert, known))
    if isinstance(data_type, T.DecimalType):
        convert = conversion.decimals(data_type)
        known = arrow_casts(data_type, arrow, request.options, request.timezone)
        return Column(msgspec.Raw, lambda cells: convert_texts(texts(cells), arrow, convert, known), _NULL)
    if isinstance(data_type, T.IntegralType):
        bits = conversion.BITS[data_type.typeName()]
        annotation: Any = Annotated[int, msgspec.Meta(ge=-(1 << bits - 1), le=(1 << bits - 1) - 1)]
    else:
        annotation = {"string": str, "boolean": bool, "double": float}.get(data_type.typeName(), _Never)
    return Column(annotation | None, lambda cells: (plain(cells, arrow), ()))


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
                # A null is a value of this type, not NULL.
                found.append(reader.variant(bytes(cell)) if len(cell) else None)
            except MalformedJsonError:
                found.append(None)
                wrong.append(position)
        return variant_array(found), wrong

    return build


_REFUSED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
# msgspec's error has the unknown field, and its position if that is not at the top of a record.
_UNKNOWN_FIELD = re.compile(r"^Object contains unknown field `(.*?)`(?: - at `\$(?:\[\d+\])?(.*)`)?$", re.DOTALL)
_NO_TEXT = re.compile("^Expected `str")
_OTHERS_LIMIT = 50
# msgspec compares such names as they are written in the line.
_ODD_NAME = re.compile(r'[\\"\x00-\x1f]')
_SAMPLED_LINES = 100


class JsonParser:
    def __init__(self, request: ReadRequest) -> None:
        self._request = request
        self._schema = request.data_schema()
        self._strict = request.rescue or request.on_unknown == "error" or not request.case_sensitive
        # If an unknown field is not an error, it becomes one more column.
        self._can_add_fields = request.on_unknown == "rescue" and request.case_sensitive
        self._texts = {field.name for field in self._schema if isinstance(field.dataType, T.StringType)}
        # The STRINGs that are not always texts in the lines; None takes the source of each.
        self._sources: frozenset[str] | None = None
        self._is_sampled = False
        self._others: tuple[str, ...] = ()
        self._classes: dict[Any, StructColumns] = {}
        self._row_reader = JsonRowReader(self._schema, request)

    def columns(self, block: Block) -> FastColumns | None:
        if not self._is_sampled and block.count:
            self._sources, self._is_sampled = self._sample_sources(block), True
        collects = gc.isenabled()
        gc.disable()  # the many objects of a block have no cycles
        try:
            records, columns, refused = self._decoded(block)
            arrays, misfits = columns.arrays(records)
            return FastColumns(arrays, columns.members(records), refused).without_rows(misfits, block.count)
        finally:
            if collects:
                gc.enable()

    def records(self, block: Block, number: int) -> Sequence[Record]:
        try:
            return self._row_reader.records(block.lines[number])
        except MalformedJsonError as error:
            return [Record(None, malformed=str(error))]

    def _decoded(self, block: Block) -> tuple[list[Any], StructColumns, list[int]]:
        """Return the objects of a block, their columns, and the refused lines."""
        whole = self._decoded_at_once(block)
        if whole is not None:
            return *whole, []
        columns = self._columns(None)
        records, refused = [], []
        for number, line in enumerate(block.lines):
            try:
                if not is_utf8(line):
                    raise msgspec.DecodeError
                records.append(columns.decoder.decode(line))
            except _REFUSED:
                refused.append(number)
        return records, columns, refused

    def _decoded_at_once(self, block: Block) -> tuple[list[Any], StructColumns] | None:
        """Return the objects of a block and their columns, if no line is refused."""
        data = block.data
        if data is None:
            sound = all(line[:1] == b"{" and is_utf8(line) for line in block.lines)
        else:
            # If lines begin and end as objects do, and there are as many records, each line is one.
            text = np.frombuffer(data, np.uint8)
            ends = np.flatnonzero(text == ord("\n"))
            begins = text[ends[:-1] + 1]
            are_objects = data[:1] == b"{" and (begins == ord("{")).all() and (text[ends - 1] == ord("}")).all()
            sound = bool(are_objects) and is_utf8(data)
        while sound:
            columns = self._columns(self._sources)
            try:
                if data is None:
                    return list(map(columns.decoder.decode, block.lines)), columns
                records = columns.decoder.decode_lines(data)
                return (records, columns) if len(records) == block.count else None
            except _REFUSED as error:
                if not self._widen_class(str(error)):
                    return None
        return None

    def _widen_class(self, refusal: str) -> bool:
        """Change the class so that it does not refuse the same again; return False if that is not possible."""
        unknown = _UNKNOWN_FIELD.search(refusal)
        if unknown is not None:
            name, inside = unknown.groups()
            if not self._can_add_fields or inside or len(self._others) >= _OTHERS_LIMIT or _ODD_NAME.search(name):
                return False
            self._others += (name,)
            return True
        if not _NO_TEXT.search(refusal) or self._sources is None:
            return False
        self._sources = None
        return True

    def _columns(self, sources: frozenset[str] | None) -> StructColumns:
        key = sources, self._others
        if key not in self._classes:
            self._classes[key] = StructColumns(self._schema, self._request, self._strict, *key)
        return self._classes[key]

    def _sample_sources(self, block: Block) -> frozenset[str]:
        """Return the STRINGs that are not always texts in the first lines."""
        found = set()
        lines = block.lines if block.data is None else block.data.split(b"\n", _SAMPLED_LINES)
        for line in lines[:_SAMPLED_LINES]:
            try:
                fields = _FIELDS.decode(line)
            except _REFUSED:
                continue
            found |= {name for name in self._texts & fields.keys() if bytes(fields[name])[:1] not in (b'"', b"n")}
        return frozenset(found)
