"""The format ``json``: a record per line, or with ``multiLine`` per file or per element of its array.

A schema is inferred as by Spark's reader: the type of each line is merged with those before; only at the end NULLs
become STRINGs and empty structs vanish.  While they are merged, a struct is a dict, an array a one-element list,
and anything else a Spark type.  Almost all lines of a file are like those before them.  For the type found so far
there is a decoder that accepts exactly the lines which that type covers already; such a line is skipped.

The process that infers a schema does not import Arrow, which would take longer than reading a few files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import chain
from typing import Annotated, Any, Literal, Union

import msgspec
from pyspark.sql import types as T

from pyspark_cloudfiles import conversion
from pyspark_cloudfiles.conversion import LONGEST, wider
from pyspark_cloudfiles.filesystems.files import SourceFile, read_text
from pyspark_cloudfiles.formats.base import Format, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.json_parser import LenientJson, MalformedJsonError
from pyspark_cloudfiles.formats.lines import blocks, line_separator, lines_of_files, records_of_files, to_utf8

Found = Union[T.DataType, "dict[str, Found]", "list[Found]"]

NULL, STRING, LONG, DOUBLE, BOOLEAN = T.NullType(), T.StringType(), T.LongType(), T.DoubleType(), T.BooleanType()
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_REFUSALS_LIMIT = 1000
_IN_64_BITS = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_ANY = msgspec.json.Decoder(float_hook=Decimal).decode


def infer_schema(lines: Iterable[bytes], request: InferRequest) -> T.StructType:
    inference = _Inference(request)
    if not request.infer_types and request.options.get("dropfieldifallnull", "false").lower() != "true":
        return T.StructType([T.StructField(name, STRING) for name in inference.names(lines)])
    found: Found = {}
    covered = Covered(lambda: found)
    for record in inference.records(line for line in lines if not covered.takes(line)):
        try:
            found = inference.merge(found, inference.type_of(record))
        except MalformedJsonError:
            continue
    schema = inference.finish(found)
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
        for line in lines:
            try:
                line.decode()
                names: Iterable[str] = _KEYS(line)
            except (msgspec.DecodeError, ValueError, RecursionError):
                names = chain.from_iterable(self.records([line]))
            for name in names:
                if name not in known:
                    known.add(name)
                    seen.setdefault(name if self._sensitive else name.lower(), name)
        return sorted((name for name in seen.values() if name), key=_java_order)

    def records(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Yield the objects of all lines."""
        for line in lines:
            try:
                line.decode()
                value = _ANY(line)
            except (msgspec.DecodeError, ValueError, RecursionError):
                try:
                    document = self._parser.document(line.decode())
                    value = None if document is None else document.value()
                except (MalformedJsonError, UnicodeDecodeError, RecursionError):
                    continue
            for record in value if isinstance(value, list) else [value]:
                if isinstance(record, dict):
                    yield record

    def type_of(self, value: Any) -> Found:
        if isinstance(value, dict):
            return {name: self.type_of(inner) for name, inner in value.items()}
        if isinstance(value, list):
            found: Found = NULL
            for element in value:
                found = self.merge(found, self.type_of(element))
            return [found]
        if isinstance(value, str):
            return self._type_of_text(value)
        if value is None:
            return NULL
        if self._as_strings:
            return STRING
        if isinstance(value, bool):
            return BOOLEAN
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            return LONG
        if isinstance(value, float):  # a named one
            if self._decimals:
                raise MalformedJsonError(f"{value} is not a decimal number")
            return DOUBLE
        if isinstance(value, int) or self._decimals:
            _, digits, exponent = Decimal(value).as_tuple()
            precision = max(len(digits), -int(exponent))
            if precision <= LONGEST and exponent <= 0:
                return T.DecimalType(precision, -int(exponent))
        return DOUBLE

    def merge(self, one: Found, other: Found) -> Found:
        """Return the narrowest type that covers both."""
        if isinstance(one, dict) and isinstance(other, dict):
            names = {} if self._sensitive else {name.lower(): name for name in one}
            for name, found in other.items():
                same = name if name in one else names.get(name.lower(), name) if not self._sensitive else name
                if same in one:
                    one[same] = self.merge(one[same], found)
                else:
                    one[same] = found
                    names[same.lower()] = same
            return one
        if isinstance(one, list) and isinstance(other, list):
            return [self.merge(one[0], other[0])]
        if one is NULL or other is NULL:
            return other if one is NULL else one
        if isinstance(one, dict | list) or isinstance(other, dict | list):
            return STRING
        return wider(one, other)

    def finish(self, found: Found) -> T.DataType | None:
        """Return the Spark type, or None for an empty struct or a dropped NULL."""
        if isinstance(found, list):
            element = self.finish(found[0])
            return None if element is None else T.ArrayType(element)
        if isinstance(found, dict):
            types = {name: self.finish(found[name]) for name in sorted(found, key=_java_order) if name}
            fields = [T.StructField(name, data_type) for name, data_type in types.items() if data_type is not None]
            return T.StructType(fields) if fields else None
        if found is NULL:
            return None if self._drop_nulls else STRING
        return found

    def _type_of_text(self, text: str) -> T.DataType:
        if not text:
            return NULL
        if self._decimals:
            with suppress(ValueError):
                _, digits, exponent = conversion.exact(text.replace(",", "")).as_tuple()
                scale = -int(exponent)
                if len(digits) <= LONGEST and 0 <= scale <= len(digits):
                    return T.DecimalType(len(digits), scale)
        if self._timestamp is not None and conversion.can_convert(self._timestamp, text):
            return T.TimestampType()
        return STRING


def _is_true(options: Any, name: str) -> bool:
    return options.get(name, "false").lower() == "true"


def _java_order(name: str) -> bytes:
    """Return the key to sort as Java compares strings, by UTF-16 units."""
    return name.encode("utf-16-be", "surrogatepass")


class Covered:
    """Checks whether a line is covered by the type found so far, which a function returns."""

    def __init__(self, found: Callable[[], Any]) -> None:
        self._found = found
        self._decode: Callable[[bytes], Any] | None = None
        self._refused, self._allowed = 0, 1

    def takes(self, line: bytes) -> bool:
        """Whether the line does not change the type; False is not a definite answer."""
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
        """Build a decoder for the current type, ever more rarely: lines may differ from each other forever."""
        self._refused += 1
        if self._refused >= self._allowed:
            self._refused, self._allowed = 0, min(2 * self._allowed, _REFUSALS_LIMIT)
            try:
                self._decode = msgspec.json.Decoder(_covering_type(self._found())).decode
            except TypeError:
                self._decode = None


def _covering_type(found: Any) -> Any:
    """Return msgspec's type for the values that ``found`` covers; raise TypeError if there is none."""
    if isinstance(found, dict):
        fields = [(f"f{number}", _covering_type(inner), msgspec.UNSET) for number, inner in enumerate(found.values())]
        names = {f"f{number}": name for number, name in enumerate(found)}
        return msgspec.defstruct("Covered", fields, rename=names, forbid_unknown_fields=True) | None
    if isinstance(found, list):
        return list[_covering_type(found[0])] | None  # type: ignore[misc]
    if isinstance(found, T.StringType):
        return msgspec.Raw  # everything merges into a STRING
    taken = _COVERING.get(type(found))
    if taken is None:
        raise TypeError(found)
    return taken


_COVERING: dict[type, Any] = {
    T.LongType: _IN_64_BITS | None,
    T.DoubleType: float | None,
    T.BooleanType: bool | None,
    T.NullType: Literal[""] | None,  # an empty text counts as NULL
}


_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw]).decode


class JsonFormat(Format):
    """The format ``json``."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:

        return infer_schema((record for _, some in _records(files, request) for record in some if record), request)

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        from pyspark_cloudfiles.formats.engine import Engine  # see above
        from pyspark_cloudfiles.formats.json_columns import JsonParser

        # With another line separator, records may have the usual one in them.
        is_plain = not _spans_lines(request) and line_separator(request.options) is None
        parts = lines_of_files(files, request.options) if is_plain else _records(files, request)
        return map(Engine(JsonParser(request), request).rows, blocks(parts))


def _spans_lines(request: ReadRequest | InferRequest) -> bool:
    return request.options.get("multiline", "false").lower() == "true"


def _records(
    files: Sequence[SourceFile], request: ReadRequest | InferRequest
) -> Iterator[tuple[SourceFile, list[bytes]]]:
    if not _spans_lines(request):
        return records_of_files(files, request.options)
    return ((file, _elements(to_utf8(read_text(file), request.options))) for file in files)


def _elements(data: bytes) -> list[bytes]:
    """Return the elements of a document that is an array of objects, or else the document."""
    if data.lstrip(b" \t\r\n")[:1] == b"[":
        try:
            elements = [bytes(element) for element in _ELEMENTS(data)]
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return [data]
        if all(element[:1] == b"{" for element in elements):
            return elements
    return [data]
