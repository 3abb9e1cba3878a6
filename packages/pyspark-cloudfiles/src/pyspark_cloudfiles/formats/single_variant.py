"""The option ``singleVariantColumn``: each record of a text format as one VARIANT.

There is no schema to infer and none that could drift, so a stream needs no schema location.  A malformed record is NULL
by default; its text is in ``columnNameOfCorruptRecord`` if the user's schema has it, or in the ``rescuedDataColumn``.

JSON keeps its kinds of values.  In CSV and XML a text that looks like a number, a boolean or (in CSV) a time becomes
one; floating point numbers are decimals, so that no digit is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from pyspark.sql import types as T

from pyspark_cloudfiles import conversion
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.files import SourceFile, read_text
from pyspark_cloudfiles.formats.base import Format, ReadRequest, Rows
from pyspark_cloudfiles.formats.csv_blocks import Header, check_limits, parts
from pyspark_cloudfiles.formats.csv_dialect import Dialect, Tokenizer
from pyspark_cloudfiles.formats.engine import Record, batches_of, file_rows
from pyspark_cloudfiles.formats.json_parser import MalformedJsonError
from pyspark_cloudfiles.formats.lines import line_pieces, to_utf8
from pyspark_cloudfiles.formats.variant_encoding import (
    Encoder,
    JsonVariants,
    encode_date,
    encode_decimal_text,
    encode_integer,
    encode_text,
    encode_timestamp,
)
from pyspark_cloudfiles.formats.xml import Broken, Element, XmlOptions
from pyspark_cloudfiles.formats.xml import records as xml_elements
from pyspark_cloudfiles.rescue import CORRUPT_RECORD, Leaf, quoted
from pyspark_cloudfiles.times import compile_pattern

# Each with its text, which is used only if it is malformed.
Records = Iterator[Iterable[tuple[Record, str]]]
_MALFORMED = "it is malformed"
_BLANK = bytes(range(0x21))


def json_records(file: SourceFile, request: ReadRequest) -> Records:
    """Yield a record for each line, or for the whole file with ``multiLine``; any JSON value is one."""
    reader = JsonVariants(request.options)
    if request.options.get("multiline", "false").lower() == "true":
        lines: Iterator[list[bytes]] = iter([[to_utf8(read_text(file), request.options)]])
    else:
        lines = line_pieces(file, request.options)
    for some in lines:
        # One at a time, because the garbage collector would check many objects again and again.
        yield (_line_record(line, reader) for line in some if line.strip(_BLANK))


def _line_record(line: bytes, reader: JsonVariants) -> tuple[Record, str]:
    try:
        return Record((reader.variant(line),)), ""
    except MalformedJsonError:
        return Record(None, malformed=_MALFORMED), line.decode("utf-8", "replace")


def csv_records(file: SourceFile, request: ReadRequest) -> Records:
    """Yield an object for each line, with the names of the header, or ``_c0``, ``_c1`` ... without a header."""
    dialect, encoder = Dialect.from_options(request.options), Encoder()
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
            record = Record((encoder.variant(fields),))
            if len(cells) != len(known):  # its values are kept, and its text as well
                left = {CORRUPT_RECORD: Leaf(quoted(source), fits=True)} if request.corrupt_column is None else {}
                record = Record(record.cells, left, _MALFORMED)
            some.append((record, source))
        yield some


class _Narrowing:
    """Converts the cells of a column; a conversion that failed is not tried again in the same file."""

    def __init__(self, request: ReadRequest, dialect: Dialect) -> None:
        options = {key: value for key, value in request.options.items() if key != "enabledatetimeparsingfallback"}
        day = compile_pattern(options.get("dateformat", "yyyy-MM-dd")).day
        moment = conversion.timestamps(options, request.timezone)
        self._conversions: list[Callable[[str], bytes | None]] = [
            _integer,
            partial(encode_decimal_text, exact=conversion.exact),
        ]
        if options.get("preferdate", "true").lower() == "true":
            self._conversions.append(lambda text: encode_date(day(text)))
        self._conversions += [lambda text: encode_timestamp(moment(text)), _boolean, encode_text]
        self._first, self._null = 0, dialect.null

    def __call__(self, cell: str | None) -> bytes | None:
        if cell is None or cell == self._null:
            return None
        while (found := _try_conversion(self._conversions[self._first], cell)) is None:
            self._first += 1
        return found


def _try_conversion(convert: Callable[[str], bytes | None], text: str) -> bytes | None:
    try:
        return convert(text)
    except ValueError:
        return None


_LONG = conversion.integers(64)


def _integer(text: str) -> bytes:
    return encode_integer(_LONG(text))


def _boolean(text: str) -> bytes | None:
    return {"true": b"\x04", "false": b"\x08"}.get(text.lower())


def xml_records(file: SourceFile, request: ReadRequest) -> Records:
    """Yield an object for each element that is a row, with its attributes, elements and text."""
    options, encoder = XmlOptions.from_options(request.options), Encoder()
    for elements in xml_elements(file, options):
        yield [
            (Record(None, malformed=_MALFORMED), some.text)
            if isinstance(some, Broken)
            else (Record((encoder.variant(_element_value(some, options, request.case_sensitive)),)), "")
            for some in elements
        ]


def _element_value(element: Element, options: XmlOptions, case_sensitive: bool) -> Any:
    fields: dict[str, list[Any]] = {}
    spelling: dict[str, str] = {}
    for name, found in options.members(element).items():
        key = name if case_sensitive else spelling.setdefault(name.lower(), name)
        fields.setdefault(key, []).extend(_member_value(value, options, case_sensitive) for value in found)
    if fields.keys() <= {options.value_tag}:
        return fields[options.value_tag][0] if fields else None
    return {name: found if len(found) > 1 else found[0] for name, found in sorted(fields.items())}


def _member_value(value: Element | str, options: XmlOptions, case_sensitive: bool) -> Any:
    if isinstance(value, Element):
        return _element_value(value, options, case_sensitive)
    if value == options.null_value:
        return None
    text = value.strip() if options.trim else value
    for convert in (_boolean, _integer, partial(encode_decimal_text, exact=conversion.exact)):
        found = _try_conversion(convert, text) if text else None
        if found is not None:
            return found
    return text


RECORD_READERS = {"json": json_records, "csv": csv_records, "xml": xml_records}


class SingleVariantFormat(Format):
    """Reads the records of a text format, json, csv or xml, into one column."""

    def __init__(self, name: str, column: str) -> None:
        self.name, self._column = name, column

    def fixed_schema(self) -> T.StructType:
        return T.StructType([T.StructField(self._column, T.VariantType())])

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files; raise InvalidOption if the schema has other columns than the VARIANT, or none of its name."""
        columns = {field.name: field.dataType for field in request.schema if field.name != request.corrupt_column}
        if columns != {self._column: T.VariantType()}:
            raise InvalidOption(
                f"singleVariantColumn is {self._column}, and the schema is {request.schema.simpleString()}. Give none, "
                f"or one with {self._column} VARIANT and, if you like, a column for corrupt records."
            )
        return batches_of(
            file_rows(file, ((record, partial(str, text)) for record, text in some), request)
            for file in files
            for some in RECORD_READERS[self.name](file, request)
        )
