"""The format ``xml``: a row for each element with the name ``rowTag``; the schema is inferred as by Spark's reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Any

from pyspark.sql import types as T

from pyspark_cloudfiles.errors import UnsupportedOption
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import Format, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.batches import Names, batches_of
from pyspark_cloudfiles.formats.engine import Record, file_rows
from pyspark_cloudfiles.formats.xml_elements import Broken, Element, XmlOptions, records
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.rescue import Leaf, Leftover, quoted
from pyspark_cloudfiles.values.widening import wider

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*", re.ASCII)


class XmlTypes:
    def __init__(self, request: InferRequest, options: XmlOptions) -> None:
        self._options, self._request = options, request
        self._schema: T.DataType = T.NullType()
        dates, moments = "dateformat" in request.options, "timestampformat" in request.options
        self._tests = (
            []
            if not request.infer_types
            else [
                (None, conversion.integers(64), T.LongType()),
                (_NUMBER, conversion.double, T.DoubleType()),
                (None, conversion.boolean, T.BooleanType()),
                (None if dates else _DAY, conversion.dates(request.options), T.DateType()),
                (
                    None if moments else _TIME,
                    conversion.timestamps(request.options, request.timezone),
                    T.TimestampType(),
                ),
            ]
        )

    def add(self, record: Element) -> None:
        self._schema = self._merged(self._schema, self._struct(record))

    def schema(self) -> T.StructType:
        """Return the fields, sorted by their names; a field that was always empty is a STRING."""
        if not isinstance(self._schema, T.StructType):
            return T.StructType([])
        if not self._request.infer_types:
            return T.StructType([T.StructField(name, T.StringType()) for name in sorted(self._schema.names)])
        finished = _finished(self._schema)
        assert isinstance(finished, T.StructType)
        return finished

    def _type_of(self, name: str, value: Element | str) -> T.DataType:
        if isinstance(value, str):
            # Spark checks only attributes for the value of NULL.
            is_null = name != self._options.value_tag and self._options.trimmed(value) is None
            return T.NullType() if is_null else self._type_of_text(value)
        if value.elements() or (self._options.with_attributes and value.attributes):
            return self._struct(value)
        return self._type_of_text(value.text())

    def _struct(self, element: Element) -> T.DataType:
        fields: dict[str, T.StructField] = {}
        for name, found in self._options.members(element).items():
            types = [self._type_of(name, value) for value in found]
            data_type = types[0] if len(types) == 1 else T.ArrayType(reduce(self._merged, types))
            known = fields.get(self._key(name))
            if known is not None:  # the same name in another case
                name = known.name
                data_type = T.ArrayType(self._merged(_element(known.dataType), _element(data_type)))
            fields[self._key(name)] = T.StructField(name, data_type)
        return T.StructType(list(fields.values())) if fields else T.NullType()

    def _type_of_text(self, text: str) -> T.DataType:
        trimmed = text.strip() if self._options.trim else text
        if not trimmed:
            return T.NullType()
        for form, convert, data_type in self._tests:
            if (form is None or form.fullmatch(trimmed)) and conversion.can_convert(convert, trimmed):
                return data_type
        return T.StringType()

    def _merged(self, one: T.DataType, other: T.DataType) -> T.DataType:
        if one == other or isinstance(other, T.NullType):
            return one
        if isinstance(one, T.NullType):
            return other
        if isinstance(one, T.ArrayType) or isinstance(other, T.ArrayType):
            return T.ArrayType(self._merged(_element(one), _element(other)))
        if isinstance(one, T.StructType) and isinstance(other, T.StructType):
            return self._merged_structs(one, other)
        for struct, plain in ((one, other), (other, one)):
            if isinstance(struct, T.StructType):
                if self._options.value_tag not in struct.names:
                    return T.StringType()
                return self._merged_structs(struct, T.StructType([T.StructField(self._options.value_tag, plain)]))
        return wider(one, other)

    def _merged_structs(self, one: T.StructType, other: T.StructType) -> T.StructType:
        fields = {self._key(field.name): field for field in one}
        for field in other:
            known = fields.get(self._key(field.name))
            merged = field if known is None else T.StructField(known.name, self._merged(known.dataType, field.dataType))
            fields[self._key(field.name)] = merged
        return T.StructType(list(fields.values()))

    def _key(self, name: str) -> str:
        return name if self._request.case_sensitive else name.lower()


def _element(data_type: T.DataType) -> T.DataType:
    return data_type.elementType if isinstance(data_type, T.ArrayType) else data_type


def _finished(data_type: T.DataType) -> T.DataType:
    match data_type:
        case T.NullType():
            return T.StringType()
        case T.ArrayType():
            return T.ArrayType(_finished(data_type.elementType))
        case T.StructType():
            fields = sorted(data_type.fields, key=lambda field: field.name)
            return T.StructType([T.StructField(field.name, _finished(field.dataType)) for field in fields])
    return data_type


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


class XmlRowReader:
    def __init__(self, request: ReadRequest, options: XmlOptions) -> None:
        self._request, self._options = request, options
        self._schema = request.data_schema()
        # By identity, because hashing a type takes longer than converting a value.
        self._names: dict[int, Names] = {}
        self._converters: dict[int, conversion.Convert] = {}

    def record(self, element: Element) -> Record:
        cells, leftover = self._struct(element, self._schema)
        return Record(cells, leftover or {})

    def _struct(self, element: Element, schema: T.StructType) -> tuple[tuple[Any, ...], dict[str, Leftover] | None]:
        names = self._names.get(id(schema))
        if names is None:
            names = self._names[id(schema)] = Names(schema.names, self._request.case_sensitive)
        cells: list[Any] = [None] * len(schema)
        leftover: dict[str, Leftover] = {}
        for name, found in self._options.members(element).items():
            index = names.index_of(name)
            if index is None:
                leftover[name] = Leaf(self._json_of(found), unknown=names.is_unknown(name), fits=True)
                continue
            cells[index], over = self._field(found, schema[index].dataType, cells[index])
            if over is not None:
                leftover[name] = over
        return tuple(cells), leftover or None

    def _field(self, found: list[Element | str], data_type: T.DataType, before: Any) -> tuple[Any, Leftover | None]:
        if isinstance(data_type, T.ArrayType):
            pairs = [self._value(value, data_type.elementType) for value in found]
            overs = [over for _, over in pairs]
            cells = (before or []) + [value for value, _ in pairs]
            return cells, overs if any(over is not None for over in overs) else None
        value, over = self._value(found[-1], data_type)
        if len(found) > 1 and over is None:  # the last one counts, as in Spark; the others are not lost
            over = Leaf(self._json_of(found), fits=True)
        return value, over

    def _value(self, value: Element | str, data_type: T.DataType) -> tuple[Any, Leftover | None]:
        if isinstance(value, Element):
            if isinstance(data_type, T.StructType):
                return self._struct(value, data_type)
            if isinstance(data_type, T.MapType):
                return self._map(value, data_type)
            if value.elements():
                if isinstance(data_type, T.StringType):
                    return value.inner(), None
                return None, Leaf(self._json(value))
        text = self._options.trimmed(value.text() if isinstance(value, Element) else value)
        if text is None or (not text and not isinstance(data_type, T.StringType)):
            return None, None
        try:
            convert = self._converters.get(id(data_type))
            if convert is None:
                convert = self._converters[id(data_type)] = converter(data_type, self._request)
            return convert(text), None
        except ValueError:
            return None, Leaf(self._json(value))

    def _map(self, element: Element, data_type: T.MapType) -> tuple[Any, Leftover | None]:
        entries, leftover = {}, {}
        for name, found in self._options.members(element).items():
            value, over = self._field(found, data_type.valueType, None)
            entries[name] = value
            if over is not None:
                leftover[name] = over
        return entries, leftover or None

    def _json_of(self, found: list[Element | str]) -> str:
        return self._json(found[0]) if len(found) == 1 else f"[{','.join(map(self._json, found))}]"

    def _json(self, value: Element | str) -> str:
        if isinstance(value, str):
            return quoted(value.strip() if self._options.trim else value)
        members = self._options.members(value)
        if not members or members.keys() == {self._options.value_tag}:
            return self._json(value.text())
        return "{" + ",".join(f"{quoted(name)}:{self._json_of(found)}" for name, found in members.items()) + "}"


def converter(data_type: T.DataType, request: ReadRequest) -> conversion.Convert:
    if isinstance(data_type, T.BooleanType):
        return _boolean
    if isinstance(data_type, T.StructType | T.MapType | T.ArrayType):  # of a text that is not an element

        def refuse(text: str) -> Any:
            raise ValueError("a text has no fields")

        return refuse
    return conversion.converter(data_type, request.options, request.timezone)


def _boolean(text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise ValueError(f"not a boolean: {text!r}")
    return _BOOLEANS[text.lower()]


_WILDCARD = "xs_any"


class XmlFormat(Format):
    """Reads records as Spark's XML reader does, by the same options; ``rowTag`` is required."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the schema of all records, sorted by names, skipping text that is not XML."""
        options = XmlOptions.from_options(request.options)
        types = XmlTypes(request, options)
        for file in files:
            for some in records(file, options):
                for record in some:
                    if isinstance(record, Element):
                        types.add(record)
        return types.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files; raise UnsupportedOption for Spark's column of the elements that have no column."""
        if _WILDCARD in request.schema.names:
            raise UnsupportedOption(
                f"The column {_WILDCARD} of XML, which takes the elements that have no column, is not supported. Read "
                "them from the rescued data column, or name a column for each."
            )
        options = XmlOptions.from_options(request.options)
        reader = XmlRowReader(request, options)

        def record(found: Element | Broken) -> tuple[Record, Callable[[], str]]:
            if isinstance(found, Broken):
                return Record(None, malformed="it is not XML"), partial(str, found.text)
            return reader.record(found), found.outer

        return batches_of(
            file_rows(file, map(record, some), request) for file in files for some in records(file, options)
        )
