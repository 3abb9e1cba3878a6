"""What a CSV file is called to account for before its rows are read: the names of its columns, and its limits."""

from __future__ import annotations

from pyspark_cloudfiles.errors import UnreadableFile
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats.csv_options import Dialect
from pyspark_cloudfiles.formats.csv_text import Tokens


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
