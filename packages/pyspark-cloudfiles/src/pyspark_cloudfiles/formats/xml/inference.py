"""The schema of XML records, inferred as by Spark's reader."""

from __future__ import annotations

import re
from functools import reduce

from pyspark.sql import types as T

from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.formats.xml.elements import Element, XmlOptions
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.widening import wider

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*", re.ASCII)


class XmlTypes:
    """Finds the types of records and merges them."""

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
        """Take a record into account."""
        self._schema = self._merged(self._schema, self._struct(record))

    def schema(self) -> T.StructType:
        """Return the fields, sorted by their names; of one that was always empty, STRING."""
        if not isinstance(self._schema, T.StructType):
            return T.StructType([])
        if not self._request.infer_types:
            return T.StructType([T.StructField(name, T.StringType()) for name in sorted(self._schema.names)])
        finished = _finished(self._schema)
        assert isinstance(finished, T.StructType)
        return finished

    def _type_of(self, name: str, value: Element | str) -> T.DataType:
        if isinstance(value, str):
            # Of what may mean NULL, Spark looks at attributes only.
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
                name, data_type = known.name, _array(self._merged(_element(known.dataType), _element(data_type)))
            fields[self._key(name)] = T.StructField(name, data_type)
        return T.StructType(list(fields.values())) if fields else T.NullType()

    def _type_of_text(self, text: str) -> T.DataType:
        trimmed = text.strip() if self._options.trim else text
        if not trimmed:
            return T.NullType()
        for form, convert, data_type in self._tests:
            if (form is None or form.fullmatch(trimmed)) and conversion.converts(convert, trimmed):
                return data_type
        return T.StringType()

    def _merged(self, one: T.DataType, other: T.DataType) -> T.DataType:
        if one == other or isinstance(other, T.NullType):
            return one
        if isinstance(one, T.NullType):
            return other
        if isinstance(one, T.ArrayType) or isinstance(other, T.ArrayType):
            return _array(self._merged(_element(one), _element(other)))
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


def _array(data_type: T.DataType) -> T.ArrayType:
    return T.ArrayType(data_type)


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
