"""A statement with parts of its text replaced, which maps each position back to the original text.

The forms of Databricks' SQL that open-source Spark refuses are each a module that finds edits; here they are applied.

``USE CATALOG`` is a statement that open-source Spark does not have; it makes the schema ``default`` the current one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from notebook_dialect.sql.statements import word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokens import Token

THEIRS = "hive_metastore"
_OURS = "spark_catalog"


def edits(tokens: list[Token]) -> Iterator[Edit]:
    """Find what stands for the session's own catalog, and the statements that make a catalog the current one."""
    words = [word(token) for token in tokens[:3]]
    if words[:2] in (["USE", "CATALOG"], ["SET", "CATALOG"]) and len(tokens) == 3:
        yield from _use_catalog(tokens)
        return
    named = [token for number, token in enumerate(tokens) if _is_catalog(tokens, number)]
    if named and words[0] == "USE" and words[1] in ("SCHEMA", "DATABASE", "NAMESPACE"):
        yield Edit(tokens[1].start, tokens[1].end + 1, "")  # with it, Spark takes the name to be within a catalog
    yield from (Edit(token.start, token.end + 1, _OURS) for token in named)


def is_refused(message: str, tokens: list[Token]) -> bool:
    """Whether what Spark says is about the catalog's name, or about ``USE CATALOG``."""
    what = message.partition("\n\n== SQL")[0]
    return THEIRS in what.lower() or [word(token) for token in tokens[:2]] == ["USE", "CATALOG"]


def own_name(name: str) -> str:
    """Return a table's name with the session's own catalog in place of ``hive_metastore``."""
    first, dot, rest = name.partition(".")
    return f"{_OURS}.{rest}" if dot and first.strip("`").lower() == THEIRS else name


def _use_catalog(tokens: list[Token]) -> Iterator[Edit]:
    if tokens[2].text.lower() in (THEIRS, _OURS):
        yield Edit(tokens[0].start, tokens[2].end + 1, f"USE {_OURS}.default")
    else:
        yield Edit(tokens[0].start, tokens[0].end + 1, "SET")


def _is_catalog(tokens: list[Token], number: int) -> bool:
    before = word(tokens[number - 1]) if number else ""
    after = word(tokens[number + 1]) if number + 1 < len(tokens) else ""
    if tokens[number].text.lower() != THEIRS or not _is_name(tokens[number]) or before == ".":
        return False
    listed = word(tokens[0]) == "SHOW" and before in ("IN", "FROM")  # SHOW SCHEMAS IN hive_metastore
    return after == "." or listed


def _is_name(token: Token) -> bool:
    from sqlglot.tokens import TokenType

    return token.token_type in (TokenType.VAR, TokenType.IDENTIFIER)


_PLACE = re.compile(r"\bline (\d+)(,?) pos (\d+)")
_SQL = re.compile(r"\n\n== SQL.*", re.DOTALL)


@dataclass(frozen=True, order=True)
class Edit:
    """What takes the place of the characters from ``start`` to before ``end``; no line may begin or end in it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Rewritten:
    """A statement and the edits to it, which do not overlap."""

    original: str
    edits: tuple[Edit, ...] = ()

    @classmethod
    def of(cls, original: str, edits: Iterable[Edit]) -> Rewritten:
        """Put the edits in order."""
        return cls(original, tuple(sorted(edits)))

    @cached_property
    def text(self) -> str:
        """What Spark is given."""
        pieces, done = [], 0
        for edit in self.edits:
            pieces += [self.original[done : edit.start], edit.text]
            done = edit.end
        return "".join([*pieces, self.original[done:]])

    def origin(self, position: int) -> int:
        """Return where a character of the text was, or the beginning of what its edit replaced."""
        moved = 0
        for edit in self.edits:
            begin = edit.start + moved
            if position < begin:
                break
            if position < begin + len(edit.text):
                return edit.start
            moved += len(edit.text) - (edit.end - edit.start)
        return position - moved

    def message(self, message: str) -> str:
        """Return Spark's message about the text with places, and the statement that it repeats, as the reader knows."""
        places = list(_PLACE.finditer(message))
        message = _PLACE.sub(lambda found: self._place(int(found[1]), int(found[3]), found[2]), message)
        if not _SQL.search(message):
            return message
        lines = self.original.splitlines()
        if places:
            line, column = _line_and_column(self.original, self._origin_of(int(places[0][1]), int(places[0][3])))
            lines.insert(line, f"{'-' * column}^^^")
        shown = "\n".join(lines)
        return _SQL.sub(lambda _: f"\n\n== SQL ==\n{shown}\n", message)

    def _place(self, line: int, column: int, comma: str) -> str:
        line, column = _line_and_column(self.original, self._origin_of(line, column))
        return f"line {line}{comma} pos {column}"

    def _origin_of(self, line: int, column: int) -> int:
        return self.origin(offset(self.text, line, column))


def explain(error: BaseException, statement: Rewritten) -> None:
    """Let an error of Spark speak of the text that the reader wrote."""
    for part in ("_desc", "_message"):  # in a classic session, in one of Spark Connect
        if statement.edits and isinstance(said := getattr(error, part, None), str):
            setattr(error, part, statement.message(said))


def offset(text: str, line: int, column: int) -> int:
    """Return the position of a line (from 1) and a column (from 0), as Spark counts them."""
    begins = [0, *accumulate(len(part) for part in text.splitlines(keepends=True))]
    return min(begins[min(line, len(begins)) - 1] + column, len(text))


def place_of(message: str) -> tuple[int, int] | None:
    """Return the line and the column that a message of Spark names first."""
    found = _PLACE.search(message)
    return (int(found[1]), int(found[3])) if found else None


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1)
