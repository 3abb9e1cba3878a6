"""JSON records as columns where a block fits the schema, and as single records where they do not.

A block is decoded into objects of a class (:mod:`.columns`).  If the class refuses it, a wider class is made where that
is possible: an unknown field becomes one more column, and STRINGs take values of any kind.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np
from pyspark.sql import types as T

from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.json.columns import StructColumns
from pyspark_cloudfiles.formats.json.lenient_parser import MalformedJsonError
from pyspark_cloudfiles.formats.json.row_reader import JsonRowReader
from pyspark_cloudfiles.formats.records.blocks import Block
from pyspark_cloudfiles.formats.records.engine import FastColumns
from pyspark_cloudfiles.formats.records.line_arrays import is_utf8
from pyspark_cloudfiles.formats.records.outcome import Record

_REFUSED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
# How msgspec names a field that a class does not have, and where, if that is not at the top of a record.
_UNKNOWN_FIELD = re.compile(r"^Object contains unknown field `(.*?)`(?: - at `\$(?:\[\d+\])?(.*)`)?$", re.DOTALL)
_NO_TEXT = re.compile("^Expected `str")
_MOST_OTHERS = 50
# Such names msgspec compares as they are written in the line.
_ODD_NAME = re.compile(r'[\\"\x00-\x1f]')
_SAMPLED_LINES = 100


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Do not look for cycles among the many objects of a block, which have none."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class JsonParser:
    """Reads blocks by a request."""

    def __init__(self, request: ReadRequest) -> None:
        self._request = request
        self._schema = T.StructType([field for field in request.schema if field.name != request.corrupt_column])
        self._strict = request.rescue or request.on_unknown == "error" or not request.case_sensitive
        # Where an unknown field is no error, it becomes one more column.
        self._may_learn = request.on_unknown == "rescue" and request.case_sensitive
        self._texts = {field.name for field in self._schema if isinstance(field.dataType, T.StringType)}
        # The STRINGs that are not always texts in the lines; None: take the source of each.
        self._sources: frozenset[str] | None = None
        self._is_sampled = False
        self._others: tuple[str, ...] = ()
        self._classes: dict[Any, StructColumns] = {}
        self._row_reader = JsonRowReader(self._schema, request)

    @_without_garbage_collection()
    def columns(self, block: Block) -> FastColumns | None:
        """Return the columns of the lines that fit the schema."""
        if not self._is_sampled and block.count:
            self._sources, self._is_sampled = self._sampled(block), True
        records, columns, refused = self._decoded(block)
        arrays, misfits = columns.arrays(records)
        return FastColumns(arrays, columns.members(records), refused).without_rows(misfits, block.count)

    def records(self, block: Block, number: int) -> Sequence[Record]:
        """Return the records of a line."""
        try:
            return self._row_reader.records(block.lines[number])
        except MalformedJsonError as error:
            return [Record(None, malformed=str(error))]

    def _decoded(self, block: Block) -> tuple[list[Any], StructColumns, list[int]]:
        """Return the objects of a block, the columns that they have, and the lines that were refused."""
        whole = self._decoded_at_once(block)
        if whole is not None:
            return *whole, []
        columns = self._columns(None)
        records, refused = [], []
        for number, line in enumerate(block.lines):
            try:
                if not is_utf8(line):
                    raise msgspec.DecodeError
                records.append(columns.decoder.decode(line))
            except _REFUSED:
                refused.append(number)
        return records, columns, refused

    def _decoded_at_once(self, block: Block) -> tuple[list[Any], StructColumns] | None:
        """Return the objects of a block if all of its lines are as they should be."""
        data = block.data
        if data is None:
            sound = all(line[:1] == b"{" and is_utf8(line) for line in block.lines)
        else:
            sound = _has_an_object_in_each_line(data) and is_utf8(data)
        while sound:
            columns = self._columns(self._sources)
            try:
                if data is None:
                    return list(map(columns.decoder.decode, block.lines)), columns
                records = columns.decoder.decode_lines(data)
                return (records, columns) if len(records) == block.count else None
            except _REFUSED as error:
                if not self._learned(str(error)):
                    return None
        return None

    def _learned(self, refusal: str) -> bool:
        """Note what the class must have besides, so that it does not refuse the same again; False if that cannot be."""
        unknown = _UNKNOWN_FIELD.search(refusal)
        if unknown is not None:
            name, inside = unknown.groups()
            if not self._may_learn or inside or len(self._others) >= _MOST_OTHERS or _ODD_NAME.search(name):
                return False
            self._others += (name,)
            return True
        if not _NO_TEXT.search(refusal) or self._sources is None:
            return False
        self._sources = None
        return True

    def _columns(self, sources: frozenset[str] | None) -> StructColumns:
        key = sources, self._others
        if key not in self._classes:
            self._classes[key] = StructColumns(self._schema, self._request, self._strict, *key)
        return self._classes[key]

    def _sampled(self, block: Block) -> frozenset[str]:
        """Return the STRINGs that are not always texts in the first lines."""
        found = set()
        lines = block.lines if block.data is None else block.data.split(b"\n", _SAMPLED_LINES)
        for line in lines[:_SAMPLED_LINES]:
            try:
                fields = _FIELDS.decode(line)
            except _REFUSED:
                continue
            found |= {name for name in self._texts & fields.keys() if bytes(fields[name])[:1] not in (b'"', b"n")}
        return frozenset(found)


def _has_an_object_in_each_line(data: bytes) -> bool:
    """Tell whether lines begin and end as objects do: then as many records as lines means one in each."""
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    begins = text[ends[:-1] + 1]
    return data.startswith(b"{") and bool((begins == ord("{")).all() and (text[ends - 1] == ord("}")).all())
