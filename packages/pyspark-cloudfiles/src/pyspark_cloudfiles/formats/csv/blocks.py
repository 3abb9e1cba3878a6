"""Blocks of CSV records that have the same header.

A record is a line, or with ``multiLine`` whatever the tokenizer takes for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pyspark_cloudfiles.errors import UnknownFields
from pyspark_cloudfiles.filesystems.compression import read_text
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.header import Header, check_limits, part_with_names, safe_names
from pyspark_cloudfiles.formats.csv.tokenizer import Tokenizer, Tokens
from pyspark_cloudfiles.formats.records import text_lines
from pyspark_cloudfiles.formats.records.blocks import Block, size_of
from pyspark_cloudfiles.formats.records.coalescing import coalesced
from pyspark_cloudfiles.formats.records.line_arrays import (
    is_blank,
    is_utf8,
    without_blank_lines,
    without_blank_start,
    without_first_lines,
    without_lines_that_begin_with,
)


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
        """Return the values of a record; None of a blank line, which is none."""
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
