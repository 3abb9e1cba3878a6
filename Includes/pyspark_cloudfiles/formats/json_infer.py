"""The schema of JSON lines, as Spark's reader infers it.

Each line's type is found, then merged with what was found before; only at the end NULLs become STRINGs and empty
structs vanish.  Types are small values of this module while they are merged: a struct is a dict, an array a
one-element list, anything else a Spark type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Union

import msgspec
from pyspark.sql import types as T

from pyspark_cloudfiles import values
from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.formats.json_covered import Covered
from pyspark_cloudfiles.formats.json_text import LenientJson, Malformed, Node

Found = Union[T.DataType, "dict[str, Found]", "list[Found]"]

NULL, STRING, LONG, DOUBLE, BOOLEAN = T.NullType(), T.StringType(), T.LongType(), T.DoubleType(), T.BooleanType()
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_ANY = msgspec.json.Decoder(float_hook=Decimal).decode
MAX_PRECISION = 38


def inferred(lines: Iterable[bytes], request: InferRequest) -> T.StructType:
    """Return the schema of lines; malformed ones do not count."""
    inference = _Inference(request)
    if not request.infer_types and request.options.get("dropfieldifallnull", "false").lower() != "true":
        return T.StructType([T.StructField(name, STRING) for name in inference.names(lines)])
    found: Found = {}
    covered = Covered(lambda: found)
    for record in inference.records(line for line in lines if not covered.takes(line)):
        try:
            found = inference.merged(found, inference.type_of(record))
        except Malformed:
            continue
    schema = inference.finished(found)
    fields = schema.fields if isinstance(schema, T.StructType) else []
    return T.StructType([field if request.infer_types else T.StructField(field.name, STRING) for field in fields])


class _Inference:
    """Finds and merges types by the format's options."""

    def __init__(self, request: InferRequest) -> None:
        options = request.options
        self._parser = LenientJson(options)
        self._sensitive = request.case_sensitive
        self._as_strings = _is_true(options, "primitivesasstring")
        self._decimals = _is_true(options, "prefersdecimal")
        self._drop_nulls = _is_true(options, "dropfieldifallnull")
        self._times = _is_true(options, "infertimestamp")
        self._timestamp = values.timestamps(
            {key: value for key, value in options.items() if key != "enabledatetimeparsingfallback"}, request.timezone
        )

    def names(self, lines: Iterable[bytes]) -> list[str]:
        """Return the names of all top-level fields, sorted; of names that differ only in case, the first spelling."""
        seen: dict[str, str] = {}
        known: set[str] = set()
        for record in self._top_levels(lines):
            for name in record:
                if name not in known:
                    known.add(name)
                    seen.setdefault(name if self._sensitive else name.lower(), name)
        return sorted((name for name in seen.values() if name), key=_java_order)

    def records(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Give the objects of all lines, as Python values or nodes."""
        for line in lines:
            try:
                line.decode()
                value = _ANY(line)
            except (msgspec.DecodeError, ValueError, RecursionError):
                value = self._leniently(line)
            for record in value if isinstance(value, list) else [value]:
                if isinstance(record, dict):
                    yield record

    def type_of(self, value: Any) -> Found:
        """Return the type of a value."""
        if isinstance(value, Node):
            return self._type_of_node(value)
        if isinstance(value, dict):
            return {name: self.type_of(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return self._type_of_elements(value)
        if isinstance(value, str):
            return self._type_of_text(value)
        if value is None:
            return NULL
        if self._as_strings:
            return STRING
        if isinstance(value, bool):
            return BOOLEAN
        return self._type_of_number(value)

    def merged(self, one: Found, other: Found) -> Found:
        """Return the narrowest type that takes both."""
        if isinstance(one, dict) and isinstance(other, dict):
            return self._merged_structs(one, other)
        if isinstance(one, list) and isinstance(other, list):
            return [self.merged(one[0], other[0])]
        if isinstance(one, dict | list) or isinstance(other, dict | list):
            return other if one is NULL else one if other is NULL else STRING
        return _common(one, other)

    def finished(self, found: Found) -> T.DataType | None:
        """Return the Spark type, or None where there is nothing."""
        if isinstance(found, list):
            element = self.finished(found[0])
            return None if element is None else T.ArrayType(element)
        if isinstance(found, dict):
            types = {name: self.finished(found[name]) for name in sorted(found, key=_java_order) if name}
            fields = [T.StructField(name, data_type) for name, data_type in types.items() if data_type is not None]
            return T.StructType(fields) if fields else None
        if found is NULL:
            return None if self._drop_nulls else STRING
        return found

    def _top_levels(self, lines: Iterable[bytes]) -> Iterator[Iterable[str]]:
        for line in lines:
            try:
                line.decode()
                yield _KEYS(line)
            except (msgspec.DecodeError, ValueError, RecursionError):
                yield from (record for record in self.records([line]))

    def _leniently(self, line: bytes) -> Any:
        try:
            document = self._parser.document(line.decode())
        except (Malformed, UnicodeDecodeError):
            return None
        if document is None:
            return None
        nodes = document.items if document.kind == "[" else [document]
        return [dict(node.fields) for node in nodes if node.kind == "{"]

    def _type_of_node(self, node: Node) -> Found:
        if node.kind == "{":
            return {name: self.type_of(inner) for name, inner in node.fields}
        if node.kind == "[":
            return self._type_of_elements(node.items)
        if node.kind == '"':
            return self._type_of_text(node.text)
        if node.kind == "n":
            return NULL
        if self._as_strings:
            return STRING
        if node.kind == "b":
            return BOOLEAN
        if node.source[-1:] not in "NFy":
            return self._type_of_number(int(node.source) if node.kind == "i" else Decimal(node.source))
        if self._decimals:
            raise Malformed(f"{node.source} is no decimal number")
        return DOUBLE

    def _type_of_elements(self, elements: list[Any]) -> Found:
        found: Found = NULL
        for element in elements:
            found = self.merged(found, self.type_of(element))
        return [found]

    def _type_of_text(self, text: str) -> T.DataType:
        if not text:
            return NULL
        if self._decimals:
            try:
                return _decimal_of_text(text)
            except ValueError:
                pass
        if self._times and _fits(self._timestamp, text):
            return T.TimestampType()
        return STRING

    def _type_of_number(self, value: int | Decimal) -> T.DataType:
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            return LONG
        if isinstance(value, int) or self._decimals:
            _, digits, exponent = Decimal(value).as_tuple()
            scale = -int(exponent)
            precision = max(len(digits), scale)
            if precision <= MAX_PRECISION and scale >= 0:
                return T.DecimalType(precision, scale)
        return DOUBLE

    def _merged_structs(self, one: dict[str, Found], other: dict[str, Found]) -> Found:
        names = {} if self._sensitive else {name.lower(): name for name in one}
        for name, found in other.items():
            same = name if name in one else names.get(name.lower(), name) if not self._sensitive else name
            if same in one:
                one[same] = self.merged(one[same], found)
            else:
                one[same] = found
                names[same.lower()] = same
        return one


def _common(one: T.DataType, other: T.DataType) -> T.DataType:
    if one == other or other is NULL:
        return one
    if one is NULL:
        return other
    pair = {type(one), type(other)}
    if pair == {T.LongType, T.DoubleType} or pair == {T.DecimalType, T.DoubleType}:
        return DOUBLE
    if pair <= {T.LongType, T.DecimalType}:
        return common_decimal(_as_decimal(one), _as_decimal(other))
    return STRING


def common_decimal(one: T.DecimalType, other: T.DecimalType) -> T.DataType:
    """Return the decimal type that takes both, or DOUBLE where none does."""
    scale = max(one.scale, other.scale)
    whole = max(one.precision - one.scale, other.precision - other.scale)
    return T.DecimalType(whole + scale, scale) if whole + scale <= MAX_PRECISION else DOUBLE


def _as_decimal(data_type: T.DataType) -> T.DecimalType:
    return data_type if isinstance(data_type, T.DecimalType) else T.DecimalType(20, 0)


def _decimal_of_text(text: str) -> T.DecimalType:
    _, digits, exponent = values.exact(text.replace(",", "")).as_tuple()
    scale = -int(exponent)
    if len(digits) > MAX_PRECISION or scale > len(digits) or scale < 0:
        raise ValueError(f"no decimal type for {text!r}")
    return T.DecimalType(len(digits), scale)


def _fits(convert: values.Convert, text: str) -> bool:
    try:
        convert(text)
    except ValueError:
        return False
    return True


def _is_true(options: Any, name: str) -> bool:
    return options.get(name, "false").lower() == "true"


def _java_order(name: str) -> bytes:
    """Sort as Java compares strings, by UTF-16 units."""
    return name.encode("utf-16-be", "surrogatepass")
