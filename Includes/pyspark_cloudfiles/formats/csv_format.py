"""CSV: columns are matched by the names in a file's header, or by position where there is no header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pyspark.sql.types import DataType, StringType, StructField, StructType

from pyspark_cloudfiles.compression import read_text
from pyspark_cloudfiles.errors import UnknownFields, UnreadableFile
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import base, text_lines
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.csv_infer import ColumnTypes
from pyspark_cloudfiles.formats.csv_options import Dialect
from pyspark_cloudfiles.formats.csv_rows import Header, RowBuilder
from pyspark_cloudfiles.formats.csv_text import Tokenizer, Tokens


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
        dialect, types = Dialect.of(request.options), ColumnTypes(request)
        spelling: dict[str, str] = {}
        found: dict[str, DataType | None] = {}
        for file in files:
            for piece in pieces(file, dialect, request.options):
                for position, name in enumerate(piece.names):
                    name = spelling.setdefault(name if request.case_sensitive else name.lower(), name)
                    found.setdefault(name, None)
                    if request.infer_types:
                        cells = (row[position] for row in piece.tokens if position < len(row))
                        found[name] = types.narrowed(found[name], cells)
        return StructType([StructField(name, data_type or StringType()) for name, data_type in found.items()])

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files."""
        dialect = Dialect.of(request.options)
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
    names: list[str] | None = None
    for sources, tokens, size in _records(file, dialect, tokenizer, options):
        _check_limits(file, tokens, dialect)
        if names is None and tokens:
            names = safe_names(tokens[0], dialect)
            if dialect.header:
                sources, tokens = sources[1:], tokens[1:]
        yield Piece(names or [], sources, tokens, size)


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


def _records(
    file: SourceFile, dialect: Dialect, tokenizer: Tokenizer, options: Mapping[str, str]
) -> Iterator[tuple[list[str], list[Tokens], int]]:
    if dialect.multi_line:
        data = text_lines.utf8(read_text(file), options)
        found = list(tokenizer.records(_text(data)))
        yield [source for source, _ in found], [tokens for _, tokens in found], len(data)
        return
    for lines, size in text_lines.pieces(file, options):
        sources = [line for line in _text(b"\n".join(lines)).split("\n") if _counts(line, dialect.comment)]
        yield sources, list(map(tokenizer.tokens, sources)), size


def _check_limits(file: SourceFile, tokens: list[Tokens], dialect: Dialect) -> None:
    if max(map(len, tokens), default=0) > dialect.max_columns:
        raise UnreadableFile(file.url, f"a record has more than {dialect.max_columns} columns. Raise maxColumns.")
    limit = dialect.max_characters
    if limit >= 0 and any(cell is not None and len(cell) > limit for row in tokens for cell in row):
        raise UnreadableFile(file.url, f"a value has more than {limit} characters. Raise maxCharsPerColumn.")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _counts(line: str, comment: str) -> bool:
    return bool(line.strip(_BLANK)) and not (comment and line.startswith(comment))


_BLANK = "".join(map(chr, range(0x21)))

FORMAT = CsvFormat()
