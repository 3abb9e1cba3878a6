"""Rows of files: the engine of the text formats, and record batches of a good size whatever the sizes of the files.

A text format provides a :class:`Parser`.  Its fast path returns columns of a block and refuses the lines that it would
not read as Spark does; those go to the format's row reader.

A malformed record fails the batch, is dropped, or becomes a row whose text is in the column for corrupt records or in
the rescued column.  Unknown fields are an error, are rescued, or are dropped.  Only this module knows the modes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type

from pyspark_cloudfiles import rescue
from pyspark_cloudfiles.columns import lists_of, longs, maps_of, structs_of
from pyspark_cloudfiles.errors import MalformedRecord, UnknownFields
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import ReadRequest, Rows, coalesce
from pyspark_cloudfiles.formats.lines import Block
from pyspark_cloudfiles.formats.variant_encoding import variant_array

MISFIT = "a value does not fit the type of its column"


class Record(NamedTuple):
    """A record as a row reader returns it.

    ``cells`` has a value for each data column, or is None if the record has none.  ``leftover`` does not fit the
    schema. ``malformed`` is the reason why the record is malformed, if it is.
    """

    cells: tuple[Any, ...] | None
    leftover: Mapping[str, rescue.Leftover] = {}
    malformed: str | None = None


class FastColumns(NamedTuple):
    """A block as the fast path returns it.

    ``columns`` are the data columns.  ``members`` are the other fields of the lines, as members of the rescued objects,
    or NULL.  ``refused`` are the ascending numbers of the lines that are in neither.
    """

    columns: list[pa.Array]
    members: list[pa.Array]
    refused: Sequence[int]

    def without_rows(self, positions: Collection[int], lines: int) -> FastColumns:
        """Remove rows, by their positions, and refuse their lines as well, of a block with so many lines."""
        if not positions:
            return self
        wrong = longs(sorted(positions))
        keep = pc.invert(pc.is_in(longs(range(lines - len(self.refused))), value_set=wrong))
        refused = remove_refused(longs(range(lines)), self.refused).take(wrong).to_pylist()
        columns, members = ([array.filter(keep) for array in some] for some in (self.columns, self.members))
        return FastColumns(columns, members, sorted([*self.refused, *refused]))


class Parser(Protocol):
    """One text format, with the options of a request; its blocks may be of a class of its own."""

    def columns(self, block: Any) -> FastColumns | None:
        """Return the columns of a block, or None to read all of its lines with the row reader."""

    def records(self, block: Any, number: int) -> Sequence[Record]:
        """Return the records of a line of a block: usually one, none for a blank line."""


class Engine:
    def __init__(self, parser: Parser, request: ReadRequest) -> None:
        self._parser, self._request = parser, request

    def rows(self, block: Block) -> Rows:
        """Return the rows of a block, in the order of its lines; raise UnknownFields or MalformedRecord."""
        fast = self._parser.columns(block)
        if fast is None:
            return self._read_slowly(block, range(block.count)).rows_of(block.files)
        rescued = None
        if any(some.null_count < len(some) for some in fast.members):
            paths = remove_refused(rescue.paths_of(block.files), fast.refused)
            rescued = rescue.rescued_column(fast.members, paths)
        batch = batch_of_request(fast.columns, block.count - len(fast.refused), self._request)
        if not fast.refused:
            return Rows(batch, block.files, rescued)
        numbers = remove_refused(longs(range(block.count)), fast.refused)
        slow = self._read_slowly(block, fast.refused)
        return merge_in_order(NumberedRows(numbers, batch, rescued), slow, block.files)

    def _read_slowly(self, block: Block, lines: Iterable[int]) -> NumberedRows:
        outcome = Outcome(self._request)
        for number in lines:
            records = self._parser.records(block, number)
            if records:
                outcome.add(number, block.file_of(number).url, records, partial(block.text, number))
        return outcome.rows()


def remove_refused(values: pa.Array, refused: Sequence[int]) -> pa.Array:
    return values.filter(pc.invert(mask(refused, len(values)))) if refused else values


class Outcome:
    """Collects records, and turns them into rows by the mode of the request."""

    def __init__(self, request: ReadRequest) -> None:
        self._request = request
        self._fields = request.data_schema().fields
        self._nulls = (None,) * len(self._fields)
        self._cells: list[tuple[Any, ...]] = []
        self._numbers: list[int] = []
        self._corrupt: list[str | None] = []
        self._rescued: list[str | None] = []
        self._bad: list[tuple[str, str, str]] = []
        self._unknown: dict[str, None] = {}
        self._first_unknown: tuple[str, str] | None = None

    def add(self, number: int, url: str, records: Sequence[Record], text: Callable[[], str]) -> None:
        """Add the records of a line of a file, usually one; raise MalformedRecord in the mode FAILFAST."""
        if len(records) == 1 and records[0].cells is not None and not records[0].leftover and not records[0].malformed:
            self._append(number, records[0].cells)
            return
        reason = self._malformed(records)
        if reason is not None and self._request.mode == "FAILFAST":
            raise MalformedRecord(url, text())
        if reason is not None and self._request.mode == "DROPMALFORMED":
            if self._request.bad_records is not None:
                self._bad.append((url, text(), reason))
            return
        corrupt = text() if reason is not None and self._request.corrupt_column is not None else None
        for record in records:
            left = record.leftover
            if record.cells is None and corrupt is None:  # without a column of its own the text would be lost
                left = {rescue.CORRUPT_RECORD: rescue.Leaf(rescue.quoted(text()))}
            cells = self._nulls if record.cells is None else record.cells
            self._append(number, cells, corrupt, self._rescue(left, url) if left else None)

    def rows(self) -> NumberedRows:
        """Return the rows, each with the number of its line; raise UnknownFields if the request says so."""
        if self._first_unknown is not None:
            path, record = self._first_unknown
            raise UnknownFields(path, record, list(self._unknown))
        for url, text, reason in self._bad:
            self._request.bad_records(url, text, reason)  # type: ignore[misc]
        cells = zip(*self._cells, strict=True) if self._cells else [()] * len(self._fields)
        columns = [array_of(field.dataType, some) for field, some in zip(self._fields, cells, strict=True)]
        corrupt = pa.array(self._corrupt, pa.string()) if any(self._corrupt) else None
        rescued = pa.array(self._rescued, pa.string()) if any(self._rescued) else None
        batch = batch_of_request(columns, len(self._cells), self._request, corrupt)
        return NumberedRows(longs(self._numbers), batch, rescued)

    def _append(
        self, number: int, cells: tuple[Any, ...], corrupt: str | None = None, rescued: str | None = None
    ) -> None:
        self._numbers.append(number)
        self._cells.append(cells)
        self._corrupt.append(corrupt)
        self._rescued.append(rescued)

    def _malformed(self, records: Sequence[Record]) -> str | None:
        for record in records:
            if record.malformed is not None:
                return record.malformed
            if not self._request.rescue and record.leftover and rescue.has_misfit(dict(record.leftover)):
                return MISFIT
        return None

    def _rescue(self, leftover: Mapping[str, rescue.Leftover], url: str) -> str | None:
        """Return the rescued text of a record, and record its unknown fields."""
        if self._request.on_unknown == "error":
            names = dict.fromkeys(rescue.unknown_names(dict(leftover)))
            if names and self._first_unknown is None:
                self._first_unknown = url, rescue.unknown_text(leftover)
            self._unknown |= names
        if self._request.on_unknown == "ignore":
            leftover = {name: part for name, part in leftover.items() if not rescue.is_unknown(part)}
        return rescue.rescued_text(leftover, url) if leftover and self._request.rescue else None


def file_rows(file: SourceFile, records: Iterable[tuple[Record, Callable[[], str]]], request: ReadRequest) -> FileRows:
    """Return the rows of a file's records, each with a function that returns its text."""
    outcome = Outcome(request)
    for number, (record, text) in enumerate(records):
        outcome.add(number, file.url, [record], text)
    _, batch, rescued = outcome.rows()
    return FileRows(file, batch, rescued)


def batch_of_request(
    columns: Sequence[pa.Array], rows: int, request: ReadRequest, corrupt: pa.Array | None = None
) -> pa.RecordBatch:
    """Return columns as a batch of the request's schema, with the column for corrupt records, by default of NULLs."""
    columns = list(columns)
    if request.corrupt_column is not None:
        place = request.schema.names.index(request.corrupt_column)
        columns.insert(place, pa.nulls(rows, pa.string()) if corrupt is None else corrupt)
    return batch_of(columns, to_arrow_schema(request.schema, timezone="UTC"), rows)


Spans = Sequence[tuple[SourceFile, int]]


class FileRows(NamedTuple):
    """Rows of one file, in the request's schema; ``rescued`` as in :class:`~pyspark_cloudfiles.formats.base.Rows`."""

    file: SourceFile
    batch: pa.RecordBatch
    rescued: pa.Array | None = None


class NumberedRows(NamedTuple):
    """Rows with the ascending numbers of the lines that they came from."""

    numbers: pa.Array
    batch: pa.RecordBatch
    rescued: pa.Array | None

    def rows_of(self, files: Spans) -> Rows:
        return Rows(self.batch, counts(self.numbers.to_pylist(), files), self.rescued)


def batches_of(pieces: Iterable[FileRows]) -> Iterator[Rows]:
    return coalesce_rows(Rows(batch, [(file, batch.num_rows)], rescued) for file, batch, rescued in _cut(pieces))


def _cut(pieces: Iterable[FileRows]) -> Iterator[FileRows]:
    for piece in pieces:
        rows = piece.batch.num_rows
        step = max(1, rows * base.BATCH_BYTES // max(_size(piece), 1))
        for start in range(0, rows, step):
            rescued = None if piece.rescued is None else piece.rescued.slice(start, step)
            yield FileRows(piece.file, piece.batch.slice(start, step), rescued)


def _size(part: FileRows | Rows) -> int:
    return part.batch.nbytes + (0 if part.rescued is None else part.rescued.nbytes)


def coalesce_rows(parts: Iterable[Rows]) -> Iterator[Rows]:
    for some in coalesce(parts, _size):
        found: list[tuple[SourceFile, int]] = []
        for file, rows in (count for part in some for count in part.counts):
            if found and found[-1][0] == file:
                found[-1] = (file, found[-1][1] + rows)
            else:
                found.append((file, rows))
        yield Rows(_joined_batches(some), found, _joined_rescued(some))


def merge_in_order(fast: NumberedRows, slow: NumberedRows, files: Spans) -> Rows:
    """Return the rows of both paths in the order of their lines, from the number of lines of each file."""
    numbers = pa.concat_arrays([fast.numbers, slow.numbers])
    order = pc.sort_indices(numbers)
    rescued = _joined_rescued([fast, slow])
    batch = _joined_batches([fast, slow])
    return Rows(
        batch.take(order) if batch.num_columns else batch,
        counts(numbers.take(order).to_pylist(), files),
        None if rescued is None else rescued.take(order),
    )


def counts(numbers: list[int], files: Spans) -> list[tuple[SourceFile, int]]:
    found, begin, line = [], 0, 0
    for file, lines in files:
        line += lines
        end = bisect_left(numbers, line, begin)
        found.append((file, end - begin))
        begin = end
    return found


def _joined_batches(parts: Sequence[Rows | NumberedRows]) -> pa.RecordBatch:
    if len(parts) == 1:
        return parts[0].batch
    if parts[0].batch.num_columns:
        return pa.concat_batches([part.batch for part in parts])
    return rows_without_columns(sum(part.batch.num_rows for part in parts))


def _joined_rescued(parts: Sequence[Rows | NumberedRows]) -> pa.Array | None:
    if all(part.rescued is None for part in parts):
        return None
    return pa.concat_arrays(
        [pa.nulls(part.batch.num_rows, pa.string()) if part.rescued is None else part.rescued for part in parts]
    )


def batch_of(columns: list[pa.Array], schema: pa.Schema, rows: int) -> pa.RecordBatch:
    """Return a batch that has its number of rows also without columns."""
    if not columns:
        return rows_without_columns(rows)
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def rows_without_columns(length: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_struct_array(pa.array([{}] * length, pa.struct([])))


def array_of(data_type: T.DataType, cells: Sequence[Any]) -> pa.Array:
    arrow = to_arrow_type(data_type, timezone="UTC")
    if isinstance(data_type, T.VariantType):
        return variant_array(list(cells))
    if isinstance(data_type, T.StructType):
        nothing = (None,) * len(data_type)
        rows = list(zip(*(nothing if cell is None else cell for cell in cells), strict=True)) or [()] * len(data_type)
        parts = [array_of(field.dataType, some) for field, some in zip(data_type, rows, strict=True)]
        return structs_of(cells, parts, arrow)
    if isinstance(data_type, T.ArrayType):
        inner = [item for cell in cells for item in cell or ()]
        return lists_of(cells, array_of(data_type.elementType, inner), arrow)
    if isinstance(data_type, T.MapType):
        entries = [cell for cell in cells if cell]
        keys = array_of(data_type.keyType, list(chain.from_iterable(entries)))
        values = array_of(data_type.valueType, list(chain.from_iterable(map(dict.values, entries))))
        return maps_of(cells, keys, values, arrow)
    return pa.array(cells, arrow)


def mask(numbers: Sequence[int], length: int) -> pa.Array:
    """Return booleans that are true at these positions."""
    return pc.is_in(longs(range(length)), value_set=longs(numbers))
