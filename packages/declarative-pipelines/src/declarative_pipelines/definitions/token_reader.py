"""A cursor over a statement's tokens: what must come next, what may, and what is in parentheses.

The tokenizer takes some neighbors together, such as ``CLUSTER BY``; here each word is a token of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import SourceLocation, without_live
from declarative_pipelines.errors import BadDefinition
from streaming_base.sql_statements import tokens_of

if TYPE_CHECKING:
    from sqlglot.tokens import Token as TheirToken

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w+|\S")


class Form(Enum):
    """The form of a token."""

    WORD = "word"
    NAME = "name in backticks"
    STRING = "string"
    MARK = "mark"


@dataclass(frozen=True)
class Token:
    """A token; ``end`` is the position after it, ``value`` the content of a string or a name in backticks."""

    form: Form
    value: str
    start: int
    end: int

    def says(self, word: str) -> bool:
        """Whether it is this word or mark, unquoted."""
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


def has_word_at(tokens: list[Token], number: int, word: str) -> bool:
    """Whether the token at a position exists and is this word or mark."""
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


_CLOSING = {"(": ")", "[": "]"}


class TokenReader:
    """A reader over the tokens of a statement or of a pair of parentheses."""

    def __init__(self, source: SourceText, tokens: list[Token] | None = None) -> None:
        self.source = source
        self._tokens = source.tokens() if tokens is None else tokens
        self._next = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._next >= len(self._tokens)

    @property
    def location(self) -> SourceLocation:
        """Where the next token is, or the last one if none is left."""
        number = min(self._next, len(self._tokens) - 1)
        return self.source.location(self._tokens[number].start if number >= 0 else 0)

    def at(self, *words: str) -> bool:
        """Whether these words and marks come next; ``a|b`` is one or the other."""
        coming = self._tokens[self._next : self._next + len(words)]
        return len(coming) == len(words) and all(
            any(token.says(kind) for kind in word.split("|")) for token, word in zip(coming, words, strict=True)
        )

    def take(self, *words: str) -> bool:
        """Read these words if they come next; return whether they did."""
        found = self.at(*words)
        self._next += len(words) if found else 0
        return found

    def expect(self, *words: str) -> None:
        """Read these words, or raise BadDefinition."""
        if not self.take(*words):
            raise self.unexpected(" ".join(words).replace("|", " or "))

    def token(self, wanted: str) -> Token:
        """Read the next token."""
        if self.done:
            raise self.unexpected(wanted)
        self._next += 1
        return self._tokens[self._next - 1]

    def name(self, wanted: str = "a name") -> str:
        """Read one name, without its backticks."""
        if self.done or not self._tokens[self._next].may_be_name:
            raise self.unexpected(wanted)
        return self.token(wanted).value

    def names(self, wanted: str = "a name") -> tuple[str, ...]:
        """Read a name of one or more parts with dots between them."""
        parts = [self.name(wanted)]
        while self.take("."):
            parts.append(self.name(wanted))
        return tuple(parts)

    def dataset_name(self) -> str:
        """Read a dataset's name, without ``LIVE.``."""
        before, parts = self.location, self.names("a dataset's name")
        name = without_live(".".join(parts))
        if any("." in part for part in parts):
            raise BadDefinition(before, "a dataset's name has no dot in backticks.")
        if name.count(".") > 2:
            raise BadDefinition(before, "a dataset's name has three parts at most: catalog, database, name.")
        return name

    @property
    def at_string(self) -> bool:
        """Whether a string comes next."""
        return not self.done and self._tokens[self._next].form is Form.STRING

    def string(self) -> str:
        """Read a string; of strings in a row, all, with a quotation mark between two that touch."""
        if not self.at_string:
            raise self.unexpected("a text in quotes")
        last = self.token("a text")
        value = last.value
        while self.at_string:
            token = self.token("a text")
            value += (self.source.text[token.start] if token.start == last.end else "") + token.value
            last = token
        return value

    def parenthesized(self) -> TokenReader:
        """Read a pair of parentheses and return a reader of its content."""
        if not self.at("("):
            raise self.unexpected("(")
        first = self._next + 1
        self.skip()
        return TokenReader(self.source, self._tokens[first : self._next - 1])

    def items(self) -> Iterator[TokenReader]:
        """Read the rest as a comma-separated list."""
        while not self.done:
            yield self.until(lambda: self.at(","))
            if self.take(",") and self.done:
                raise self.unexpected("one more item behind the comma")

    def until(self, is_end: Callable[[], bool]) -> TokenReader:
        """Read as far as something that is in no parentheses of its own."""
        first = self._next
        while not self.done and not is_end():
            self.skip()
        return TokenReader(self.source, self._tokens[first : self._next])

    def item(self, is_next: Callable[[TokenReader], bool]) -> TokenReader:
        """Read an item of a list, as far as a comma outside of its types' ``<...>``, or as far as the next one."""
        first = self._next
        while not self.done and not self.at(","):
            if self._next > first and is_next(self):
                break
            if self._next == first + 2 and self.at("<"):
                self.angles()
            else:
                self.skip()
        return TokenReader(self.source, self._tokens[first : self._next])

    def angles(self) -> None:
        """Read ``<`` to its closing ``>``, as in ``MAP<STRING, INT>``, if it comes next."""
        depth = 0
        while not self.done and (depth or self.at("<|<>")):
            mark = self.token("a type").value
            depth += mark.count("<") - mark.count(">")
        if depth > 0:
            raise self.unexpected(">")

    @property
    def last(self) -> Token:
        """The last token that was read."""
        return self._tokens[self._next - 1]

    def rest(self) -> TokenReader:
        """Read all that is left."""
        return self.until(lambda: False)

    def skip(self) -> None:
        """Read one token, or a bracket with its content."""
        begin, open_ = self._next, []
        while not self.done:
            token = self.token("anything")
            if token.form is Form.MARK and token.value in _CLOSING:
                open_.append(_CLOSING[token.value])
            elif open_ and token.says(open_[-1]):
                open_.pop()
            if not open_:
                return
        self._next = begin
        raise self.fail(f"what begins with {self._tokens[begin].value} is never closed.")

    @property
    def tokens(self) -> list[Token]:
        """The unread tokens."""
        return self._tokens[self._next :]

    @property
    def text(self) -> str:
        """The unread text, comments included."""
        return self.source.text[self.tokens[0].start : self.tokens[-1].end] if self.tokens else ""

    def end(self, behind: str) -> None:
        """Make sure that nothing is left."""
        if not self.done:
            raise self.fail(f"{self._shown()} is not expected behind {behind}.")

    def unexpected(self, wanted: str) -> BadDefinition:
        """Return the error for an unexpected token in place of ``wanted``."""
        return self.fail(f"{wanted} is expected here, not {self._shown()}.")

    def fail(self, problem: str) -> BadDefinition:
        """Return an error about the next token's place."""
        return BadDefinition(self.location, problem)

    def _shown(self) -> str:
        if self.done:
            return "the end"
        token = self._tokens[self._next]
        text = self.source.text[token.start : token.end].splitlines()[0]
        return text if len(text) <= 40 else f"{text[:40]}..."
