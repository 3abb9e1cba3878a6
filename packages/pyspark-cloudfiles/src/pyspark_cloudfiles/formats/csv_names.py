"""What a CSV file is called to account for before its rows are read: the names of its columns, and its limits."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark_cloudfiles.errors import UnreadableFile
from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile
from pyspark_cloudfiles.formats import text_lines
from pyspark_cloudfiles.formats.csv_options import Dialect
from pyspark_cloudfiles.formats.csv_text import Tokenizer, Tokens
from pyspark_cloudfiles.formats.line_arrays import is_blank


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

    The names are in the first line that counts.  If that is not near the beginning of the file, who has the first part
    reads all of it.
    """
    if not file.is_part:
        return file, None
    head = file.part(0, min(SMALLEST_PART, file.size))
    tokenizer = Tokenizer(dialect)
    for lines, _ in text_lines.pieces(head, options):
        for line in lines:
            text = line.decode("utf-8", "replace")
            if counts(text, dialect.comment):
                return file, safe_names(tokenizer.tokens(text), dialect) if file.start else None
    return (None, None) if file.start else (file.whole(), None)


def counts(line: str, comment: str) -> bool:
    """Tell whether a line is a record: it is not blank, and no comment."""
    return not is_blank(line) and not (comment and line.startswith(comment))


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
