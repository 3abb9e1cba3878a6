"""JSON lines as rows.

Whole texts are read by Arrow where that can be (:mod:`json_lanes`).  Other lines that fit the schema are decoded into
columns (:mod:`json_columns`); the rest go one by one through :mod:`json_rows`, and come back as rows of the same
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import MalformedRecord, UnknownFields
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base, text_lines
from pyspark_cloudfiles.formats.arrow_types import rows_without_columns
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.gathering import Lane, counts, in_order
from pyspark_cloudfiles.formats.json_columns import columns_of
from pyspark_cloudfiles.formats.json_lanes import QuickLane
from pyspark_cloudfiles.formats.json_rows import RowReader
from pyspark_cloudfiles.formats.json_text import Malformed
from pyspark_cloudfiles.values import rescue

# An array of numbers on a line must not be taken for one of records.
_REFUSED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_SOUND = msgspec.json.Decoder(msgspec.Raw).decode


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
        return self._by_lanes(data, text.files, lambda: data.split(b"\n")[:-1], exact=True)

    def rows(self, block: text_lines.Block) -> Rows:
        """Return the rows of a block, whose records may lie on several lines of their file, in the same way."""
        data = b"".join(line + b"\n" for line in block.lines)
        exact = data.count(b"\n") == len(block.lines) and b"\r" not in data
        if not exact:
            data = b"".join(_on_one_line(line) + b"\n" for line in block.lines)
        return self._by_lanes(data, block.files, lambda: block.lines, exact)

    def _by_lanes(
        self, data: bytes, files: list[tuple[SourceFile, int]], lines: Callable[[], list[bytes]], exact: bool
    ) -> Rows:
        quick = self._quick.rows(data, files, exact) if base.FAST_PATH else None
        if quick is None:
            return self._rows(text_lines.without_blank_lines(text_lines.Block(lines(), files, len(data))))[0]
        if not quick.refused:
            return Rows(quick.lane.batch, files, quick.lane.rescued)
        block = _lines_of(lines(), files, quick.refused)
        rows, origins = self._rows(block)
        numbers = pa.array([quick.refused[line] for line in origins], pa.int64())
        return in_order(quick.lane, Lane(numbers, rows.batch, rows.rescued), files)

    def _rows(self, block: text_lines.Block) -> tuple[Rows, list[int]]:
        """Return the rows of a block, and the line that each came from."""
        outcome = _Outcome(self._request, block)
        rows, lines = self._decoded(block, outcome)
        arrays, misfits = self._arrays(rows)
        if misfits:
            rows = self._again(rows, lines, misfits, block, outcome)
            arrays, _ = self._arrays(rows)
        return outcome.rows(arrays, len(rows), self._arrow), outcome.origins()

    def _decoded(self, block: text_lines.Block, outcome: _Outcome) -> tuple[list[Any], list[int]]:
        """Return a row, or a tuple of cells, for each record, and the line that each came from."""
        lines = block.lines
        decode, valid = self._decode, _is_utf8(lines)
        try:
            if valid and base.FAST_PATH:
                return list(map(decode, lines)), range(len(lines))  # type: ignore[return-value]
        except _REFUSED:
            pass
        rows: list[Any] = []
        origins: list[int] = []
        for number, line in enumerate(lines):
            try:
                some: list[Any] = [decode(line) if base.FAST_PATH and (valid or _is_utf8([line])) else _malformed()]
                outcome.count(number, 1)
            except (*_REFUSED, Malformed):
                some = self._slowly(number, line, len(rows), outcome)
            rows += some
            origins += [number] * len(some)
        return rows, origins

    def _slowly(self, number: int, line: bytes, first: int, outcome: _Outcome) -> list[Any]:
        """Return the rows of an odd line, and note what is odd about them."""
        try:
            found = self._one_by_one.rows(line)
        except Malformed as error:
            kept = outcome.malformed(number, first, str(error))
            if kept is None:
                raise MalformedRecord(outcome.url(number), line.decode("utf-8", "replace")) from error
            return [self._nothing] * kept
        misfit = not self._request.rescue and any(rescue.has_misfit(row.leftover) for row in found)
        if misfit and self._request.mode == "FAILFAST":
            raise MalformedRecord(outcome.url(number), line.decode("utf-8", "replace"))
        if misfit and self._request.mode == "DROPMALFORMED":
            outcome.dropped(number, "a value does not fit the type of its column")
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
        self, rows: list[Any], origins: Sequence[int], misfits: set[int], block: Any, outcome: _Outcome
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


class _Outcome:
    """Takes notes while a block is read, and makes the :class:`Rows` at its end."""

    def __init__(self, request: ReadRequest, block: text_lines.Block) -> None:
        self._request = request
        self._block = block
        self._owners = block.owners()
        self.restart()

    def restart(self) -> None:
        """Forget everything: the block is read once more."""
        self._rescued: dict[int, str] = {}
        self._corrupt: dict[int, str] = {}
        self._bad: list[tuple[int, str]] = []
        self._counts: dict[int, int] | None = None
        self._unknown: dict[str, None] = {}
        self._first_unknown: tuple[str, str] | None = None

    def url(self, line: int) -> str:
        """Return where a line came from."""
        return self._owners[line].url

    def count(self, line: int, rows: int) -> None:
        """Note how many rows a line gave; as soon as one is said, a line that nothing is said of gave none."""
        self._counts = self._counts or {}
        self._counts[line] = rows

    def dropped(self, line: int, reason: str) -> None:
        """Note a line that is left out, and why."""
        self.count(line, 0)
        self._bad.append((line, reason))

    def malformed(self, line: int, row: int, reason: str) -> int | None:
        """Note a malformed line; return how many rows of NULLs it gives, or None if it is an error."""
        if self._request.mode == "FAILFAST":
            return None
        if self._request.mode == "DROPMALFORMED":
            self.dropped(line, reason)
            return 0
        text = self._block.lines[line].decode("utf-8", "replace")
        if self._request.corrupt_column is not None:
            self._corrupt[row] = text
        elif self._request.rescue:
            # Without a column of its own the text would be lost.
            left = {rescue.CORRUPT_RECORD: rescue.Leaf(rescue.quoted(text))}
            self._rescued[row] = rescue.rescued_text(left, self.url(line))
        self.count(line, 1)
        return 1

    def left(self, line: int, row: int, leftover: Mapping[str, rescue.Leftover], corrupt: bool) -> None:
        """Note what of a row did not fit, and whether it makes the line corrupt."""
        if corrupt and self._request.corrupt_column is not None:
            self._corrupt[row] = self._block.lines[line].decode("utf-8", "replace")
        if not leftover:
            return
        if self._request.on_unknown == "error":
            names = dict.fromkeys(rescue.unknown_names(dict(leftover)))
            if names and self._first_unknown is None:
                self._first_unknown = self.url(line), rescue.unknown_text(leftover)
            self._unknown |= names
        if self._request.rescue:
            self._rescue(line, row, leftover)

    def rows(self, arrays: Sequence[pa.Array], length: int, schema: pa.Schema) -> Rows:
        """Return the rows.

        Raises
        ------
        UnknownFields
            Some line has fields that the schema does not have, and the request wants it to be an error.
        """
        if self._first_unknown is not None:
            path, record = self._first_unknown
            raise UnknownFields(path, record, list(self._unknown))
        if self._request.bad_records is not None:
            for line, reason in self._bad:
                self._request.bad_records(self.url(line), self._block.lines[line].decode("utf-8", "replace"), reason)
        columns = list(arrays)
        if self._request.corrupt_column is not None:
            place = schema.get_field_index(self._request.corrupt_column)
            columns.insert(place, self._texts(self._corrupt, length))
        batch = pa.RecordBatch.from_arrays(columns, schema=schema) if columns else rows_without_columns(length)
        rescued = self._texts(self._rescued, length) if self._rescued else None
        return Rows(batch, self._per_file(), rescued)

    def origins(self) -> list[int]:
        """Return the line that each row came from."""
        lines = range(len(self._block.lines))
        return (
            list(lines) if self._counts is None else [line for line in lines for _ in range(self._counts.get(line, 0))]
        )

    def _rescue(self, line: int, row: int, leftover: Mapping[str, rescue.Leftover]) -> None:
        unwanted = self._request.on_unknown == "ignore"
        wanted = {name: part for name, part in leftover.items() if not (unwanted and _is_unknown(part))}
        if wanted:
            self._rescued[row] = rescue.rescued_text(wanted, self.url(line))

    def _texts(self, texts: dict[int, str], length: int) -> pa.Array:
        return pa.array([texts.get(row) for row in range(length)] if texts else pa.nulls(length), pa.string())

    def _per_file(self) -> list[tuple[SourceFile, int]]:
        counts: list[tuple[SourceFile, int]] = []
        line = 0
        for file, lines in self._block.files:
            said = self._counts
            rows = lines if said is None else sum(said.get(number, 0) for number in range(line, line + lines))
            counts.append((file, rows))
            line += lines
        return counts


def _on_one_line(record: bytes) -> bytes:
    """Return a record without ends of lines, which in sound JSON are blanks; another becomes one that is refused."""
    if b"\n" not in record and b"\r" not in record:
        return record
    try:
        _SOUND(record)
    except _REFUSED:
        return b""
    return record.replace(b"\n", b" ").replace(b"\r", b" ")


def _lines_of(lines: list[bytes], files: list[tuple[SourceFile, int]], numbers: list[int]) -> text_lines.Block:
    """Return a block of the lines with these numbers."""
    block = text_lines.Block()
    for file, count in counts(numbers, files):
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
    raise Malformed


def _is_unknown(part: rescue.Leftover) -> bool:
    return isinstance(part, rescue.Leaf) and part.unknown
