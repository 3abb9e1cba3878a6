"""CSV in two lanes: columns that Arrow cuts and converts whole, and the lines that it refused, row by row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import text_lines
from pyspark_cloudfiles.formats.arrow_types import rows_without_columns
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.csv_arrow import Cutter
from pyspark_cloudfiles.formats.csv_names import check_limits, part_with_names, safe_names
from pyspark_cloudfiles.formats.csv_options import Dialect
from pyspark_cloudfiles.formats.csv_rows import Header, RowBuilder, converter_and_ways
from pyspark_cloudfiles.formats.csv_text import Tokenizer
from pyspark_cloudfiles.formats.batches import NumberedRows, in_order
from pyspark_cloudfiles.formats.line_arrays import (
    is_blank,
    is_utf8,
    line_numbers,
    lines_of,
    mask,
    without_blank_lines,
    without_blank_start,
    without_lines_that_begin_with,
)
from pyspark_cloudfiles.values.rescue_columns import member, paths_of, quoted_texts, rescued_column
from pyspark_cloudfiles.values.text_columns import converted


class Text(NamedTuple):
    """Some lines of a file, as bytes, and the names of its columns."""

    names: list[str]
    data: bytes
    lines: int


@dataclass
class Group:
    """Texts of one or more files that have the same columns."""

    header: Header
    files: list[tuple[SourceFile, int]] = field(default_factory=list)
    size: int = 0
    _texts: list[bytes] = field(default_factory=list)

    def add(self, file: SourceFile, text: Text) -> None:
        """Append lines of a file."""
        self.files.append((file, text.lines))
        self.size += len(text.data)
        self._texts.append(text.data)

    @property
    def data(self) -> bytes:
        """All lines."""
        return self._texts[0] if len(self._texts) == 1 else b"".join(self._texts)


def texts(file: SourceFile, dialect: Dialect, tokenizer: Tokenizer, options: Mapping[str, str]) -> Iterator[Text]:
    """Give a file's lines, as :class:`~pyspark_cloudfiles.formats.csv_arrow.Cutter` wants them.

    A blank line is left in where it does not have the right number of cells, and will be refused.
    """
    part, names = part_with_names(file, dialect, options)
    if part is None:
        return
    separator = text_lines.line_separator(options)
    for piece in text_lines.texts(part, options):
        data = text_lines.plain(piece, separator)
        data = data if is_utf8(data) else data.decode("utf-8", "replace").encode()
        if dialect.comment:
            data = without_lines_that_begin_with(dialect.comment, data)
        if names is None:
            data = without_blank_start(data)
        if names is None and data:
            first, _, rest = data.partition(b"\n")
            tokens = tokenizer.tokens(first.decode())
            check_limits(file, [tokens], dialect)
            names = safe_names(tokens, dialect)
            data = rest if dialect.header else data
        if dialect.separator <= " " or len(names or ()) < 2:
            data = without_blank_lines(data)
        yield Text(names or [], data, data.count(b"\n"))


class LaneReader:
    """Reads groups by a request."""

    def __init__(self, request: ReadRequest, dialect: Dialect) -> None:
        self._request, self._dialect = request, dialect
        self._cutter, self._tokenizer = Cutter(dialect), Tokenizer(dialect)
        self._arrow = to_arrow_schema(request.schema, timezone="UTC")
        self._fields = [field for field in request.schema.fields if field.name != request.corrupt_column]

    def rows(self, group: Group) -> Rows:
        """Return a group's rows."""
        total = sum(lines for _, lines in group.files)
        if not _is_one_to_one(group.header):
            return self._slow(group, list(range(total)))[0].rows()
        positions = self._positions(group.header)
        found = self._cutter.cells(group.data, len(group.header.names), positions)
        cells, refused = dict(zip(positions, found.columns, strict=True)), found.refused
        columns, misfits = self._columns(group.header, cells, total - len(refused))
        if misfits and not self._request.rescue:
            # They have nowhere to go: what becomes of their lines is for the slow lane to say.
            wrong = sorted({row for _, rows in misfits.values() for row in rows})
            columns = [column.filter(pc.invert(mask(wrong, len(column)))) for column in columns]
            refused = sorted([*refused, *_numbers(total, refused).take(pa.array(wrong, pa.int64())).to_pylist()])
        batch = self._batch(columns, total - len(refused))
        rescued = self._rescued(group, cells, misfits, refused, total) if self._request.rescue else None
        if not refused:
            return Rows(batch, group.files, rescued)
        quick = NumberedRows(_numbers(total, refused), batch, rescued)
        slow, lines = self._slow(group, refused)
        rows = slow.rows()
        numbers = pa.array([lines[row] for row in slow.kept()], pa.int64())
        return in_order(quick, NumberedRows(numbers, rows.batch, rows.rescued), group.files)

    def _positions(self, header: Header) -> list[int]:
        """Return the columns of the file that somebody wants: the schema, or the rescued column."""
        placed = [position for position, place in enumerate(header.places) if place is not None]
        return placed + (header.extras(self._request) if self._request.rescue else [])

    def _columns(
        self, header: Header, cells: dict[int, pa.Array], count: int
    ) -> tuple[list[pa.Array], dict[str, tuple[pa.Array, list[int]]]]:
        """Return the schema's columns, and for those with misfits their texts and which rows they are."""
        at = {place: position for position, place in enumerate(header.places) if place is not None}
        columns: list[pa.Array] = []
        misfits: dict[str, tuple[pa.Array, list[int]]] = {}
        for place, wanted in enumerate(self._fields):
            arrow_type = self._arrow.field(wanted.name).type
            if isinstance(wanted.dataType, T.StringType) and place in at:
                columns.append(cells[at[place]])
                continue
            # A type that CSV does not have is an error also where the file has no such column.
            convert, ways = converter_and_ways(wanted, arrow_type, self._request)
            if place not in at:
                columns.append(pa.nulls(count, arrow_type))
                continue
            array, wrong = converted(cells[at[place]], arrow_type, convert, ways)
            columns.append(array)
            if wrong:
                misfits[wanted.name] = cells[at[place]], wrong
        return columns, misfits

    def _batch(self, columns: list[pa.Array], count: int) -> pa.RecordBatch:
        corrupt = self._request.corrupt_column
        if corrupt is not None:
            columns = list(columns)
            columns.insert(self._request.schema.names.index(corrupt), pa.nulls(count, pa.string()))
        return pa.RecordBatch.from_arrays(columns, schema=self._arrow) if columns else rows_without_columns(count)

    def _rescued(
        self,
        group: Group,
        cells: dict[int, pa.Array],
        misfits: dict[str, tuple[pa.Array, list[int]]],
        refused: Sequence[int],
        total: int,
    ) -> pa.Array | None:
        header = group.header
        left = {header.names[position]: cells[position] for position in header.extras(self._request)}
        for name, (texts, wrong) in misfits.items():
            left[name] = pc.if_else(mask(wrong, len(texts)), texts, None)
        members = [member(name, quoted_texts(texts)) for name, texts in left.items()]
        if not any(len(some) > some.null_count for some in members):
            return None
        paths = paths_of(group.files)
        return rescued_column(members, paths.take(_numbers(total, refused)) if refused else paths)

    def _slow(self, group: Group, refused: Sequence[int]) -> tuple[RowBuilder, list[int]]:
        """Read lines one by one; return their rows, and the lines that are not blank."""
        builder = RowBuilder(self._request, self._dialect)
        texts = lines_of(group.data).take(pa.array(refused, pa.int64())).to_pylist()
        sources = {number: text for number, text in zip(refused, texts, strict=True) if not is_blank(text)}
        kept, taken, line = list(sources), 0, 0
        for file, lines in group.files:
            line += lines
            end = bisect_left(kept, line, taken)
            some = [sources[number] for number in kept[taken:end]]
            tokens = list(map(self._tokenizer.tokens, some))
            check_limits(file, tokens, self._dialect)
            builder.add(file, group.header, some, tokens)
            taken = end
        return builder, kept


def _numbers(total: int, refused: Sequence[int]) -> pa.Array:
    """Return the numbers of the lines that were not refused."""
    return line_numbers(total).filter(pc.invert(mask(refused, total))) if refused else line_numbers(total)


def _is_one_to_one(header: Header) -> bool:
    placed = [place for place in header.places if place is not None]
    return bool(header.names) and len(set(header.names)) == len(header.names) and len(set(placed)) == len(placed)
