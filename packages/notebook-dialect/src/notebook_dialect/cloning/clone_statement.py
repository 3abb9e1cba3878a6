"""``CREATE TABLE t DEEP CLONE s``, read as the ``SHALLOW CLONE`` that Delta's own parser knows.

The names in it may be those of :mod:`.sql.catalog_names` and :mod:`.sql.time_travel`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from notebook_dialect.sql import catalog_names, time_travel
from streaming_base.rewritten_sql import Edit, Rewritten
from streaming_base.sql_statements import tokens_of, word

if TYPE_CHECKING:
    from sqlglot.tokens import Token

_HEADS = (["CREATE", "TABLE"], ["CREATE", "OR", "REPLACE", "TABLE"], ["REPLACE", "TABLE"])
_BEHIND_THE_SOURCE = {"TBLPROPERTIES", "LOCATION"}


class CloneStatement:
    """A ``DEEP CLONE`` statement, and in ``shallow`` the ``SHALLOW CLONE`` with the same source and target."""

    def __init__(self, text: str) -> None:
        tokens = tokens_of(text)
        clone = _clone([word(token) for token in tokens])
        before, keyword = tokens[clone - 1 : clone + 1]
        deep = Edit(before.start, before.end + 1, "SHALLOW") if word(before) == "DEEP" else None
        deep = deep or Edit(keyword.start, keyword.start, "SHALLOW ")
        self.shallow = Rewritten.of(text, [deep, *catalog_names.edits(tokens), *time_travel.edits(tokens)])

    @cached_property
    def target(self) -> str:
        """The copy's name."""
        words = self._words
        first = words.index("TABLE") + (4 if "EXISTS" in words[: self._clone] else 1)
        return self.shallow.text[self._tokens[first].start : self._tokens[self._clone - 2].end + 1]

    @cached_property
    def source_query(self) -> str:
        """A query of the source, in which it stands at the place where the statement has it, for Spark's errors."""
        text, clone = self.shallow.text, self._clone
        behind = [number for number in range(clone, len(self._words)) if self._words[number] in _BEHIND_THE_SOURCE]
        end = self._tokens[behind[0] if behind else -1]
        table = next(number for number, found in enumerate(self._words) if found == "TABLE")
        blank = "".join(mark if mark == "\n" else " " for mark in text)
        query = (
            blank[: self._tokens[clone].end + 1]
            + text[self._tokens[clone].end + 1 : end.start if behind else end.end + 1]
        )
        for number, instead in ((0, "SELECT"), (table, "*"), (clone, "FROM")):
            begin = self._tokens[number].start
            query = query[:begin] + instead + query[begin + len(instead) :]
        return query

    @cached_property
    def _tokens(self) -> list[Token]:
        return tokens_of(self.shallow.text)

    @cached_property
    def _words(self) -> list[str]:
        return [word(token) for token in self._tokens]

    @cached_property
    def _clone(self) -> int:
        return _clone(self._words)


def is_refused(message: str, tokens: list[Token]) -> bool:
    """Whether Spark's syntax error is at ``DEEP CLONE`` or ``CLONE``, which mean the same."""
    what = message.partition("\n\n== SQL")[0]
    words = [word(token) for token in tokens]
    clone = _clone(words) if "PARSE_SYNTAX_ERROR" in what else None
    return clone is not None and words[clone - 1] != "SHALLOW"


def _clone(words: list[str]) -> int | None:
    """Return which word is the CLONE of a statement that clones a table; before it is nothing but the copy's name."""
    if not any(words[: len(head)] == head for head in _HEADS):
        return None
    name = words.index("TABLE") + 1
    behind = [number for number in range(name + 1, len(words) - 1) if words[number] == "CLONE"]
    return behind[0] if behind and not {"AS", "(", "USING"} & set(words[name : behind[0]]) else None
