"""Record batches of a good size: rows of small files together, rows of a large file cut, two paths merged."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import Rows
from pyspark_cloudfiles.formats.records.coalescing import coalesced

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
