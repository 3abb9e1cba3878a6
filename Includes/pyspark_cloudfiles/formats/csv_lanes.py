"""CSV in two lanes: columns that Arrow cuts and converts whole, and the lines that it refused, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import text_lines
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.csv_arrow import Cutter
from pyspark_cloudfiles.formats.csv_names import check_limits, safe_names
from pyspark_cloudfiles.formats.csv_options import Dialect
from pyspark_cloudfiles.formats.csv_rows import Header, RowBuilder, conversion
from pyspark_cloudfiles.formats.csv_text import Tokenizer
from pyspark_cloudfiles.formats.lanes import Lane, in_order
from pyspark_cloudfiles.formats.line_arrays import is_utf8, lines_of, mask, plain, without_blank_lines
from pyspark_cloudfiles.formats.outcome import rows_without_columns
from pyspark_cloudfiles.rescue_columns import member, paths_of, quoted_texts, rescued_column
from pyspark_cloudfiles.text_columns import converted


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
    """Give a file's lines, as :class:`~pyspark_cloudfiles.formats.csv_arrow.Cutter` wants them."""
    names: list[str] | None = None
    for piece in text_lines.texts(file, options):
        data = without_blank_lines(plain(piece if is_utf8(piece) else piece.decode("utf-8", "replace").encode()))
        if names is None and data:
            first, _, rest = data.partition(b"\n")
            tokens = tokenizer.tokens(first.decode())
            check_limits(file, [tokens], dialect)
            names = safe_names(tokens, dialect)
            data = rest if dialect.header else data
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
        data = group.data
        total = data.count(b"\n")
        if not _is_one_to_one(group.header):
            return self._slow(group, data, list(range(total))).rows()
        positions = self._positions(group.header)
        cells = self._cutter.cells(data, len(group.header.names), positions)
        quick, refused = self._quick(group, dict(zip(positions, cells.columns, strict=True)), cells.refused, total)
        if not refused:
            return Rows(quick.batch, group.files, quick.rescued)
        builder = self._slow(group, data, refused)
        rows = builder.rows()
        numbers = pa.array([refused[row] for row in builder.kept()], pa.int64())
        return in_order(quick, Lane(numbers, rows.batch, rows.rescued), group.files)

    def _positions(self, header: Header) -> list[int]:
        """Return the columns of the file that somebody wants: the schema, or the rescued column."""
        placed = [position for position, place in enumerate(header.places) if place is not None]
        return placed + (header.extras(self._request) if self._request.rescue else [])

    def _quick(
        self, group: Group, cells: dict[int, pa.Array], refused: Sequence[int], total: int
    ) -> tuple[Lane, Sequence[int]]:
        """Convert the cells; where misfits have nowhere to go, their lines are refused as well."""
        count = total - len(refused)
        numbers = pa.array(range(total), pa.int64())
        if refused:
            numbers = numbers.filter(pc.invert(mask(refused, total)))
        columns, misfits = self._columns(group.header, cells, count)
        batch = self._batch(columns, count)
        if misfits and not self._request.rescue:
            bad = sorted({row for _, rows in misfits.values() for row in rows})
            keep = pc.invert(mask(bad, count))
            refused = sorted([*refused, *numbers.take(pa.array(bad, pa.int64())).to_pylist()])
            kept = count - len(bad)
            batch = batch.filter(keep) if batch.num_columns else rows_without_columns(kept)
            return Lane(numbers.filter(keep), batch, None), refused
        return Lane(numbers, batch, self._rescued(group, cells, misfits, numbers)), refused

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
            convert, ways = conversion(wanted, arrow_type, self._request)
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
        numbers: pa.Array,
    ) -> pa.Array | None:
        if not self._request.rescue:
            return None
        header = group.header
        left = {header.names[position]: cells[position] for position in header.extras(self._request)}
        for name, (texts, wrong) in misfits.items():
            left[name] = pc.if_else(mask(wrong, len(texts)), texts, None)
        members = [member(name, quoted_texts(texts)) for name, texts in left.items()]
        if not any(len(some) > some.null_count for some in members):
            return None
        return rescued_column(members, paths_of(group.files).take(numbers))

    def _slow(self, group: Group, data: bytes, refused: Sequence[int]) -> RowBuilder:
        """Read lines one by one."""
        builder = RowBuilder(self._request, self._dialect)
        sources = lines_of(data).take(pa.array(refused, pa.int64())).to_pylist()
        taken, line = 0, 0
        for file, lines in group.files:
            line += lines
            end = taken
            while end < len(refused) and refused[end] < line:
                end += 1
            tokens = list(map(self._tokenizer.tokens, sources[taken:end]))
            check_limits(file, tokens, self._dialect)
            builder.add(file, group.header, sources[taken:end], tokens)
            taken = end
        return builder


def _is_one_to_one(header: Header) -> bool:
    placed = [place for place in header.places if place is not None]
    return bool(header.names) and len(set(header.names)) == len(header.names) and len(set(placed)) == len(placed)
