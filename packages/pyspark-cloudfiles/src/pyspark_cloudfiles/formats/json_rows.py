"""The row reader of JSON: one record at a time, with the leftover that does not fit the schema.

A line becomes a tree, by the strict parser or else the lenient one; the tree becomes a row.  Values and NULLs are those
of Spark's reader for the same line.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable
from typing import Any

import msgspec
from pyspark.sql import types as T

from pyspark_cloudfiles import conversion
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.formats.base import Names, ReadRequest
from pyspark_cloudfiles.formats.engine import Record
from pyspark_cloudfiles.formats.json_parser import LenientJson, MalformedJsonError, Node, StrictNode
from pyspark_cloudfiles.formats.variant_encoding import JsonVariants
from pyspark_cloudfiles.rescue import Leaf, Leftover, has_misfit

Converted = tuple[Any, "Leftover | None"]
AnyNode = Node | StrictNode
Convert = Callable[[AnyNode], Converted]

_NAMED_NUMBERS = {"NaN": float("nan")}
_NAMED_NUMBERS |= dict.fromkeys(("+INF", "+Infinity", "Infinity"), float("inf"))
_NAMED_NUMBERS |= dict.fromkeys(("-INF", "-Infinity"), float("-inf"))


class JsonRowReader:
    def __init__(self, schema: T.StructType, request: ReadRequest) -> None:
        self._request = request
        self._parser, self._variants = LenientJson(request.options), JsonVariants(request.options)
        self._non_numeric = request.options.get("allownonnumericnumbers", "true").lower() == "true"
        self._root = self._struct(schema)

    def records(self, line: bytes) -> list[Record]:
        """Return the records of a line: one for an object, several for an array of objects, none for a blank line."""
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise MalformedJsonError("not UTF-8") from error
        if line[:1] == b"{":
            try:
                return [self._record(StrictNode(line))]
            except (msgspec.DecodeError, RecursionError):
                pass  # it may be lenient JSON
        document = self._parser.document(text)
        if document is None:
            return []
        records = document.items if document.kind == "[" else [document]
        if any(record.kind != "{" for record in records):
            raise MalformedJsonError("not an object")
        return [self._record(record) for record in records]

    def _record(self, record: AnyNode) -> Record:
        cells, leftover = self._root(record)
        return Record(cells, leftover or {})  # type: ignore[arg-type]

    def _converter(self, data_type: T.DataType) -> Convert:
        if isinstance(data_type, T.StructType):
            return self._struct(data_type)
        if isinstance(data_type, T.ArrayType):
            return self._array(data_type)
        if isinstance(data_type, T.MapType):
            return self._map(data_type)
        if isinstance(data_type, T.VariantType):
            # A null is a value of this type, not NULL.
            return lambda node: (self._variants.variant(node.source.encode()), None)
        scalar = self._scalar(data_type)
        return lambda node: (None if node.kind == "n" else scalar(node), None)

    def _struct(self, schema: T.StructType) -> Convert:
        names = Names(schema.names, self._request.case_sensitive)
        converters = [self._converter(field.dataType) for field in schema.fields]
        width = len(converters)

        def convert(node: AnyNode) -> Converted:
            if node.kind == "n":
                return None, None
            if node.kind != "{":
                raise ValueError("not an object")
            cells: list[Any] = [None] * width
            leftover: dict[str, Leftover] = {}
            for name, value in node.fields:
                index = names.index_of(name)
                if index is None:
                    leftover[name] = Leaf(value.strict(), unknown=names.is_unknown(name), fits=True)
                    continue
                try:
                    cells[index], left = converters[index](value)
                except ValueError:
                    left = Leaf(value.strict())
                # If a name occurs twice, the value that does not fit makes the record bad.
                if left is not None and not (name in leftover and has_misfit(leftover[name])):
                    leftover[name] = left
            return tuple(cells), leftover or None

        return convert

    def _array(self, data_type: T.ArrayType) -> Convert:
        element = self._converter(data_type.elementType)

        def convert(node: AnyNode) -> Converted:
            if node.kind == "n":
                return None, None
            if node.kind != "[":
                raise ValueError("not an array")
            converted = [element(item) for item in node.items]
            left = [part for _, part in converted]
            return [value for value, _ in converted], left if any(part is not None for part in left) else None

        return convert

    def _map(self, data_type: T.MapType) -> Convert:
        if not isinstance(data_type.keyType, T.StringType):
            raise InvalidOption("JSON has maps with STRING keys only.")
        element = self._converter(data_type.valueType)

        def convert(node: AnyNode) -> Converted:
            if node.kind == "n":
                return None, None
            if node.kind != "{":
                raise ValueError("not an object")
            converted = {name: element(value) for name, value in node.fields}
            left = {name: part for name, (_, part) in converted.items() if part is not None}
            return {name: value for name, (value, _) in converted.items()}, left or None

        return convert

    def _scalar(self, data_type: T.DataType) -> Callable[[AnyNode], Any]:
        options, timezone = self._request.options, self._request.timezone
        if isinstance(data_type, T.StringType):
            return lambda node: node.text if node.kind == '"' else node.source
        if isinstance(data_type, T.BooleanType):
            return _require_kinds("b", lambda node: node.source == "true")
        if isinstance(data_type, T.IntegralType):
            integer = conversion.integers(conversion.BITS[data_type.typeName()])
            return _require_kinds(
                "i", _byte if isinstance(data_type, T.ByteType) else lambda node: integer(node.source)
            )
        if isinstance(data_type, T.DecimalType):
            convert = conversion.decimals(data_type)
            return _require_kinds('if"', lambda node: convert(node.text or node.source))
        if isinstance(data_type, T.FractionalType):
            return self._double
        if isinstance(data_type, T.TimestampNTZType):
            return _require_text(conversion.timestamps_without_zone(options))
        if isinstance(data_type, T.TimestampType):
            return _timestamp(conversion.timestamps(options, timezone))
        if isinstance(data_type, T.DateType):
            return _require_text(_date(conversion.dates(options), "dateformat" not in options))
        if isinstance(data_type, T.BinaryType):
            return _require_kinds('"', lambda node: _base64(node.text))
        raise InvalidOption(f"JSON cannot be read as {data_type.simpleString()}. Read it as a STRING.")

    def _double(self, node: Node) -> float:
        text = node.text if node.kind == '"' else node.source
        if self._non_numeric and text in _NAMED_NUMBERS and node.kind in 'f"':
            return _NAMED_NUMBERS[text]
        if node.kind == "i":
            return float(int(text)) if len(text) < 300 else float(text)
        if node.kind != "f":
            raise ValueError("not a number")
        return float(text)


def _require_kinds(kinds: str, convert: Callable[[AnyNode], Any]) -> Callable[[AnyNode], Any]:
    def checked(node: AnyNode) -> Any:
        if node.kind not in kinds or (node.kind == '"' and not node.text and kinds != '"'):
            raise ValueError(f"unexpected value {node.source}")
        return convert(node)

    return checked


def _require_text(convert: conversion.Convert) -> Callable[[AnyNode], Any]:
    def checked(node: AnyNode) -> Any:
        if node.kind != '"':
            raise ValueError(f"not a text: {node.source}")
        return convert(node.text)

    return checked


def _byte(node: AnyNode) -> int:
    """Return a byte; Jackson takes those without a sign as well, and they become negative."""
    value = conversion.integers(16)(node.source)
    if not -128 <= value <= 255:
        raise ValueError(f"{value} does not fit 8 bits")
    return value - 256 if value > 127 else value


def _timestamp(convert: conversion.Convert) -> Callable[[AnyNode], Any]:
    seconds, of_text = conversion.integers(64), _require_text(convert)

    def checked(node: AnyNode) -> Any:
        if node.kind != "i":
            return of_text(node)
        # The product overflows as Java's does.
        return (seconds(node.source) * 1_000_000 + 2**63) % 2**64 - 2**63

    return checked


def _date(convert: conversion.Convert, numbers: bool) -> conversion.Convert:
    """Return a conversion; without a pattern, a number too short for a year is days, as Spark 1.5 wrote them."""

    def checked(text: str) -> Any:
        try:
            return convert(text)
        except ValueError:
            if not numbers:
                raise
            return conversion.integers(32)(text)

    return checked


def _base64(text: str) -> bytes:
    text = text.replace("\n", "").replace("\r", "")
    if len(text) % 4:
        raise ValueError("not base64")
    # Jackson continues after padding, where Python stops.
    parts = [text[start : start + 4] for start in range(0, len(text), 4)] if "=" in text[:-4] else [text]
    try:
        return b"".join(binascii.a2b_base64(part, strict_mode=True) for part in parts)
    except binascii.Error as error:
        raise ValueError("not base64") from error
