"""Whole records of text files as VARIANT, as by Spark's readers with ``singleVariantColumn``.

JSON keeps its kinds of values.  In CSV and XML a text that looks like a number, a truth value or (in CSV) a time is
one; floating point numbers are decimals, so that no digit is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

from pyspark_cloudfiles.filesystems.compression import read_text
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.csv.blocks import Header, check_limits, parts
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.tokenizer import Tokenizer
from pyspark_cloudfiles.formats.json.lenient_parser import MalformedJsonError
from pyspark_cloudfiles.formats.records import text_lines
from pyspark_cloudfiles.formats.records.outcome import Record
from pyspark_cloudfiles.formats.variant import encoding
from pyspark_cloudfiles.formats.variant.encoding import Encoder, JsonVariants, Variant
from pyspark_cloudfiles.formats.xml.elements import Broken, Element, XmlOptions
from pyspark_cloudfiles.formats.xml.elements import records as xml_elements
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.rescue import CORRUPT_RECORD, Leaf, quoted
from pyspark_cloudfiles.values.time_patterns import compiled

# Each with its text, which matters only if it is malformed.
Records = Iterator[Iterable[tuple[Record, str]]]
_MALFORMED = "it is malformed"
_BLANK = bytes(range(0x21))


def json_records(file: SourceFile, request: ReadRequest) -> Records:
    """Yield a record for each line, or for the whole file with ``multiLine``; any JSON value is one."""
    reader = JsonVariants(request.options)
    if request.options.get("multiline", "false").lower() == "true":
        lines: Iterator[list[bytes]] = iter([[text_lines.utf8(read_text(file), request.options)]])
    else:
        lines = (some for some, _ in text_lines.pieces(file, request.options))
    for some in lines:
        # One after the other: of many objects at once the garbage collector would look at each again and again.
        yield (_of_line(line, reader) for line in some if line.strip(_BLANK))


def _of_line(line: bytes, reader: JsonVariants) -> tuple[Record, str]:
    try:
        return Record((reader.variant(line),)), ""
    except MalformedJsonError:
        return Record(None, malformed=_MALFORMED), line.decode("utf-8", "replace")


def csv_records(file: SourceFile, request: ReadRequest) -> Records:
    """Yield an object for each line, of what the header names, or of ``_c0``, ``_c1`` ... where there is none."""
    dialect, encoder = Dialect.of(request.options), Encoder()
    converters: list[_Narrowing] = []
    tokenizer = Tokenizer(dialect)
    for part in parts(file, dialect, request.options):
        block = part.block(Header(part.names, [], []))
        some = []
        for number in range(block.count):
            cells, source = block.tokens(number, tokenizer), block.text(number)
            if cells is None:
                continue
            check_limits(file, [cells], dialect)
            known = part.names if dialect.header else [f"_c{place}" for place in range(len(cells))]
            while len(converters) < len(cells):
                converters.append(_Narrowing(request, dialect))
            fields = {name: convert(cell) for name, convert, cell in zip(known, converters, cells, strict=False)}
            some.append((_of_row(encoder.variant(fields), source, len(cells) == len(known), request), source))
        yield some


def _of_row(variant: Variant, source: str, is_sound: bool, request: ReadRequest) -> Record:
    if is_sound:
        return Record((variant,))
    # What is there of it is kept, and its text too.
    left = {CORRUPT_RECORD: Leaf(quoted(source), fits=True)} if request.corrupt_column is None else {}
    return Record((variant,), left, _MALFORMED)


class _Narrowing:
    """Converts the cells of a column: what one of them was not is not tried again in the same file."""

    def __init__(self, request: ReadRequest, dialect: Dialect) -> None:
        options = {key: value for key, value in request.options.items() if key != "enabledatetimeparsingfallback"}
        day = compiled(options.get("dateformat", "yyyy-MM-dd")).day
        moment = conversion.timestamps(options, request.timezone)
        self._ways: list[Callable[[str], bytes | None]] = [_integer, partial(encoding.exactly, exact=_decimal)]
        if options.get("preferdate", "true").lower() == "true":
            self._ways.append(lambda text: encoding.date(day(text)))
        self._ways += [lambda text: encoding.timestamp(moment(text)), _boolean, encoding.text]
        self._first, self._null = 0, dialect.null

    def __call__(self, cell: str | None) -> bytes | None:
        if cell is None or cell == self._null:
            return None
        while (found := _attempted(self._ways[self._first], cell)) is None:
            self._first += 1
        return found


def _attempted(way: Callable[[str], bytes | None], text: str) -> bytes | None:
    try:
        return way(text)
    except ValueError:
        return None


_LONG = conversion.integers(64)


def _integer(text: str) -> bytes:
    return encoding.integer(_LONG(text))


def _decimal(text: str) -> Decimal:
    return conversion.exact(text)


def _boolean(text: str) -> bytes | None:
    return {"true": b"\x04", "false": b"\x08"}.get(text.lower())


def xml_records(file: SourceFile, request: ReadRequest) -> Records:
    """Yield an object for each element that is a row, of its attributes, elements and text."""
    options, encoder = XmlOptions.of(request.options), Encoder()
    for elements in xml_elements(file, options):
        yield [
            (Record(None, malformed=_MALFORMED), some.text)
            if isinstance(some, Broken)
            else (Record((encoder.variant(_of_element(some, options, request.case_sensitive)),)), "")
            for some in elements
        ]


def _of_element(element: Element, options: XmlOptions, case_sensitive: bool) -> Any:
    fields: dict[str, list[Any]] = {}
    spelling: dict[str, str] = {}
    for name, found in options.members(element).items():
        key = name if case_sensitive else spelling.setdefault(name.lower(), name)
        fields.setdefault(key, []).extend(_of_member(value, options, case_sensitive) for value in found)
    if fields.keys() <= {options.value_tag}:
        return fields[options.value_tag][0] if fields else None
    return {name: found if len(found) > 1 else found[0] for name, found in sorted(fields.items())}


def _of_member(value: Element | str, options: XmlOptions, case_sensitive: bool) -> Any:
    if isinstance(value, Element):
        return _of_element(value, options, case_sensitive)
    if value == options.null_value:
        return None
    text = value.strip() if options.trim else value
    for way in (_boolean, _integer, partial(encoding.exactly, exact=_decimal)):
        found = _attempted(way, text) if text else None
        if found is not None:
            return found
    return text
