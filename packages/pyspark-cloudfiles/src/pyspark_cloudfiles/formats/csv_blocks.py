"""Blocks of CSV records that have the same header, cut into text columns.

A record is a line, or with ``multiLine`` one of the tokenizer's.  Arrow's reader cuts lines if it agrees with Spark,
which the bytes of a line show; otherwise our tokenizer does.  Other lines are refused, each by its number, and so are
lines that have more or fewer values than the header has names.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from pyspark_cloudfiles.columns import binaries, plain, whole
from pyspark_cloudfiles.errors import UnknownFields, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile, read_text
from pyspark_cloudfiles.formats.base import Names, ReadRequest, coalesce
from pyspark_cloudfiles.formats.csv_dialect import Dialect, Tokenizer, Tokens
from pyspark_cloudfiles.formats.engine import mask
from pyspark_cloudfiles.formats.lines import (
    Block,
    is_blank,
    is_utf8,
    line_pieces,
    line_separator,
    remove_blank_lines,
    remove_blank_start,
    remove_comments,
    remove_first_lines,
    size_of,
    text_pieces,
    to_lf_ends,
    to_utf8,
)


class Header(NamedTuple):
    """The columns of a file, the schema's column of each, if any, and those that the schema does not have."""

    names: list[str]
    places: list[int | None]
    unknown: list[str]

    @classmethod
    def from_names(cls, names: list[str], request: ReadRequest, named: bool) -> Header:
        """Match columns by name, or by position if the file does not name them."""
        wanted = [name for name in request.schema.names if name != request.corrupt_column]
        if not named:
            return cls(names, [place if place < len(wanted) else None for place in range(len(names))], [])
        known = Names(wanted, request.case_sensitive)
        return cls(names, list(map(known.index_of, names)), list(filter(known.is_unknown, names)))

    @property
    def is_one_to_one(self) -> bool:
        """Whether there are columns, and each is the only one of its name and of its place."""
        placed = [place for place in self.places if place is not None]
        return bool(self.names) and len(set(self.names)) == len(self.names) and len(set(placed)) == len(placed)

    def extras(self, request: ReadRequest) -> list[int]:
        """Return the columns that have no place and must be kept."""
        others = (position for position, place in enumerate(self.places) if place is None)
        kept = request.on_unknown != "ignore"
        return [position for position in others if kept or self.names[position] not in self.unknown]


def safe_names(first: Tokens, dialect: Dialect) -> list[str]:
    """Return Spark's names for the columns of a first row: missing and double ones get their position."""
    if not dialect.header:
        return [f"_c{position}" for position in range(len(first))]
    folded = [name.lower() for name in first if name is not None]
    double = {name for name in folded if folded.count(name) > 1} if len(set(folded)) < len(folded) else set()
    names = []
    for position, name in enumerate(first):
        if not name or name == dialect.null:
            names.append(f"_c{position}")
        else:
            names.append(f"{name}{position}" if name.lower() in double else name)
    return names


def part_with_names(
    file: SourceFile, dialect: Dialect, options: Mapping[str, str]
) -> tuple[SourceFile | None, list[str] | None]:
    """Return the part of a file to read, and the names of its columns if they are before it.

    The names are in the first line that is a record.  If that is not near the beginning of the file, the task with the
    first part reads the whole file.
    """
    if not file.is_part:
        return file, None
    head = file.part(0, min(SMALLEST_PART, file.size))
    tokenizer = Tokenizer(dialect)
    for lines in line_pieces(head, options):
        for line in lines:
            text = line.decode("utf-8", "replace")
            if not is_blank(text) and not (dialect.comment and text.startswith(dialect.comment)):
                return file, safe_names(tokenizer.tokens(text), dialect) if file.start else None
    return (None, None) if file.start else (file.whole(), None)


def check_limits(file: SourceFile, tokens: list[Tokens], dialect: Dialect) -> None:
    if max(map(len, tokens), default=0) > dialect.max_columns:
        raise UnreadableFile(file.url, f"a record has more than {dialect.max_columns} columns. Raise maxColumns.")
    limit = dialect.max_characters
    if limit >= 0 and any(cell is not None and len(cell) > limit for row in tokens for cell in row):
        raise UnreadableFile(file.url, f"a value has more than {limit} characters. Raise maxCharsPerColumn.")


class CsvBlock(Block):
    """Records of one or more files whose columns are the same, with their tokens if known."""

    def __init__(
        self,
        files: list[tuple[SourceFile, int]],
        content: bytes | list[bytes],
        header: Header,
        tokens: list[Tokens] | None = None,
    ) -> None:
        super().__init__(files, content)
        self.header, self._tokens = header, tokens

    def tokens(self, number: int, tokenizer: Tokenizer) -> Tokens | None:
        if self._tokens is not None:
            return self._tokens[number]
        line = self.text(number)
        return None if is_blank(line) else tokenizer.tokens(line)


class CsvPart(NamedTuple):
    """Some records of a file and blank lines: lines ended by LF, or a list, with their tokens if known."""

    file: SourceFile
    names: list[str]
    content: bytes | list[bytes]
    tokens: list[Tokens] | None = None

    @property
    def length(self) -> int:
        return self.content.count(b"\n") if isinstance(self.content, bytes) else len(self.content)

    def block(self, header: Header) -> CsvBlock:
        return CsvBlock([(self.file, self.length)], self.content, header, self.tokens)


def blocks(files: Sequence[SourceFile], dialect: Dialect, request: ReadRequest) -> Iterator[CsvBlock]:
    """Yield the records of files; small files with the same columns share a block."""
    found = (part for file in files for part in parts(file, dialect, request.options))
    for names, some in groupby(found, lambda part: part.names):
        header = Header.from_names(names, request, dialect.header)
        for few in coalesce(some, lambda part: size_of(part.content)):
            if header.unknown and request.on_unknown == "error":
                raise UnknownFields(few[0].file.url, None, header.unknown)
            if len(few) == 1:
                yield few[0].block(header)
                continue
            lines = [(part.file, part.length) for part in few]
            if few[0].tokens is None:
                yield CsvBlock(lines, b"".join(part.content for part in few), header)  # type: ignore[misc]
            else:
                records: list[bytes] = [record for part in few for record in part.content]  # type: ignore[misc]
                yield CsvBlock(lines, records, header, [tokens for part in few for tokens in part.tokens or ()])


def parts(file: SourceFile, dialect: Dialect, options: Mapping[str, str]) -> Iterator[CsvPart]:
    """Yield the records of a file without its header and comments, in parts of a limited size."""
    tokenizer = Tokenizer(dialect)
    read = _spanning_lines if dialect.multi_line else _lines
    return read(file, dialect, tokenizer, options)


def _spanning_lines(
    file: SourceFile, dialect: Dialect, tokenizer: Tokenizer, options: Mapping[str, str]
) -> Iterator[CsvPart]:
    text = to_utf8(read_text(file), options).decode("utf-8", "replace")
    if dialect.skip_rows:
        text = re.sub(rf"\A(?:[^\r\n]*(?:\r\n?|\n|\Z)){{0,{dialect.skip_rows}}}", "", text, count=1)
    found = list(tokenizer.records(text))
    check_limits(file, [tokens for _, tokens in found], dialect)
    names = safe_names(found[0][1], dialect) if found else []
    found = found[1:] if dialect.header else found
    yield CsvPart(file, names, [source.encode() for source, _ in found], [tokens for _, tokens in found])


def _lines(file: SourceFile, dialect: Dialect, tokenizer: Tokenizer, options: Mapping[str, str]) -> Iterator[CsvPart]:
    part, names = part_with_names(file, dialect, options)
    if part is None:
        return
    separator, skipped = line_separator(options), dialect.skip_rows
    for piece in text_pieces(part, options):
        data = to_lf_ends(piece, separator)
        data = data if is_utf8(data) else data.decode("utf-8", "replace").encode()
        if skipped:
            data, skipped = remove_first_lines(data, skipped)
        if dialect.comment:
            data = remove_comments(dialect.comment, data)
        if names is None:
            data = remove_blank_start(data)
        if names is None and data:
            first, _, rest = data.partition(b"\n")
            tokens = tokenizer.tokens(first.decode())
            check_limits(file, [tokens], dialect)
            names = safe_names(tokens, dialect)
            data = rest if dialect.header else data
        # Other blank lines do not have the right number of values.
        if dialect.separator <= " " or len(names or ()) < 2:
            data = remove_blank_lines(data)
        yield CsvPart(part, names or [], data)


_UNPRINTED = {"\n", "\r", "\0", ""}


class CutColumns(NamedTuple):
    """The wanted columns of a block, as texts, and the ascending numbers of the refused lines."""

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
        """Cut wanted columns out of a block of lines in UTF-8; of a single column, none of them blank."""
        data, width = block.data or b"", len(block.header.names)
        refused = self._odd_lines(data)
        some = remove_lines(data, refused)
        columns, ragged = self._read(some, width, wanted or [0])
        if len(columns[0]) + len(ragged) < some.count(b"\n"):
            # Arrow has skipped empty lines, which the numbers must count.
            empty = pc.indices_nonzero(pc.equal(pc.binary_length(line_array(data)), 0)).to_pylist()
            refused = sorted({*refused, *empty})
            columns, ragged = self._read(remove_lines(data, refused), width, wanted or [0])
        return CutColumns(columns[: len(wanted)], _merged_numbers(refused, ragged))

    def _odd_lines(self, data: bytes) -> list[int]:
        """Return the lines that Arrow may read in another way, because of their quotes or their beginning."""
        quote, odd = self._dialect.quote, set()
        if quote and quote.encode() in data and not matches(data, self._block):
            sound = pc.match_substring_regex(line_array(data), rf"\A{self._row}\z")
            odd |= set(pc.indices_nonzero(pc.invert(sound)).to_pylist())
        if b"\n" + codecs.BOM_UTF8 in data or data.startswith(codecs.BOM_UTF8):
            # At the beginning of its input, Arrow skips it.
            odd |= set(pc.indices_nonzero(pc.starts_with(line_array(data), codecs.BOM_UTF8.decode())).to_pylist())
        if b"\r" in data:
            # With another line separator this is text; for Arrow it ends a line.
            odd |= set(pc.indices_nonzero(pc.match_substring(line_array(data), "\r")).to_pylist())
        return sorted(odd)

    def _read(self, data: bytes, width: int, wanted: list[int]) -> tuple[list[pa.Array], list[int]]:
        if not data:
            return [pa.array([], pa.string()) for _ in wanted], []
        ragged: list[int] = []

        def skip(row: csv.InvalidRow) -> str:
            ragged.append(row.number - 1)
            return "skip"

        dialect = self._dialect
        escapes = bool(dialect.quote) and f"{dialect.escape}{dialect.quote}".encode() in data
        doubles = dialect.escape == dialect.quote
        names = [str(position) for position in range(width)]
        kept = [names[position] for position in wanted]
        table = csv.read_csv(
            pa.BufferReader(data),
            # Arrow numbers rows only with one thread; Spark has one per core already.
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            csv.ParseOptions(
                delimiter=dialect.separator,
                quote_char=dialect.quote or False,
                double_quote=doubles,
                escape_char=dialect.escape if escapes and dialect.escape and not doubles else False,
                ignore_empty_lines=True,
                invalid_row_handler=skip,
            ),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(kept, pa.string()),
                include_columns=kept,
                null_values=self._nulls,
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        return [
            column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in table.columns
        ], ragged


class TokenCutter:
    """Cuts records of any dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect, self._tokenizer = dialect, Tokenizer(dialect)

    def cells(self, block: CsvBlock, wanted: list[int]) -> CutColumns:
        """Cut wanted columns out of a block; raise UnreadableFile if a record exceeds the options' limits."""
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
    """Whether Arrow may read a dialect at all."""
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
    """Return a pattern of rows whose quotes are around whole cells only, without escapes of their own."""
    marks = (dialect.quote, dialect.escape, dialect.separator)
    quote, escape, separator = (f"\\x{ord(mark):02x}" if mark else "" for mark in marks)
    # An empty text in quotes is NULL only if no other text is; without an escape, its second quote may be a stray one.
    times = "*" if dialect.null == "" and dialect.escape in ("\\", dialect.quote) else "+"
    if dialect.quote and dialect.quote == dialect.escape:
        inside = f"(?:[^{quote}\\n]|{quote}{quote}){times}" if dialect.null == "" else f"[^{quote}\\n]+"
        plain = f"(?:[^{quote}{separator}\\n][^{separator}\\n]*)?"
    else:
        inside = f"(?:[^{quote}{escape}\\n]|{escape}{quote}){times}" if escape else f"[^{quote}\\n]{times}"
        plain = f"(?:[^{quote}{escape}{separator}\\n][^{escape}{separator}\\n]*)?"
    cell = f"(?:{quote}{inside}{quote}|{plain})"
    return f"{cell}(?:{separator}{cell})*"


def _merged_numbers(refused: list[int], ragged: list[int]) -> list[int]:
    """Return all numbers; those of the ragged lines count only the lines that were not refused."""
    if not refused:
        return ragged
    found, shift = list(refused), 0
    for number in ragged:
        while shift < len(refused) and refused[shift] <= number + shift:
            shift += 1
        found.append(number + shift)
    return sorted(found)


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
