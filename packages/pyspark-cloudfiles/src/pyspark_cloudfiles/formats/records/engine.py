"""The engine of the text formats: the fast path for whole columns, the row reader for the other records.

A format provides a :class:`Parser`.  Its fast path makes columns of a block and refuses the lines that it would not
read as Spark does; those go to the format's row reader.  If :data:`.base.FAST_PATH` is off, all lines go there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import NumberedRows, in_order
from pyspark_cloudfiles.formats.records.blocks import Block
from pyspark_cloudfiles.formats.records.line_arrays import line_numbers, mask
from pyspark_cloudfiles.formats.records.outcome import Outcome, Record, batch_of_request
from pyspark_cloudfiles.values.plain_arrays import longs
from pyspark_cloudfiles.values.rescue_columns import paths_of, rescued_column


class FastColumns(NamedTuple):
    """What the fast path makes of a block.

    Parameters
    ----------
    columns : list of pyarrow.Array
        Those of the schema, without the one for corrupt records.
    members : list of pyarrow.Array
        What else is in the lines, as members of the rescued objects; NULL where there is nothing.
    refused : sequence of int
        The numbers of the lines that are in none of them, ascending.
    """

    columns: list[pa.Array]
    members: list[pa.Array]
    refused: Sequence[int]

    def without_rows(self, positions: Collection[int], lines: int) -> FastColumns:
        """Return the same without some rows, whose lines are refused as well.

        Parameters
        ----------
        positions : collection of int
            Of the rows, among those that are there.
        lines : int
            How many the block has.
        """
        if not positions:
            return self
        wrong = longs(sorted(positions))
        keep = pc.invert(pc.is_in(line_numbers(lines - len(self.refused)), value_set=wrong))
        refused = without_refused(line_numbers(lines), self.refused).take(wrong).to_pylist()
        columns, members = ([array.filter(keep) for array in some] for some in (self.columns, self.members))
        return FastColumns(columns, members, sorted([*self.refused, *refused]))


class Parser(Protocol):
    """One text format, with the options of a request; its blocks may be of a class of its own."""

    def columns(self, block: Any) -> FastColumns | None:
        """Return the columns of a block; None if all of its lines are for the row reader."""

    def records(self, block: Any, number: int) -> Sequence[Record]:
        """Return the records of a line of a block: usually one, none of a blank line."""


class Engine:
    """Reads blocks with a format's parser."""

    def __init__(self, parser: Parser, request: ReadRequest) -> None:
        self._parser, self._request = parser, request

    def rows(self, block: Block) -> Rows:
        """Return the rows of a block, in the order of its lines.

        Raises
        ------
        UnknownFields, MalformedRecord
            If the request says so.
        """
        fast = self._parser.columns(block) if base.FAST_PATH else None
        if fast is None:
            return self._slow(block, range(block.count)).rows_of(block.files)
        rows = self._fast(block, fast)
        if not fast.refused:
            return rows
        numbers = without_refused(line_numbers(block.count), fast.refused)
        slow = self._slow(block, fast.refused)
        return in_order(NumberedRows(numbers, rows.batch, rows.rescued), slow, block.files)

    def _fast(self, block: Block, fast: FastColumns) -> Rows:
        rescued = None
        if any(some.null_count < len(some) for some in fast.members):
            rescued = rescued_column(fast.members, without_refused(paths_of(block.files), fast.refused))
        batch = batch_of_request(fast.columns, block.count - len(fast.refused), self._request)
        return Rows(batch, block.files, rescued)

    def _slow(self, block: Block, lines: Iterable[int]) -> NumberedRows:
        outcome = Outcome(self._request)
        for number in lines:
            records = self._parser.records(block, number)
            if records:
                outcome.add(number, block.file_of(number).url, records, partial(block.text, number))
        return outcome.rows()


def without_refused(values: pa.Array, refused: Sequence[int]) -> pa.Array:
    """Leave out the values of lines that were refused."""
    return values.filter(pc.invert(mask(refused, len(values)))) if refused else values
