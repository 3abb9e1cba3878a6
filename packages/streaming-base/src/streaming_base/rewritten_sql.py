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

if TYPE_CHECKING:
    pass

_PLACE = re.compile(r"\bline (\d+)(,?) pos (\d+)")
_SQL = re.compile(r"\n\n== SQL.*", re.DOTALL)


@dataclass(frozen=True, order=True)
class Edit:
    """A replacement of the characters from ``start`` to ``end``, exclusive; neither text may contain a line break."""

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
        """The rewritten statement."""
        pieces, done = [], 0
        for edit in self.edits:
            pieces += [self.original[done : edit.start], edit.text]
            done = edit.end
        return "".join([*pieces, self.original[done:]])

    def origin(self, position: int) -> int:
        """Return a character's position in the original, or the start of the replaced part."""
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


def restore_positions(error: BaseException, statement: Rewritten) -> None:
    """Change an error of Spark to quote the original statement and its positions."""
    for part in ("_desc", "_message"):  # in a classic session, in one of Spark Connect
        if statement.edits and isinstance(said := getattr(error, part, None), str):
            setattr(error, part, statement.message(said))


def offset(text: str, line: int, column: int) -> int:
    """Return the position of a line (from 1) and a column (from 0), as Spark counts them."""
    begins = [0, *accumulate(len(part) for part in text.splitlines(keepends=True))]
    return min(begins[min(line, len(begins)) - 1] + column, len(text))


def position_in_message(message: str) -> tuple[int, int] | None:
    """Return the line and the column that a message of Spark names first."""
    found = _PLACE.search(message)
    return (int(found[1]), int(found[3])) if found else None


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1)
