"""The format ``xml``: a row for each element with the name ``rowTag``; the schema is inferred as by Spark's reader.

Records are small element trees, parsed while the file is read.  As in Spark's reader, namespaces are part of names,
external entities are not resolved, and comments are skipped.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from pyspark.sql import types as T

from pyspark_cloudfiles import conversion
from pyspark_cloudfiles.conversion import wider
from pyspark_cloudfiles.errors import InvalidOption, UnsupportedOption
from pyspark_cloudfiles.filesystems.files import SourceFile, open_text, unreadable_if_broken
from pyspark_cloudfiles.formats.base import Format, InferRequest, Names, ReadRequest, Rows
from pyspark_cloudfiles.formats.engine import Record, batches_of, file_rows
from pyspark_cloudfiles.rescue import Leaf, Leftover, quoted

# Small, so that not too many records are in memory as trees at once.
_CHUNK = 128 * 1024
# A tree takes up to a hundred times the memory of its text.
_RECORD_LIMIT = 16 * 1024 * 1024
# The text of a broken file in its error or rescued data.
_TEXT_LIMIT = 1024 * 1024


@dataclass(slots=True)
class Element:
    """An element: its children are elements and pieces of text, in their order."""

    name: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def elements(self) -> list[Element]:
        return [child for child in self.children if isinstance(child, Element)]

    def text(self) -> str:
        """Return the text outside of other elements."""
        return "".join(child for child in self.children if isinstance(child, str))

    def inner(self) -> str:
        """Return the XML between the tags."""
        return "".join(escape(child) if isinstance(child, str) else child.outer() for child in self.children)

    def outer(self) -> str:
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        return f"<{self.name}{attributes}>{self.inner()}</{self.name}>"


@dataclass(slots=True)
class Broken:
    """The rest of a file after its last good record, which is not XML; with the text of the file, or its beginning."""

    text: str


@dataclass(frozen=True)
class XmlOptions:
    """The options of the format, with Spark's names and defaults."""

    row_tag: str
    prefix: str
    value_tag: str
    with_attributes: bool
    ignore_namespace: bool
    null_value: str | None
    trim: bool
    encoding: str

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> XmlOptions:
        """Return the options of a request; raise InvalidOption without ``rowTag``, or for an unknown encoding."""
        row_tag = options.get("rowtag", "").strip("<> ")
        if not row_tag:
            raise InvalidOption(
                "[XML_ROW_TAG_MISSING] The option rowTag is required for XML: the name of the element that is a row."
            )
        encoding = options.get("encoding") or options.get("charset") or "UTF-8"
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise InvalidOption(f"There is no encoding {encoding!r}. Use one like UTF-8 or ISO-8859-1.") from None
        return cls(
            row_tag,
            options.get("attributeprefix", "_"),
            options.get("valuetag", "_VALUE"),
            not _is_true(options, "excludeattribute", "false"),
            _is_true(options, "ignorenamespace", "false"),
            options.get("nullvalue"),
            _is_true(options, "ignoresurroundingspaces", "true"),
            "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding,
        )

    def local(self, name: str) -> str:
        return name.rsplit(":", 1)[-1] if self.ignore_namespace else name

    def is_row(self, name: str) -> bool:
        """Whether an element of a name is a row, if it is in none."""
        return self.local(name) == self.row_tag

    def members(self, element: Element) -> dict[str, list[Element | str]]:
        """Return the fields of an element, each with its values: attributes, elements, and text of its own."""
        found: dict[str, list[Element | str]] = {}
        if self.with_attributes:
            for name, value in element.attributes.items():
                if not name.startswith("xmlns"):
                    found[self.prefix + self.local(name)] = [value]
        for child in element.elements():
            found.setdefault(self.local(child.name), []).append(child)
        texts = [child for child in element.children if isinstance(child, str) and child.strip()]
        return found | {self.value_tag: list(texts)} if texts else found

    def trimmed(self, text: str) -> str | None:
        """Return a text without the blanks around it, or None if it means NULL."""
        text = text.strip() if self.trim else text
        return None if text == self.null_value else text


def _is_true(options: Mapping[str, str], name: str, default: str) -> bool:
    return options.get(name, default).lower() == "true"


def records(file: SourceFile, options: XmlOptions) -> Iterator[list[Element | Broken]]:
    """Yield the records of a file, some at a time; a :class:`Broken` is the last."""
    builder = _Builder(options.is_row)
    decode = codecs.getincrementaldecoder(options.encoding)("replace").decode
    with unreadable_if_broken(file), open_text(file) as source:
        is_empty = True
        try:
            while chunk := source.read(_CHUNK):
                is_empty = False
                builder.feed(decode(chunk))
                yield builder.take()
            if not is_empty:  # an empty file has no record, and is not broken
                builder.feed(decode(b"", True), last=True)
                yield builder.take()
        except (expat.ExpatError, _RecordTooLargeError):
            with open_text(file) as start:
                text = start.read(_TEXT_LIMIT).decode(options.encoding, "replace")
            yield [*builder.take(), Broken(text)]


class _RecordTooLargeError(Exception):
    """A record does not end: its end tag may be missing, and all text after it would be kept in memory."""


class _Builder:
    """Builds records from the events of the parser."""

    def __init__(self, is_row: Callable[[str], bool]) -> None:
        self._is_row = is_row
        self._open: list[Element] = []
        self._done: list[Element | Broken] = []
        self._began = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, text: str, last: bool = False) -> None:
        self._parser.Parse(text, last)
        if self._open and self._parser.CurrentByteIndex - self._began > _RECORD_LIMIT:
            raise _RecordTooLargeError

    def take(self) -> list[Element | Broken]:
        """Return the records that have ended since the last call."""
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._open or self._is_row(name):
            element = Element(name, attributes)
            if self._open:
                self._open[-1].children.append(element)
            else:
                self._began = self._parser.CurrentByteIndex
            self._open.append(element)

    def _end(self, name: str) -> None:
        if self._open:
            element = self._open.pop()
            if not self._open:
                self._done.append(element)

    def _characters(self, text: str) -> None:
        if not self._open:
            return
        children = self._open[-1].children
        if children and isinstance(children[-1], str):
            children[-1] += text
        else:
            children.append(text)


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
        fields = {self._key(known.name): known for known in one}
        for found in other:
            known = fields.get(self._key(found.name))
            merged = found if known is None else T.StructField(known.name, self._merged(known.dataType, found.dataType))
            fields[self._key(found.name)] = merged
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
