"""A statement's tokens: words, names, strings and symbols, each with its line in the file.

The tokenizer is the one that :mod:`notebook_dialect.sql.statements` cuts statements with.  It takes some neighbours
together, such as ``CLUSTER BY``; here each word is a token of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import SourceLocation
from notebook_dialect.sql.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokens import Token as TheirToken

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w+|\S")


class Form(Enum):
    """What a token is."""

    WORD = "word"
    NAME = "name in backticks"
    STRING = "string"
    MARK = "mark"


@dataclass(frozen=True)
class Token:
    """A token; ``end`` is the position behind it, ``value`` what a string or a name in backticks says."""

    form: Form
    value: str
    start: int
    end: int

    def says(self, word: str) -> bool:
        """Whether it is this word or mark; a word in quotes is none."""
        return self.form in (Form.WORD, Form.MARK) and self.value.upper() == word

    @property
    def may_be_name(self) -> bool:
        """Whether it can stand where a name does."""
        return self.form in (Form.WORD, Form.NAME)


@dataclass(frozen=True)
class SourceText:
    """A statement's text, and the file's line on which it begins."""

    text: str
    file: str
    line: int = 1

    def location(self, position: int = 0) -> SourceLocation:
        """Return where in the file a character of the text is."""
        return SourceLocation(self.file, self.line + self.text.count("\n", 0, position))

    def tokens(self) -> list[Token]:
        """Return the statement's tokens, without comments."""
        tokens: list[Token] = []
        for token in tokens_of(self.text):
            # A number with a suffix, 10L, is given three times at one place.
            if not tokens or token.start >= tokens[-1].end:
                tokens += _pieces(self.text, token)
        return tokens


def says_at(tokens: list[Token], number: int, word: str) -> bool:
    """Return whether there is a token at a position, and whether it is this word or mark."""
    return 0 <= number < len(tokens) and tokens[number].says(word)


def _pieces(text: str, token: TheirToken) -> Iterator[Token]:
    from sqlglot.tokens import TokenType

    start, end = token.start, token.end + 1
    if token.token_type in (TokenType.STRING, TokenType.RAW_STRING):
        yield Token(Form.STRING, token.text, start, end)
    elif token.token_type is TokenType.IDENTIFIER:
        yield Token(Form.NAME, token.text, start, end)
    elif re.search(r"\s", text[start:end]):
        yield from (_plain(piece[0], start + piece.start()) for piece in _PIECE.finditer(text[start:end]))
    else:
        yield _plain(text[start:end], start)


def _plain(text: str, start: int) -> Token:
    return Token(Form.WORD if _WORD.fullmatch(text) else Form.MARK, text, start, start + len(text))
