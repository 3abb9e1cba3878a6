"""A statement's tokens, read from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_dialect.catalogs.store import syntax_error
from streaming_base.sql_statements import is_name, is_quoted, is_string, tokens_of, word

if TYPE_CHECKING:
    from sqlglot.tokens import Token


class StatementReader:
    """A position in a statement.

    ``text``: the statement; ``tokens``: its tokens; ``position``: the next token.
    """

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.position = text, tokens_of(text), 0

    @property
    def is_at_end(self) -> bool:
        """Whether nothing but a semicolon is left."""
        left = self.tokens[self.position :]
        return not left or (len(left) == 1 and left[0].text == ";")

    def take(self, phrase: str) -> bool:
        """Skip the words of a phrase if they come next; return whether they did."""
        wanted = phrase.split()
        found = [word(token) for token in self.tokens[self.position : self.position + len(wanted)]]
        if found != wanted:
            return False
        self.position += len(wanted)
        return True

    def take_one(self, *phrases: str) -> str:
        """Skip the first phrase that comes next and return it; return an empty string if none does."""
        return next((phrase for phrase in phrases if self.take(phrase)), "")

    def require(self, phrase: str) -> None:
        """Skip a phrase; CatalogError if another one comes next."""
        if not self.take(phrase):
            raise syntax_error(f"{phrase} is missing at: {self.rest()[:60] or 'the end'}")

    def require_end(self) -> None:
        """Raise CatalogError if anything is left."""
        if not self.is_at_end:
            raise syntax_error(f"Syntax error at or near {self.rest()[:60]}")

    def rest(self) -> str:
        """Return the text that is left."""
        return "" if self.is_at_end else self.text[self.tokens[self.position].start :]

    def next(self) -> Token:
        """Return the next token."""
        if self.is_at_end:
            raise syntax_error(f"The statement ends too early: {self.text[:80]}")
        self.position += 1
        return self.tokens[self.position - 1]

    def name(self) -> list[str]:
        """Return the parts of a name with dots, or of ``IDENTIFIER('...')``."""
        if self.take("IDENTIFIER ("):
            inner = self.string()
            self.require(")")
            return StatementReader(inner).name()
        parts = [self._name_part()]
        while (
            not self.is_at_end and self.tokens[self.position].text == "." and not is_quoted(self.tokens[self.position])
        ):
            self.position += 1
            parts.append(self._name_part())
        return parts

    def string(self) -> str:
        """Return a string."""
        token = self.next()
        if not is_string(token):
            raise syntax_error(f"A string is missing at: {token.text}")
        return str(token.text)

    def value(self) -> str:
        """Return the text of a string, a number or a word."""
        return str(self.next().text)

    def pairs(self) -> dict[str, str]:
        """Return ``('a' = 'b', 'c')`` as a dictionary, with an empty string where no value is given."""
        self.require("(")
        found = {}
        while not self.take(")"):
            key = self.value()
            while self.take("."):
                key += f".{self.value()}"
            found[key] = self.value() if self.take("=") else ""
            self.take(",")
        return found

    def within_parentheses(self) -> str:
        """Return the text up to the closing parenthesis, and skip both; the opening one was taken."""
        begin, depth = self.tokens[self.position].start, 1
        while depth:
            token = self.next()
            depth += (word(token) == "(") - (word(token) == ")")
        return self.text[begin : self.tokens[self.position - 1].start]

    def _name_part(self) -> str:
        token = self.next()
        if not is_name(token):
            raise syntax_error(f"A name is missing at: {token.text}")
        return str(token.text)


def quoted_name(name: list[str]) -> str:
    """Return the parts of a name as SQL text."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in name)


def literal(text: str) -> str:
    """Return a string as SQL text."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
