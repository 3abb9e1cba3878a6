"""Blocks of CSV records that have the same header.

A record is a line, or with ``multiLine`` whatever the tokenizer takes for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pyspark_cloudfiles.errors import UnknownFields, UnreadableFile
from pyspark_cloudfiles.filesystems.compression import read_text
from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.tokenizer import Tokenizer, Tokens
from pyspark_cloudfiles.formats.records import text_lines
from pyspark_cloudfiles.formats.records.batches import Names
from pyspark_cloudfiles.formats.records.blocks import Block, coalesced, size_of
from pyspark_cloudfiles.formats.records.line_arrays import (
    is_blank,
    is_utf8,
    without_blank_lines,
    without_blank_start,
    without_first_lines,
    without_lines_that_begin_with,
)


class Header(NamedTuple):
    """Where the columns of a file go.

    Parameters
    ----------
    names : list of str
        The file's columns.
    places : list of int or None
        For each of them the column of the schema, or None.
    unknown : list of str
        Those that the schema does not have in any case.
    """

    names: list[str]
    places: list[int | None]
    unknown: list[str]

    @classmethod
    def of(cls, names: list[str], request: ReadRequest, named: bool) -> Header:
        """Return where columns go: by name, or by position where the file does not name them."""
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
        """Return the columns that have no place and are to be kept."""
        others = (position for position, place in enumerate(self.places) if place is None)
        kept = request.on_unknown != "ignore"
        return [position for position in others if kept or self.names[position] not in self.unknown]


def safe_names(first: Tokens, dialect: Dialect) -> list[str]:
    """Return names for columns as Spark makes them of a first row: missing and double ones get their position."""
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
    """Return what to read of a part of a file, and the names of its columns if they stand before it.

    The names are in the first line that is a record.  If that is not near the beginning of the file, the task with the
    first part reads the whole file.
    """
    if not file.is_part:
        return file, None
    head = file.part(0, min(SMALLEST_PART, file.size))
    tokenizer = Tokenizer(dialect)
    for lines, _ in text_lines.pieces(head, options):
        for line in lines:
            text = line.decode("utf-8", "replace")
            if not is_blank(text) and not (dialect.comment and text.startswith(dialect.comment)):
                return file, safe_names(tokenizer.tokens(text), dialect) if file.start else None
    return (None, None) if file.start else (file.whole(), None)


def check_limits(file: SourceFile, tokens: list[Tokens], dialect: Dialect) -> None:
    """Refuse a file with more columns, or longer values, than the options allow.

    Raises
    ------
    UnreadableFile
    """
    if max(map(len, tokens), default=0) > dialect.max_columns:
        raise UnreadableFile(file.url, f"a record has more than {dialect.max_columns} columns. Raise maxColumns.")
    limit = dialect.max_characters
    if limit >= 0 and any(cell is not None and len(cell) > limit for row in tokens for cell in row):
        raise UnreadableFile(file.url, f"a value has more than {limit} characters. Raise maxCharsPerColumn.")


class CsvBlock(Block):
    """Records of one or more files whose columns are the same.

    Parameters
    ----------
    files, content
        As of any block.
    header : Header
        Their columns.
    tokens : list of list or None
        The values of the records, where they are known already.
    """

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
        """Return the values of a record, or None for a blank line."""
        if self._tokens is not None:
            return self._tokens[number]
        line = self.text(number)
        return None if is_blank(line) else tokenizer.tokens(line)


class CsvPart(NamedTuple):
    """Some records of a file.

    Parameters
    ----------
    names : list of str
        Of the file's columns.
    content : bytes or list of bytes
        The records: lines ended by LF, or a list.  A blank line among them is none.
    tokens : list of list or None
        Their values, where they are known already.
    """

    file: SourceFile
    names: list[str]
    content: bytes | list[bytes]
    tokens: list[Tokens] | None = None

    @property
    def length(self) -> int:
        """How many records there are, with blank lines."""
        return self.content.count(b"\n") if isinstance(self.content, bytes) else len(self.content)

    def block(self, header: Header) -> CsvBlock:
        """Return it as a block of its own."""
        return CsvBlock([(self.file, self.length)], self.content, header, self.tokens)


def blocks(files: Sequence[SourceFile], dialect: Dialect, request: ReadRequest) -> Iterator[CsvBlock]:
    """Yield the records of files; small files with the same columns share a block.

    Raises
    ------
    UnknownFields
        A file has columns that the schema does not have, and the request wants it to be an error.
    """
    found = (part for file in files for part in parts(file, dialect, request.options))
    for names, some in groupby(found, lambda part: part.names):
        header = Header.of(names, request, dialect.header)
        for few in coalesced(some, lambda part: size_of(part.content)):
            if header.unknown and request.on_unknown == "error":
                raise UnknownFields(few[0].file.url, None, header.unknown)
            yield few[0].block(header) if len(few) == 1 else _joined(few, header)


def _joined(few: list[CsvPart], header: Header) -> CsvBlock:
    files = [(part.file, part.length) for part in few]
    if few[0].tokens is None:
        return CsvBlock(files, b"".join(part.content for part in few), header)  # type: ignore[misc]
    records: list[bytes] = [record for part in few for record in part.content]  # type: ignore[misc]
    return CsvBlock(files, records, header, [tokens for part in few for tokens in part.tokens or ()])


def parts(file: SourceFile, dialect: Dialect, options: Mapping[str, str]) -> Iterator[CsvPart]:
    """Yield the records of a file without its header and comments, in parts of a limited size."""
    tokenizer = Tokenizer(dialect)
    read = _spanning_lines if dialect.multi_line else _lines
    return read(file, dialect, tokenizer, options)


def _spanning_lines(
    file: SourceFile, dialect: Dialect, tokenizer: Tokenizer, options: Mapping[str, str]
) -> Iterator[CsvPart]:
    text = text_lines.utf8(read_text(file), options).decode("utf-8", "replace")
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
    separator, skipped = text_lines.line_separator(options), dialect.skip_rows
    for piece in text_lines.texts(part, options):
        data = text_lines.plain(piece, separator)
        data = data if is_utf8(data) else data.decode("utf-8", "replace").encode()
        if skipped:
            data, skipped = without_first_lines(data, skipped)
        if dialect.comment:
            data = without_lines_that_begin_with(dialect.comment, data)
        if names is None:
            data = without_blank_start(data)
        if names is None and data:
            first, _, rest = data.partition(b"\n")
            tokens = tokenizer.tokens(first.decode())
            check_limits(file, [tokens], dialect)
            names = safe_names(tokens, dialect)
            data = rest if dialect.header else data
        # Other blank lines do not have the right number of values, and are found by that.
        if dialect.separator <= " " or len(names or ()) < 2:
            data = without_blank_lines(data)
        yield CsvPart(part, names or [], data)
