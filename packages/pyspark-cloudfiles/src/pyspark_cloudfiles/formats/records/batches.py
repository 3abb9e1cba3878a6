"""Record batches of a good size: rows of small files together, rows of a large file cut, two paths merged."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import Rows
from pyspark_cloudfiles.formats.records.blocks import coalesced
from pyspark_cloudfiles.formats.variant import encoding
from pyspark_cloudfiles.values.plain_arrays import lists_of, maps_of, structs_of


class Names:
    """The names of columns.

    Parameters
    ----------
    names : sequence of str
        In their order; of names that differ only in case the first is taken.
    case_sensitive : bool
        Whether a name in another case is another name.
    """

    def __init__(self, names: Sequence[str], case_sensitive: bool) -> None:
        self._exact = {name: index for index, name in reversed(list(enumerate(names)))}
        self._folded = {name.lower(): index for index, name in reversed(list(enumerate(names)))}
        self._case_sensitive = case_sensitive

    def index_of(self, name: str) -> int | None:
        """Return the column that takes a name, or None."""
        index = self._exact.get(name)
        return self._folded.get(name.lower()) if index is None and not self._case_sensitive else index

    def is_unknown(self, name: str) -> bool:
        """Tell whether there is no such column in any case."""
        return name.lower() not in self._folded


def array_of(data_type: T.DataType, cells: Sequence[Any]) -> pa.Array:
    """Return the values of a column as an array."""
    arrow = to_arrow_type(data_type, timezone="UTC")
    if isinstance(data_type, T.VariantType):
        return encoding.column(list(cells))
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


Spans = Sequence[tuple[SourceFile, int]]


class FileRows(NamedTuple):
    """Rows of one file, in the request's schema; ``rescued`` as in :class:`~pyspark_cloudfiles.formats.base.Rows`."""

    file: SourceFile
    batch: pa.RecordBatch
    rescued: pa.Array | None = None


def batches_of(pieces: Iterable[FileRows]) -> Iterator[Rows]:
    """Yield the same rows in the same order, in batches of at most ``BATCH_BYTES`` (or one row)."""
    return coalesced_rows(Rows(batch, [(file, batch.num_rows)], rescued) for file, batch, rescued in _cut(pieces))


def coalesced_rows(parts: Iterable[Rows]) -> Iterator[Rows]:
    """Yield the same rows in the same order, small parts together in batches of at most ``BATCH_BYTES``."""
    return map(_joined, coalesced(parts, _size))


class NumberedRows(NamedTuple):
    """Rows that know the lines they came from.

    Parameters
    ----------
    numbers : pyarrow.Array
        The line that each row came from, ascending.
    batch, rescued
        As in :class:`~pyspark_cloudfiles.formats.base.Rows`.
    """

    numbers: pa.Array
    batch: pa.RecordBatch
    rescued: pa.Array | None

    def rows_of(self, files: Spans) -> Rows:
        """Return them without the numbers; `files` says how many of the lines came from each file."""
        return Rows(self.batch, counts(self.numbers.to_pylist(), files), self.rescued)


def in_order(fast: NumberedRows, slow: NumberedRows, files: Spans) -> Rows:
    """Return the rows of both paths in the order of their lines.

    Parameters
    ----------
    files : sequence of (SourceFile, int)
        How many of the lines came from each file.
    """
    numbers = pa.concat_arrays([fast.numbers, slow.numbers])
    order = pc.sort_indices(numbers)
    rescued = _rescued([fast, slow])
    batch = _batch([fast, slow])
    return Rows(
        batch.take(order) if batch.num_columns else batch,
        counts(numbers.take(order).to_pylist(), files),
        None if rescued is None else rescued.take(order),
    )


def counts(numbers: list[int], files: Spans) -> list[tuple[SourceFile, int]]:
    """Return how many rows each file gave, from the lines that rows came from."""
    found, begin, line = [], 0, 0
    for file, lines in files:
        line += lines
        end = bisect_left(numbers, line, begin)
        found.append((file, end - begin))
        begin = end
    return found


def _cut(pieces: Iterable[FileRows]) -> Iterator[FileRows]:
    for piece in pieces:
        rows = piece.batch.num_rows
        if rows == 0:
            continue
        step = max(1, rows * base.BATCH_BYTES // max(_size(piece), 1))
        for start in range(0, rows, step):
            rescued = None if piece.rescued is None else piece.rescued.slice(start, step)
            yield FileRows(piece.file, piece.batch.slice(start, step), rescued)


def _size(part: FileRows | Rows) -> int:
    return part.batch.nbytes + (0 if part.rescued is None else part.rescued.nbytes)


def _joined(parts: list[Rows]) -> Rows:
    found: list[tuple[SourceFile, int]] = []
    for file, rows in (count for part in parts for count in part.counts):
        if found and found[-1][0] == file:
            found[-1] = (file, found[-1][1] + rows)
        else:
            found.append((file, rows))
    return Rows(_batch(parts), found, _rescued(parts))


def _batch(parts: Sequence[Rows | NumberedRows]) -> pa.RecordBatch:
    if len(parts) == 1:
        return parts[0].batch
    if parts[0].batch.num_columns:
        return pa.concat_batches([part.batch for part in parts])
    return rows_without_columns(sum(part.batch.num_rows for part in parts))


def _rescued(parts: Sequence[Rows | NumberedRows]) -> pa.Array | None:
    if all(part.rescued is None for part in parts):
        return None
    return pa.concat_arrays(
        [pa.nulls(part.batch.num_rows, pa.string()) if part.rescued is None else part.rescued for part in parts]
    )


def batch_of(columns: list[pa.Array], schema: pa.Schema, rows: int) -> pa.RecordBatch:
    """Return a batch that knows how many rows it has, also where there is no column."""
    if not columns:
        return rows_without_columns(rows)
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def rows_without_columns(length: int) -> pa.RecordBatch:
    """Return a batch that has rows and no columns."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * length, pa.struct([])))
