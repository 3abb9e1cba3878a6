"""What became of the lines of a block: how many rows each file gave, what is rescued, what is corrupt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from pyspark_cloudfiles import rescue
from pyspark_cloudfiles.errors import UnknownFields
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.text_lines import Block

CORRUPT_RECORD = "_corrupt_record"


class Outcome:
    """Takes notes while a block is read, and makes the :class:`Rows` at its end."""

    def __init__(self, request: ReadRequest, block: Block) -> None:
        self._request = request
        self._block = block
        self._owners = block.owners()
        self.restart()

    def restart(self) -> None:
        """Forget everything: the block is read once more."""
        self._rescued: dict[int, str] = {}
        self._corrupt: dict[int, str] = {}
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

    def malformed(self, line: int, row: int) -> int | None:
        """Note a malformed line; return how many rows of NULLs it gives, or None if it is an error."""
        if self._request.mode == "FAILFAST":
            return None
        if self._request.mode == "DROPMALFORMED":
            self.count(line, 0)
            return 0
        text = self._block.lines[line].decode("utf-8", "replace")
        if self._request.corrupt_column is not None:
            self._corrupt[row] = text
        elif self._request.rescue:
            # Without a column of its own the text would be lost.
            self._rescued[row] = rescue.rescued_text({CORRUPT_RECORD: rescue.Leaf(rescue.quoted(text))}, self.url(line))
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


def _is_unknown(part: rescue.Leftover) -> bool:
    return isinstance(part, rescue.Leaf) and part.unknown


def rows_without_columns(length: int) -> pa.RecordBatch:
    """Return a batch that has rows and no columns."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * length, pa.struct([])))
