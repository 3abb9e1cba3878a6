"""Spark's binary encoding of VARIANT: a value, and the dictionary of its field names.

Both are bytes, in the layout of Spark's own ``VariantBuilder``, so that a record equals the result of
``parse_json``.  A Python data source returns a VARIANT as a struct of the two.  :class:`JsonVariants` encodes JSON
texts, as Spark's JSON reader does.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.columns import binaries, longs
from pyspark_cloudfiles.formats.json_parser import LenientJson, MalformedJsonError, Node

VARIANT_LIMIT = 16 * 1024 * 1024  # Spark's
_DIGITS_LIMIT = 38
_CACHE_LIMIT = 10_000
_NULL, _TRUE, _FALSE = b"\x00", b"\x04", b"\x08"
_BYTES = [struct.pack("<Bb", 3 << 2, number) for number in (*range(128), *range(-128, 0))]
_SHORT, _INT, _LONG = struct.Struct("<Bh"), struct.Struct("<Bi"), struct.Struct("<Bq")
_DECIMAL4, _DECIMAL8 = struct.Struct("<BBi"), struct.Struct("<BBq")
_DOUBLE, _LONG_TEXT = struct.Struct("<Bd"), struct.Struct("<BI")
_ARROW = to_arrow_type(T.VariantType())
# Matches the names, and other places with the same characters; if the numbers differ, the slow parser checks.
_NAMES = re.compile(rb'"[ \t\r\n]*:').findall


class Variant(NamedTuple):
    """A value of the type VARIANT."""

    value: bytes
    metadata: bytes


class VariantTooLargeError(ValueError):
    """A record is larger than a VARIANT may be."""


class Encoder:
    """Encodes records of Python values, and of bytes, which are encoded values; caches the parts of their names."""

    def __init__(self) -> None:
        self._orders: dict[tuple[str, ...], list[int]] = {}
        self._metadata: dict[tuple[str, ...], bytes] = {}
        self.names = 0

    def variant(self, value: Any) -> Variant:
        """Return a record as VARIANT, and set ``names`` to the number of names of all its objects."""
        self.names = 0
        numbers: dict[str, int] = {}
        encoded = self._encoded(value, numbers)
        metadata = self._metadata_of(tuple(numbers))
        if len(encoded) > VARIANT_LIMIT or len(metadata) > VARIANT_LIMIT:
            raise VariantTooLargeError(f"it is larger than {VARIANT_LIMIT} bytes")
        return Variant(encoded, metadata)

    def _encoded(self, value: Any, numbers: dict[str, int]) -> bytes:
        kind = type(value)
        if kind is str:
            return encode_text(value)
        if kind is bytes:
            return value
        if kind is int:
            return encode_integer(value)
        if kind is dict:
            return self._object(value, numbers)
        if kind is list:
            return _array([self._encoded(element, numbers) for element in value])
        return _NULL if value is None else _TRUE if value else _FALSE

    def _object(self, fields: dict[str, Any], numbers: dict[str, int]) -> bytes:
        names = tuple(fields)
        self.names += len(names)
        ids, parts = [], []
        for name, value in fields.items():
            number = numbers.get(name)
            if number is None:
                number = numbers[name] = len(numbers)
            ids.append(number)
            parts.append(self._encoded(value, numbers))
        order = self._order(names)
        offsets = [0, *accumulate(map(len, parts))]
        size, most = offsets[-1], max(ids, default=0)
        if size < 256 > most and len(names) < 256:
            ordered = [ids[place] for place in order] + [offsets[place] for place in order]
            return b"".join([bytes((2, len(names), *ordered, size)), *parts])
        large, id_size, offset_size = len(names) > 255, _byte_count(most), _byte_count(size)
        header = bytes([large << 6 | (id_size - 1) << 4 | (offset_size - 1) << 2 | 2])
        places = [ids[place].to_bytes(id_size, "little") for place in order]
        places += [offsets[place].to_bytes(offset_size, "little") for place in (*order, len(order))]
        return b"".join([header, len(names).to_bytes(4 if large else 1, "little"), *places, *parts])

    def _order(self, names: tuple[str, ...]) -> list[int]:
        """Return the positions of names in the order of an object's fields: Java's, by UTF-16 units."""
        order = self._orders.get(names)
        if order is None:
            keys = [name.encode("utf-16-be", "surrogatepass") for name in names]
            order = sorted(range(len(names)), key=keys.__getitem__)
            _remember(self._orders, names, order)
        return order

    def _metadata_of(self, names: tuple[str, ...]) -> bytes:
        metadata = self._metadata.get(names)
        if metadata is None:
            texts = [name.encode() for name in names]
            offsets = [0, *accumulate(map(len, texts))]
            size = _byte_count(max(offsets[-1], len(names)))
            numbers = (number.to_bytes(size, "little") for number in (len(names), *offsets))
            metadata = b"".join([bytes([1 | (size - 1) << 6]), *numbers, *texts])
            _remember(self._metadata, names, metadata)
        return metadata


def encode_text(value: str) -> bytes:
    data = value.encode()
    if len(data) < 64:
        return bytes((len(data) << 2 | 1,)) + data
    return _LONG_TEXT.pack(16 << 2, len(data)) + data


def encode_integer(value: int) -> bytes:
    """Return an integer in the fewest bytes; beyond BIGINT it is a decimal, or else a DOUBLE."""
    if -128 <= value < 128:
        return _BYTES[value]
    if -(1 << 15) <= value < 1 << 15:
        return _SHORT.pack(4 << 2, value)
    if -(1 << 31) <= value < 1 << 31:
        return _INT.pack(5 << 2, value)
    if -(1 << 63) <= value < 1 << 63:
        return _LONG.pack(6 << 2, value)
    exact = encode_decimal(Decimal(value))
    if exact is not None:
        return exact
    try:
        return encode_double(float(value))
    except OverflowError:
        return encode_double(float("-inf") if value < 0 else float("inf"))


def encode_number(source: str) -> bytes:
    """Return a number of JSON: a decimal if that is exact and has no exponent, or else a DOUBLE."""
    if "e" not in source and "E" not in source and len(source) <= 2 * _DIGITS_LIMIT:
        whole, _, fraction = source.partition(".")
        exact = _exact(int(whole + fraction), len(fraction))
        if exact is not None:
            return exact
    return encode_double(float(source))


def encode_decimal(value: Decimal) -> bytes | None:
    """Return a decimal in the fewest bytes, or None for too many digits; a positive exponent is written out."""
    sign, digits, exponent = value.as_tuple()
    if len(digits) > _DIGITS_LIMIT or exponent > _DIGITS_LIMIT:  # type: ignore[operator]
        return None
    unscaled = int("".join(map(str, digits))) * 10 ** max(exponent, 0)  # type: ignore[type-var]
    return _exact(-unscaled if sign else unscaled, max(-exponent, 0))  # type: ignore[operator]


def _exact(unscaled: int, scale: int) -> bytes | None:
    digits = max(scale, len(str(abs(unscaled))))
    if digits <= 9:
        return _DECIMAL4.pack(8 << 2, scale, unscaled)
    if digits <= 18:
        return _DECIMAL8.pack(9 << 2, scale, unscaled)
    if digits <= _DIGITS_LIMIT:
        return bytes((10 << 2, scale)) + unscaled.to_bytes(16, "little", signed=True)
    return None


def encode_double(value: float) -> bytes:
    return _DOUBLE.pack(7 << 2, value)


def encode_date(days: int) -> bytes:
    return _INT.pack(11 << 2, days)


def encode_timestamp(microseconds: int) -> bytes:
    return _LONG.pack(12 << 2, microseconds)


def encode_decimal_text(source: str, exact: Callable[[str], Decimal]) -> bytes | None:
    """Return the decimal number of a text, or None for another text, or too many digits."""
    try:
        return encode_decimal(exact(source.replace(",", "")))
    except ValueError:
        return None


def variant_array(variants: list[Variant | None]) -> pa.Array:
    """Return variants as an Arrow array of the type that Spark expects."""
    children = [binaries([b"" if some is None else some[part] for some in variants]) for part in (0, 1)]
    absent = pc.equal(longs(variant is None for variant in variants), 1) if None in variants else None
    return pa.StructArray.from_arrays(children, fields=list(_ARROW), mask=absent)


def _array(parts: list[bytes]) -> bytes:
    offsets = [0, *accumulate(map(len, parts))]
    if offsets[-1] < 256 > len(parts):
        return b"".join([bytes((3, len(parts), *offsets)), *parts])
    large, size = len(parts) > 255, _byte_count(offsets[-1])
    header = bytes([large << 4 | (size - 1) << 2 | 3]) + len(parts).to_bytes(4 if large else 1, "little")
    return b"".join([header, *(offset.to_bytes(size, "little") for offset in offsets), *parts])


def _byte_count(number: int) -> int:
    """Return the bytes of a number; one that takes more than three is beyond the limit."""
    if number >= 1 << 24:
        raise VariantTooLargeError(f"it is larger than {VARIANT_LIMIT} bytes")
    return 1 if number < 1 << 8 else 2 if number < 1 << 16 else 3


def _remember(known: dict, key: object, value: object) -> None:
    """Cache a value; the cache is bounded, because records may differ from each other forever."""
    if len(known) >= _CACHE_LIMIT:
        known.clear()
    known[key] = value


_UNFIT = (msgspec.DecodeError, RecursionError, UnicodeDecodeError, VariantTooLargeError)


class JsonVariants:
    """Encodes JSON as VARIANT, by the format's options."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._encoder, self._lenient = Encoder(), LenientJson(options)
        self._decode = msgspec.json.Decoder(float_hook=encode_number).decode

    def variant(self, source: bytes) -> Variant:
        """Return the first value of a text; raise MalformedJsonError if it is malformed, too deep or too large."""
        try:
            source.decode()
            variant = self._encoder.variant(self._decode(source))
            # A repeated name is malformed, and msgspec accepts it.
            if self._encoder.names == len(_NAMES(source)):
                return variant
        except _UNFIT:
            pass
        try:
            node = self._lenient.document(source.decode())
            if node is None:
                raise MalformedJsonError("a blank text")
            return self._encoder.variant(_plain(node))
        except (RecursionError, UnicodeDecodeError, VariantTooLargeError) as error:
            raise MalformedJsonError(str(error)) from error


def _plain(node: Node) -> Any:
    """Return a parsed value for the encoder."""
    if node.kind == "{":
        fields = {name: _plain(value) for name, value in node.fields}
        if len(fields) < len(node.fields):
            raise MalformedJsonError("an object repeats a name")
        return fields
    if node.kind == "[":
        return [_plain(item) for item in node.items]
    if node.kind == "f" and node.source[-1] not in "NFy":
        return encode_number(node.source)
    value = node.value()
    return encode_double(value) if node.kind == "f" else value
