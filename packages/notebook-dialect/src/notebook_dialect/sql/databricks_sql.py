"""A statement that Spark has refused, rewritten for those forms of Databricks' SQL that it uses.

Nothing here runs a statement.  Spark's message about one goes in, and what to try next comes out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from notebook_dialect.sql import catalog_names, json_columns, time_travel
from streaming_base.errors import NoJson
from streaming_base.rewritten_sql import Rewritten, offset, position_in_message
from streaming_base.sql_statements import tokens_of, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokens import Token

    from streaming_base.rewritten_sql import Edit

_LONG = 1_000_000  # characters, of which the tokenizer takes about a second
_TYPE = re.compile(r'has the type "([^"]*)"')


@dataclass(frozen=True)
class RefusedStatement:
    """A statement as the reader wrote it, and which of the forms in it are rewritten.

    ``variants`` are the positions of expressions over a VARIANT, which stay; ``is_column`` marks a column of
    ``selectExpr`` instead of a statement.
    """

    text: str
    catalog: bool = False
    travel: bool = False
    json: bool = False
    variants: frozenset[int] = frozenset()
    is_column: bool = False

    @cached_property
    def rewritten(self) -> Rewritten:
        """The statement as Spark is given it: exactly as it was written while nothing has been refused."""
        return Rewritten.of(self.text, self._edits())

    def after(self, message: str) -> RefusedStatement | None:
        """Return the statement to try after Spark's message, or None if the message is about none of the forms."""
        if len(self.text) > _LONG or (self._runs_in_steps and "PARSE_SYNTAX_ERROR" not in message):
            return None
        found = self._with_form(message) or self._with_variant(message)
        return found if found is not None and found.rewritten.text != self.rewritten.text else None

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens of the original text."""
        return tokens_of(self.text)

    @property
    def _runs_in_steps(self) -> bool:
        """Whether the text is a script, parts of which may have run before Spark rejects another."""
        words = [word(token) for token in self.tokens[:3]]
        return words[:1] == ["BEGIN"] or words[1:3] == [":", "BEGIN"]

    def _edits(self) -> Iterator[Edit]:
        if self.catalog:
            yield from catalog_names.edits(self.tokens)
        if self.travel:
            yield from time_travel.edits(self.tokens)
        if self.json:
            yield from json_columns.edits(self.tokens, self.variants, self.is_column)

    def _with_form(self, message: str) -> RefusedStatement | None:
        if not self.travel and time_travel.is_refused(message, self.tokens):
            return replace(self, travel=True)
        if not self.json and json_columns.is_refused(message, self.tokens):
            return replace(self, json=True)
        if not self.catalog and catalog_names.is_refused(message, self.tokens):
            return replace(self, catalog=True)
        return None

    def _with_variant(self, message: str) -> RefusedStatement | None:
        """Return the statement with one more expression excluded, the one that Spark's message calls a VARIANT."""
        place, kind = position_in_message(message), _TYPE.search(message)
        if not self.json or place is None or kind is None or "DATATYPE_MISMATCH" not in message:
            return None
        begin = self.rewritten.origin(offset(self.rewritten.text, *place))
        ours = [found for found in json_columns.extractions(self.tokens) if self.tokens[found.first].start == begin]
        if not ours or begin in self.variants:
            return None
        if kind[1] == "VARIANT":
            return replace(self, variants=self.variants | {begin})
        last = self.tokens[ours[0].path.last].end + 1
        raise NoJson(self.text[begin:last], self.text[begin : self.tokens[ours[0].colon].start], kind[1])
