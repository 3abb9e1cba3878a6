"""The format ``xml``: a row for each element with the name ``rowTag``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from pyspark.sql import types as T

from pyspark_cloudfiles.errors import UnsupportedOption
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, Names, batches_of
from pyspark_cloudfiles.formats.records.outcome import Record, file_rows
from pyspark_cloudfiles.formats.xml.elements import Broken, Element, XmlOptions, records
from pyspark_cloudfiles.formats.xml.inference import XmlTypes
from pyspark_cloudfiles.values import conversion
from pyspark_cloudfiles.values.rescue import Leaf, Leftover, quoted

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


class XmlRowReader:
    """Reads records by a schema."""

    def __init__(self, request: ReadRequest, options: XmlOptions) -> None:
        self._request, self._options = request, options
        self._schema = T.StructType([field for field in request.schema if field.name != request.corrupt_column])
        # By identity: hashing a type takes longer than converting a value.
        self._names: dict[int, Names] = {}
        self._converters: dict[int, conversion.Convert] = {}

    def record(self, element: Element) -> Record:
        """Return what an element is, by the schema."""
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
    """Return how a text becomes a value."""
    if isinstance(data_type, T.BooleanType):
        return _boolean
    if isinstance(data_type, T.StructType | T.MapType | T.ArrayType):  # of a text that is no element
        return _nothing
    return conversion.converter(data_type, request.options, request.timezone)


def _boolean(text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise ValueError(f"no truth value: {text!r}")
    return _BOOLEANS[text.lower()]


def _nothing(text: str) -> Any:
    raise ValueError("a text has no fields")


_WILDCARD = "xs_any"


class XmlFormat:
    """Reads records as Spark's XML reader does, by the same options; ``rowTag`` is required."""

    name = "xml"

    def fixed_schema(self) -> None:
        """Return None: the schema is in the data."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the schema of all records, sorted by names; what is no XML is passed over."""
        options = XmlOptions.of(request.options)
        types = XmlTypes(request, options)
        for file in files:
            for some in records(file, options):
                for record in some:
                    if isinstance(record, Element):
                        types.add(record)
        return types.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files.

        Raises
        ------
        UnsupportedOption
            The schema has the column in which Spark collects the elements that have no column.
        """
        if _WILDCARD in request.schema.names:
            raise UnsupportedOption(
                f"The column {_WILDCARD} of XML, which takes the elements that have no column, is not supported. Read "
                "them from the rescued data column, or name a column for each."
            )
        options = XmlOptions.of(request.options)
        return batches_of(piece for file in files for piece in _pieces(file, request, options))


def _pieces(file: SourceFile, request: ReadRequest, options: XmlOptions) -> Iterator[FileRows]:
    rows = XmlRowReader(request, options)
    for some in records(file, options):
        yield file_rows(file, (_record(found, rows) for found in some), request)


def _record(found: Element | Broken, rows: XmlRowReader) -> tuple[Record, Callable[[], str]]:
    if isinstance(found, Broken):
        return Record(None, malformed="it is no XML"), partial(str, found.text)
    return rows.record(found), found.outer


FORMAT = XmlFormat()
