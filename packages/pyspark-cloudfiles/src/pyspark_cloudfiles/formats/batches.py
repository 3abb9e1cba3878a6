"""Record batches of a good size, and operations on many lines at once, without a Python object per line."""

from __future__ import annotations

import re
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
from pyspark_cloudfiles.formats.lines import coalesce
from pyspark_cloudfiles.formats.variant_encoding import variant_array
from pyspark_cloudfiles.values.plain_arrays import binaries, lists_of, longs, maps_of, structs_of, whole

# An end of line is not a blank here, so that each line is matched by itself.
_BLANK_LINE = re.compile(rb"^[\x00-\x09\x0b-\x20]*\n", re.MULTILINE)
_BLANK_START = re.compile(rb"(?:[\x00-\x09\x0b-\x20]*\n)*")
_BLANK = "".join(map(chr, range(0x21)))
Spans = Sequence[tuple[SourceFile, int]]


class Names:
    """The names of columns; of names that differ only in case the first counts."""

    def __init__(self, names: Sequence[str], case_sensitive: bool) -> None:
        self._exact = {name: index for index, name in reversed(list(enumerate(names)))}
        self._folded = {name.lower(): index for index, name in reversed(list(enumerate(names)))}
        self._case_sensitive = case_sensitive

    def index_of(self, name: str) -> int | None:
        index = self._exact.get(name)
        return self._folded.get(name.lower()) if index is None and not self._case_sensitive else index

    def is_unknown(self, name: str) -> bool:
        """Whether there is no such column in any case."""
        return name.lower() not in self._folded


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


def remove_blank_lines(data: bytes) -> bytes:
    """Remove lines of only whitespace and control characters."""
    return _BLANK_LINE.sub(b"", data)


def remove_blank_start(data: bytes) -> bytes:
    """Remove blank lines at the beginning."""
    return data if data[:1] > b" " else data[_BLANK_START.match(data).end() :]  # type: ignore[union-attr]


def remove_first_lines(data: bytes, count: int) -> tuple[bytes, int]:
    """Remove lines at the beginning; return the rest, and the number of lines still to be removed after it."""
    position = 0
    while count and position < len(data):
        position = data.find(b"\n", position) + 1
        count -= 1
    return data[position:], count


def remove_comments(mark: str, data: bytes) -> bytes:
    begin = mark.encode()
    parts, position = [], 0
    while True:
        if not data.startswith(begin, position):
            found = data.find(b"\n" + begin, position) + 1
            if not found:
                return b"".join([*parts, data[position:]])
            parts.append(data[position:found])
            position = found
        position = data.find(b"\n", position) + 1


def is_blank(line: str) -> bool:
    return not line.strip(_BLANK)


def is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def matches(data: bytes, pattern: str) -> bool:
    """Whether a pattern of RE2 is found in a text in UTF-8; many times faster than ``re``."""
    return pc.match_substring_regex(whole(data).cast(pa.large_string()), pattern)[0].as_py()


def line_array(data: bytes) -> pa.Array:
    """Return the lines of a text, without their ends."""
    if not data:
        return pa.array([], pa.string())
    return pc.split_pattern(binaries([data[:-1]]), b"\n").values.cast(pa.string())


def remove_lines(data: bytes, numbers: Sequence[int]) -> bytes:
    if not numbers:
        return data
    lines = line_array(data).filter(pc.invert(mask(numbers, data.count(b"\n"))))
    if not len(lines):
        return b""
    together = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return pc.binary_join(together, "\n")[0].as_buffer().to_pybytes() + b"\n"


def mask(numbers: Sequence[int], length: int) -> pa.Array:
    """Return booleans that are true at these positions."""
    return pc.is_in(longs(range(length)), value_set=longs(numbers))
