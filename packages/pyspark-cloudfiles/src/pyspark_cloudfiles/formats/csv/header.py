"""The header of a CSV file: its column names, the schema's column for each, and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pyspark_cloudfiles.errors import UnreadableFile
from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.tokenizer import Tokenizer, Tokens
from pyspark_cloudfiles.formats.records import text_lines
from pyspark_cloudfiles.formats.records.line_arrays import is_blank
from pyspark_cloudfiles.formats.records.names import Names


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
