"""JSON lines as rows.

Whole texts are read by Arrow where that can be (:mod:`json_lanes`).  Other lines that fit the schema are decoded into
columns (:mod:`json_columns`); the rest go one by one through :mod:`json_rows`, and come back as rows of the same
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import MalformedRecord
from pyspark_cloudfiles.formats import text_lines
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.json_columns import columns_of
from pyspark_cloudfiles.formats.json_lanes import QuickLane
from pyspark_cloudfiles.formats.json_rows import RowReader
from pyspark_cloudfiles.formats.json_text import Malformed
from pyspark_cloudfiles.formats.lanes import Lane, counts, in_order
from pyspark_cloudfiles.formats.outcome import Outcome
from pyspark_cloudfiles.rescue import has_misfit

# An array of numbers on a line must not be taken for one of records.
_REFUSED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Reader:
    """Reads lines by a request."""

    def __init__(self, request: ReadRequest) -> None:
        self._request = request
        fields = [field for field in request.schema.fields if field.name != request.corrupt_column]
        schema = StructType(fields)
        self._quick = QuickLane(schema, request)
        self._columns = columns_of(schema, request)
        self._decode = msgspec.json.Decoder(self._columns.record).decode
        self._one_by_one = RowReader(schema, request)
        self._nothing = (None,) * len(fields)
        self._arrow = to_arrow_schema(request.schema, timezone="UTC")

    def rows_of_text(self, text: text_lines.Text) -> Rows:
        """Return the rows of a text: by column where that can be, and of the lines that are left, one by one."""
        data = text.data()
        quick = self._quick.rows(data, text.files)
        if quick is None:
            return self.rows(
                text_lines.without_blank_lines(text_lines.Block(data.split(b"\n")[:-1], text.files, text.size))
            )
        if not quick.refused:
            return Rows(quick.lane.batch, text.files, quick.lane.rescued)
        block = _lines_of(text, data, quick.refused)
        rows, origins = self._rows(block)
        numbers = pa.array([quick.refused[line] for line in origins], pa.int64())
        return in_order(quick.lane, Lane(numbers, rows.batch, rows.rescued), text.files)

    def rows(self, block: text_lines.Block) -> Rows:
        """Return the rows of a block."""
        return self._rows(block)[0]

    def _rows(self, block: text_lines.Block) -> tuple[Rows, list[int]]:
        """Return the rows of a block, and the line that each came from."""
        outcome = Outcome(self._request, block)
        rows, lines = self._decoded(block, outcome)
        arrays, misfits = self._arrays(rows)
        if misfits:
            rows = self._again(rows, lines, misfits, block, outcome)
            arrays, _ = self._arrays(rows)
        return outcome.rows(arrays, len(rows), self._arrow), outcome.origins()

    def _decoded(self, block: text_lines.Block, outcome: Outcome) -> tuple[list[Any], list[int]]:
        """Return a row, or a tuple of cells, for each record, and the line that each came from."""
        lines = block.lines
        decode, valid = self._decode, _is_utf8(lines)
        try:
            if valid:
                return list(map(decode, lines)), range(len(lines))  # type: ignore[return-value]
        except _REFUSED:
            pass
        rows: list[Any] = []
        origins: list[int] = []
        for number, line in enumerate(lines):
            try:
                some: list[Any] = [decode(line) if valid or _is_utf8([line]) else _malformed()]
                outcome.count(number, 1)
            except (*_REFUSED, Malformed):
                some = self._slowly(number, line, len(rows), outcome)
            rows += some
            origins += [number] * len(some)
        return rows, origins

    def _slowly(self, number: int, line: bytes, first: int, outcome: Outcome) -> list[Any]:
        """Return the rows of an odd line, and note what is odd about them."""
        try:
            found = self._one_by_one.rows(line)
        except Malformed as error:
            kept = outcome.malformed(number, first)
            if kept is None:
                raise MalformedRecord(outcome.url(number), line.decode("utf-8", "replace")) from error
            return [self._nothing] * kept
        misfit = not self._request.rescue and any(has_misfit(row.leftover) for row in found)
        if misfit and self._request.mode == "FAILFAST":
            raise MalformedRecord(outcome.url(number), line.decode("utf-8", "replace"))
        if misfit and self._request.mode == "DROPMALFORMED":
            outcome.count(number, 0)
            return []
        for position, row in enumerate(found, first):
            outcome.left(number, position, row.leftover, misfit)
        outcome.count(number, len(found))
        return [row.cells for row in found]

    def _arrays(self, rows: list[Any]) -> tuple[list[pa.Array], set[int]]:
        misfits: set[int] = set()
        cells = [row if type(row) is tuple else msgspec.structs.astuple(row) for row in rows]
        return self._columns.arrays(cells, range(len(cells)), misfits), misfits

    def _again(
        self, rows: list[Any], origins: Sequence[int], misfits: set[int], block: Any, outcome: Outcome
    ) -> list[Any]:
        """Read the lines of rows that did not fit after all one by one."""
        outcome.restart()
        kept: list[Any] = []
        wrong = {origins[row] for row in misfits}
        previous = -1
        for row, number in zip(rows, origins, strict=True):
            # Lines with several rows, or with something left over, were read one by one already.
            if number in wrong or type(row) is tuple:
                if number != previous:
                    kept += self._slowly(number, block.lines[number], len(kept), outcome)
            else:
                kept.append(row)
                outcome.count(number, 1)
            previous = number
        return kept


def _lines_of(text: text_lines.Text, data: bytes, numbers: list[int]) -> text_lines.Block:
    """Return a block of the lines with these numbers."""
    lines, block = data.split(b"\n"), text_lines.Block()
    for file, count in counts(numbers, text.files):
        taken = len(block.lines)
        block.add(file, [lines[number] for number in numbers[taken : taken + count]], 0)
    return block


def _is_utf8(lines: Sequence[bytes]) -> bool:
    data = lines[0] if len(lines) == 1 else b"\n".join(lines)
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _malformed() -> Any:
    raise Malformed("not UTF-8")
