"""CSV: columns are matched by the names in a file's header, or by position where there is no header.

What Arrow can read goes through :mod:`csv_lanes`; dialects that it does not know, and texts in which records span
lines, are cut by :mod:`csv_text` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pyspark.sql.types import DataType, StringType, StructField, StructType

from pyspark_cloudfiles.errors import UnknownFields
from pyspark_cloudfiles.filesystems.compression import read_text
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base, text_lines
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.csv_arrow import Cutter, is_plain
from pyspark_cloudfiles.formats.csv_lanes import Group, LaneReader, texts
from pyspark_cloudfiles.formats.csv_names import check_limits, counts, part_with_names, safe_names
from pyspark_cloudfiles.formats.csv_options import Dialect
from pyspark_cloudfiles.formats.csv_rows import Header, RowBuilder
from pyspark_cloudfiles.formats.csv_text import Tokenizer, Tokens
from pyspark_cloudfiles.formats.batches import together
from pyspark_cloudfiles.formats.line_arrays import is_blank


class Piece(NamedTuple):
    """Some records of a file: their sources, their tokens, and the names of its columns."""

    names: list[str]
    sources: list[str]
    tokens: list[Tokens]
    size: int


class CsvFormat:
    """The format ``csv``."""

    name = "csv"

    def fixed_schema(self) -> StructType | None:
        """Return None: the schema is in the data."""
        return None

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
        """Return the schema of the files: the columns in the order in which they came up first."""
        dialect, found = Dialect.of(request.options), _Found(request)
        by_arrow = is_plain(dialect) and base.FAST_PATH
        for file in files:
            if by_arrow:
                found.add_texts(file, dialect)
            else:
                for piece in pieces(file, dialect, request.options):
                    found.add(piece.names, piece.tokens)
        return found.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files."""
        dialect = Dialect.of(request.options)
        if is_plain(dialect) and base.FAST_PATH:
            reader = LaneReader(request, dialect)
            return together(reader.rows(group) for group in _groups(files, dialect, request))
        return _row_by_row(files, dialect, request)


class _Found:
    """The columns that were found, with their types."""

    def __init__(self, request: InferRequest) -> None:
        from pyspark_cloudfiles.formats.csv_infer import ColumnTypes  # tasks that read do not infer

        self._request, self._types = request, ColumnTypes(request)
        self._spelling: dict[str, str] = {}
        self._found: dict[str, DataType | None] = {}

    def add(self, names: list[str], tokens: list[Tokens]) -> None:
        """Add records."""
        for position, name in enumerate(map(self._known, names)):
            if self._request.infer_types:
                cells = (row[position] for row in tokens if position < len(row))
                self._found[name] = self._types.narrowed(self._found[name], cells)

    def add_texts(self, file: SourceFile, dialect: Dialect) -> None:
        """Add a file that Arrow can read; where only names are wanted, its beginning is enough."""
        cutter, tokenizer = Cutter(dialect), Tokenizer(dialect)
        for text in texts(file, dialect, tokenizer, self._request.options):
            names = list(map(self._known, text.names))
            if not self._request.infer_types:
                if names:
                    return
                continue
            cells = cutter.cells(text.data, len(names), list(range(len(names)))) if names else None
            if cells is None or cells.refused:
                sources = [line for line in text.data.decode().split("\n") if not is_blank(line)]
                self.add(text.names, list(map(tokenizer.tokens, sources)))
                continue
            for name, column in zip(names, cells.columns, strict=True):
                self._found[name] = self._types.narrowed_by_column(self._found[name], column)

    def schema(self) -> StructType:
        """Return them."""
        return StructType([StructField(name, data_type or StringType()) for name, data_type in self._found.items()])

    def _known(self, name: str) -> str:
        """Note a name, and return how it was spelled first."""
        name = self._spelling.setdefault(name if self._request.case_sensitive else name.lower(), name)
        self._found.setdefault(name, None)
        return name


def _groups(files: Sequence[SourceFile], dialect: Dialect, request: ReadRequest) -> Iterator[Group]:
    """Give the lines of files, those of small files with the same columns together."""
    tokenizer, group = Tokenizer(dialect), None
    for file in files:
        for text in texts(file, dialect, tokenizer, request.options):
            header = Header.of(text.names, request, dialect.header)
            if header.unknown and request.on_unknown == "error":
                raise UnknownFields(file.url, None, header.unknown)
            if group is not None and (
                header.names != group.header.names or group.size + len(text.data) > base.BATCH_BYTES
            ):
                yield group
                group = None
            group = group or Group(header)
            group.add(file, text)
    if group is not None:
        yield group


def _row_by_row(files: Sequence[SourceFile], dialect: Dialect, request: ReadRequest) -> Iterator[Rows]:
    builder, size = RowBuilder(request, dialect), 0
    for file in files:
        for piece in pieces(file, dialect, request.options):
            header = Header.of(piece.names, request, dialect.header)
            if header.unknown and request.on_unknown == "error":
                raise UnknownFields(file.url, None, header.unknown)
            if builder.files and size + piece.size > base.BATCH_BYTES:
                yield builder.rows()
                builder, size = RowBuilder(request, dialect), 0
            builder.add(file, header, piece.sources, piece.tokens)
            size += piece.size
    if builder.files:
        yield builder.rows()


def pieces(file: SourceFile, dialect: Dialect, options: Mapping[str, str]) -> Iterator[Piece]:
    """Give the records of a file, in pieces of a limited size."""
    tokenizer = Tokenizer(dialect)
    part, names = part_with_names(file, dialect, options)
    if part is None:
        return
    for sources, tokens, size in _records(part, dialect, tokenizer, options):
        check_limits(file, tokens, dialect)
        if names is None and tokens:
            names = safe_names(tokens[0], dialect)
            if dialect.header:
                sources, tokens = sources[1:], tokens[1:]
        yield Piece(names or [], sources, tokens, size)


def _records(
    file: SourceFile, dialect: Dialect, tokenizer: Tokenizer, options: Mapping[str, str]
) -> Iterator[tuple[list[str], list[Tokens], int]]:
    if dialect.multi_line:
        data = text_lines.utf8(read_text(file), options)
        found = list(tokenizer.records(_text(data)))
        yield [source for source, _ in found], [tokens for _, tokens in found], len(data)
        return
    for lines, size in text_lines.pieces(file, options):
        sources = [line for line in _text(b"\n".join(lines)).split("\n") if counts(line, dialect.comment)]
        yield sources, list(map(tokenizer.tokens, sources)), size


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


FORMAT = CsvFormat()
