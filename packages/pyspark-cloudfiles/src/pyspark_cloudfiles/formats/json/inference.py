"""The schema of JSON records, inferred as by Spark's reader.

Each line's type is found, then merged with what was found before; only at the end NULLs become STRINGs and empty
structs vanish.  Types are small values of this module while they are merged: a struct is a dict, an array a
one-element list, anything else a Spark type.

Almost all lines of a file look like those before them.  For the type found so far a decoder is made that takes exactly
the lines which that type covers already; a line that it takes cannot change the type, and is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal, Union

import msgspec
from pyspark.sql import types as T

from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.formats.json.lenient_parser import LenientJson, MalformedJsonError, Node
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.widening import LONGEST, wider

Found = Union[T.DataType, "dict[str, Found]", "list[Found]"]

NULL, STRING, LONG, DOUBLE, BOOLEAN = T.NullType(), T.StringType(), T.LongType(), T.DoubleType(), T.BooleanType()
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_MOST_REFUSALS = 1000
_IN_64_BITS = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_ANY = msgspec.json.Decoder(float_hook=Decimal).decode


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
        except MalformedJsonError:
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
        plain = {key: value for key, value in options.items() if key != "enabledatetimeparsingfallback"}
        self._timestamp = conversion.timestamps(plain, request.timezone) if self._times else None

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
        if one is NULL or other is NULL:
            return other if one is NULL else one
        if isinstance(one, dict | list) or isinstance(other, dict | list):
            return STRING
        return wider(one, other)

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
        except (MalformedJsonError, UnicodeDecodeError):
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
            raise MalformedJsonError(f"{node.source} is no decimal number")
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
        if self._timestamp is not None and conversion.converts(self._timestamp, text):
            return T.TimestampType()
        return STRING

    def _type_of_number(self, value: int | Decimal) -> T.DataType:
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            return LONG
        if isinstance(value, int) or self._decimals:
            _, digits, exponent = Decimal(value).as_tuple()
            scale = -int(exponent)
            precision = max(len(digits), scale)
            if precision <= LONGEST and scale >= 0:
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


def _decimal_of_text(text: str) -> T.DecimalType:
    _, digits, exponent = conversion.exact(text.replace(",", "")).as_tuple()
    scale = -int(exponent)
    if len(digits) > LONGEST or scale > len(digits) or scale < 0:
        raise ValueError(f"no decimal type for {text!r}")
    return T.DecimalType(len(digits), scale)


def _is_true(options: Any, name: str) -> bool:
    return options.get(name, "false").lower() == "true"


def _java_order(name: str) -> bytes:
    """Sort as Java compares strings, by UTF-16 units."""
    return name.encode("utf-16-be", "surrogatepass")


class Covered:
    """Tells whether a line is covered by the type found so far.

    Parameters
    ----------
    found : callable
        Returns that type, as it is kept here.
    """

    def __init__(self, found: Callable[[], Any]) -> None:
        self._found = found
        self._decode: Callable[[bytes], Any] | None = None
        self._refused, self._allowed = 0, 1

    def takes(self, line: bytes) -> bool:
        """Return True only if the type stays as it is; False says nothing."""
        if self._decode is not None:
            try:
                line.decode()
                self._decode(line)
            except (msgspec.DecodeError, ValueError, RecursionError):
                pass
            else:
                return True
        self._renew()
        return False

    def _renew(self) -> None:
        """Make a decoder for the type as it is now, ever more rarely: lines may differ from each other forever."""
        self._refused += 1
        if self._refused >= self._allowed:
            self._refused, self._allowed = 0, min(2 * self._allowed, _MOST_REFUSALS)
            try:
                self._decode = msgspec.json.Decoder(_taking(self._found())).decode
            except TypeError:
                self._decode = None


def _taking(found: Any) -> Any:
    """Return the type, in msgspec's words, of the values that ``found`` covers.

    Raises
    ------
    TypeError
        Which values it covers cannot be said in such words.
    """
    if isinstance(found, dict):
        return _struct_of(found) | None
    if isinstance(found, list):
        return list[_taking(found[0])] | None  # type: ignore[misc]
    if isinstance(found, T.StringType):
        return msgspec.Raw  # everything merges into a STRING
    taken = _TAKEN.get(type(found))
    if taken is None:
        raise TypeError(found)
    return taken


_TAKEN: dict[type, Any] = {
    T.LongType: _IN_64_BITS | None,
    T.DoubleType: float | None,
    T.BooleanType: bool | None,
    T.NullType: Literal[""] | None,  # an empty text is as good as none
}


def _struct_of(found: dict[str, Any]) -> Any:
    fields = [(f"f{number}", _taking(inner), msgspec.UNSET) for number, inner in enumerate(found.values())]
    names = {f"f{number}": name for number, name in enumerate(found)}
    return msgspec.defstruct("Covered", fields, rename=names, forbid_unknown_fields=True)
