"""CSV blocks cut into text columns: by Arrow's reader if it agrees with Spark, otherwise by our tokenizer.

The bytes of a line show whether Arrow reads it as Spark does.  Other lines are refused, each by its number, and so are
lines that have more or fewer values than the header has names.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from pyspark_cloudfiles.formats.csv.blocks import CsvBlock, check_limits
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.tokenizer import Tokenizer, Tokens
from pyspark_cloudfiles.formats.records.line_arrays import lines_of, matches, without
from pyspark_cloudfiles.values.plain_arrays import plain

_UNPRINTED = {"\n", "\r", "\0", ""}


class CutColumns(NamedTuple):
    """The columns that a block was cut into.

    Parameters
    ----------
    columns : list of pyarrow.Array
        The wanted columns, as texts.
    refused : list of int
        The numbers of the lines that are in none of them, ascending.
    """

    columns: list[pa.Array]
    refused: list[int]


class ArrowCutter:
    """Cuts texts of a dialect that :func:`is_plain`."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._row = _row_pattern(dialect)
        self._block = rf"\A(?:{self._row}\n)*\z"
        self._nulls = list(dict.fromkeys(["", dialect.null]))

    def cells(self, block: CsvBlock, wanted: list[int]) -> CutColumns:
        """Cut a block into columns.

        Parameters
        ----------
        block : CsvBlock
            Lines in UTF-8; of one column, none of them blank.
        wanted : list of int
            The columns to return, by position.
        """
        data, width = block.data or b"", len(block.header.names)
        refused = self._odd_lines(data)
        some = without(data, refused)
        columns, ragged = self._read(some, width, wanted or [0])
        if len(columns[0]) + len(ragged) < some.count(b"\n"):
            # Arrow has passed over empty lines, which the numbers must count.
            refused = sorted({*refused, *_empty_lines(data)})
            columns, ragged = self._read(without(data, refused), width, wanted or [0])
        return CutColumns(columns[: len(wanted)], _merged(refused, ragged))

    def _odd_lines(self, data: bytes) -> list[int]:
        """Return the lines that another reader may understand in another way, for their quotes or their beginning."""
        quote, odd = self._dialect.quote, set()
        if quote and quote.encode() in data and not matches(data, self._block):
            sound = pc.match_substring_regex(lines_of(data), rf"\A{self._row}\z")
            odd |= set(pc.indices_nonzero(pc.invert(sound)).to_pylist())
        if b"\n" + codecs.BOM_UTF8 in data or data.startswith(codecs.BOM_UTF8):
            # Wherever this is the beginning of what Arrow reads, it would be left out.
            odd |= set(pc.indices_nonzero(pc.starts_with(lines_of(data), codecs.BOM_UTF8.decode())).to_pylist())
        if b"\r" in data:
            # Where lines have an end of their own, this is text; to Arrow it ends a line.
            odd |= set(pc.indices_nonzero(pc.match_substring(lines_of(data), "\r")).to_pylist())
        return sorted(odd)

    def _read(self, data: bytes, width: int, wanted: list[int]) -> tuple[list[pa.Array], list[int]]:
        """Return columns, and the lines that do not have the right number of cells."""
        if not data:
            return [pa.array([], pa.string()) for _ in wanted], []
        ragged: list[int] = []

        def skip(row: csv.InvalidRow) -> str:
            ragged.append(row.number - 1)
            return "skip"

        names = [str(position) for position in range(width)]
        kept = [names[position] for position in wanted]
        table = csv.read_csv(
            pa.BufferReader(data),
            # Rows are numbered only where one thread reads them; Spark has one for each core already.
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            self._parsing(data, skip),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(kept, pa.string()),
                include_columns=kept,
                null_values=self._nulls,
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        return [_array(column) for column in table.columns], ragged

    def _parsing(self, data: bytes, skip: object) -> csv.ParseOptions:
        dialect = self._dialect
        escapes = bool(dialect.quote) and f"{dialect.escape}{dialect.quote}".encode() in data
        doubles = dialect.escape == dialect.quote
        return csv.ParseOptions(
            delimiter=dialect.separator,
            quote_char=dialect.quote or False,
            double_quote=doubles,
            escape_char=dialect.escape if escapes and dialect.escape and not doubles else False,
            ignore_empty_lines=True,
            invalid_row_handler=skip,
        )


class TokenCutter:
    """Cuts records of any dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect, self._tokenizer = dialect, Tokenizer(dialect)

    def cells(self, block: CsvBlock, wanted: list[int]) -> CutColumns:
        """Cut a block into columns.

        Raises
        ------
        UnreadableFile
            A record has more columns, or a longer value, than the options allow.
        """
        width = len(block.header.names)
        records: list[Tokens] = []
        refused: list[int] = []
        for number in range(block.count):
            tokens = block.tokens(number, self._tokenizer)
            if tokens is None or len(tokens) != width:
                refused.append(number)
            else:
                check_limits(block.file_of(number), [tokens], self._dialect)
                records.append(tokens)
        null = self._dialect.null
        columns = ([None if row[place] == null else row[place] for row in records] for place in wanted)
        return CutColumns([plain(column, pa.string()) for column in columns], refused)


def is_plain(dialect: Dialect) -> bool:
    """Tell whether Arrow may read a dialect at all."""
    marks = [dialect.separator, dialect.quote, dialect.escape]
    return (
        all(len(mark) <= 1 and mark.isascii() for mark in marks)
        and dialect.separator not in _UNPRINTED
        and dialect.separator not in marks[1:]
        and not {dialect.quote, dialect.escape} & {"\n", "\r"}
        and dialect.escape_of_escape in ("", dialect.escape)
        and not (dialect.empty or dialect.trim_left or dialect.trim_right or dialect.multi_line)
        and dialect.max_characters < 0
    )


def _row_pattern(dialect: Dialect) -> str:
    """Return a pattern of rows whose quotes stand where they must: around whole cells, without escapes of their own."""
    quote, escape, separator = (_class(mark) for mark in (dialect.quote, dialect.escape, dialect.separator))
    # An empty text in quotes is NULL only if nothing else is; without an escape, its second quote may be a stray one.
    times = "*" if dialect.null == "" and dialect.escape in ("\\", dialect.quote) else "+"
    if dialect.quote and dialect.quote == dialect.escape:
        inside = f"(?:[^{quote}\\n]|{quote}{quote}){times}" if dialect.null == "" else f"[^{quote}\\n]+"
        plain = f"(?:[^{quote}{separator}\\n][^{separator}\\n]*)?"
    else:
        inside = f"(?:[^{quote}{escape}\\n]|{escape}{quote}){times}" if escape else f"[^{quote}\\n]{times}"
        plain = f"(?:[^{quote}{escape}{separator}\\n][^{escape}{separator}\\n]*)?"
    cell = f"(?:{quote}{inside}{quote}|{plain})"
    return f"{cell}(?:{separator}{cell})*"


def _class(mark: str) -> str:
    """Return a character as patterns have it, inside and outside of brackets."""
    return f"\\x{ord(mark):02x}" if mark else ""


def _array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _empty_lines(data: bytes) -> list[int]:
    return pc.indices_nonzero(pc.equal(pc.binary_length(lines_of(data)), 0)).to_pylist()


def _merged(refused: list[int], ragged: list[int]) -> list[int]:
    """Return the numbers of both, where those of the ragged count only the lines that were not refused."""
    if not refused:
        return ragged
    found, shift = list(refused), 0
    for number in ragged:
        while shift < len(refused) and refused[shift] <= number + shift:
            shift += 1
        found.append(number + shift)
    return sorted(found)
