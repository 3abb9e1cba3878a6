"""Batches of a good size: what small files give is put together, what a large one gives is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats.base import BATCH_BYTES, Rows


class Piece(NamedTuple):
    """Rows of one file, in the request's schema; ``rescued`` as in :class:`~pyspark_cloudfiles.formats.base.Rows`."""

    file: SourceFile
    batch: pa.RecordBatch
    rescued: pa.Array | None = None


def gathered(pieces: Iterable[Piece]) -> Iterator[Rows]:
    """Yield the same rows in the same order, in batches of at most ``BATCH_BYTES`` (or one row)."""
    waiting: list[Piece] = []
    size = 0
    for piece in _cut(pieces):
        more = _size(piece)
        if waiting and size + more > BATCH_BYTES:
            yield _together(waiting)
            waiting, size = [], 0
        waiting.append(piece)
        size += more
    if waiting:
        yield _together(waiting)


def _cut(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        rows = piece.batch.num_rows
        if rows == 0:
            continue
        step = max(1, rows * BATCH_BYTES // max(_size(piece), 1))
        for start in range(0, rows, step):
            rescued = None if piece.rescued is None else piece.rescued.slice(start, step)
            yield Piece(piece.file, piece.batch.slice(start, step), rescued)


def _size(piece: Piece) -> int:
    return piece.batch.nbytes + (0 if piece.rescued is None else piece.rescued.nbytes)


def _together(pieces: list[Piece]) -> Rows:
    counts: list[tuple[SourceFile, int]] = []
    for file, batch, _ in pieces:
        if counts and counts[-1][0] == file:
            counts[-1] = (file, counts[-1][1] + batch.num_rows)
        else:
            counts.append((file, batch.num_rows))
    if len(pieces) == 1:
        return Rows(pieces[0].batch, counts, pieces[0].rescued)
    return Rows(pa.concat_batches([piece.batch for piece in pieces]), counts, _rescued(pieces))


def _rescued(pieces: list[Piece]) -> pa.Array | None:
    if all(piece.rescued is None for piece in pieces):
        return None
    return pa.concat_arrays(
        [pa.nulls(batch.num_rows, pa.string()) if rescued is None else rescued for _, batch, rescued in pieces]
    )
