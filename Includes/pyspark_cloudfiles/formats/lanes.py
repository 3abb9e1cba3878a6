"""Rows of the quick lane and of the slow one, put together in the order of their lines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import Rows
from pyspark_cloudfiles.formats.outcome import rows_without_columns

Spans = Sequence[tuple[SourceFile, int]]


class Lane(NamedTuple):
    """Rows of one lane.

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


def in_order(quick: Lane, slow: Lane, files: Spans) -> Rows:
    """Return the rows of both lanes in the order of their lines.

    Parameters
    ----------
    files : sequence of (SourceFile, int)
        How many of the lines came from each file.
    """
    numbers = pa.concat_arrays([quick.numbers, slow.numbers])
    order = pc.sort_indices(numbers)
    rescued = None
    if quick.rescued is not None or slow.rescued is not None:
        rescued = pa.concat_arrays([_texts(quick), _texts(slow)]).take(order)
    if quick.batch.num_columns:
        batch = pa.concat_batches([quick.batch, slow.batch]).take(order)
    else:
        batch = rows_without_columns(len(numbers))
    return Rows(batch, counts(numbers.take(order).to_pylist(), files), rescued)


def counts(numbers: list[int], files: Spans) -> list[tuple[SourceFile, int]]:
    """Return how many rows each file gave, from the lines that rows came from."""
    found, begin, line = [], 0, 0
    for file, lines in files:
        line += lines
        end = bisect_left(numbers, line, begin)
        found.append((file, end - begin))
        begin = end
    return found


def gathered(parts: Iterable[Rows]) -> Iterator[Rows]:
    """Yield the same rows in batches of a good size, where parts are small."""
    waiting: list[Rows] = []
    size = 0
    for part in parts:
        more = part.batch.nbytes
        if waiting and size + more > base.BATCH_BYTES:
            yield _together(waiting)
            waiting, size = [], 0
        waiting.append(part)
        size += more
    if waiting:
        yield _together(waiting)


def _together(parts: list[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    rows = sum(part.batch.num_rows for part in parts)
    columns = parts[0].batch.num_columns
    batch = pa.concat_batches([part.batch for part in parts]) if columns else rows_without_columns(rows)
    rescued = None
    if any(part.rescued is not None for part in parts):
        rescued = pa.concat_arrays([_texts(part) for part in parts])
    return Rows(batch, [count for part in parts for count in part.counts], rescued)


def _texts(part: Lane | Rows) -> pa.Array:
    return pa.nulls(part.batch.num_rows, pa.string()) if part.rescued is None else part.rescued
