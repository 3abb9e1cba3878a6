"""A cursor over a statement's tokens: what must come next, what may, and what is in parentheses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from declarative_pipelines.sql.sql_error import SqlError
from declarative_pipelines.sql.tokens import Form, SourceText, Token

if TYPE_CHECKING:
    from declarative_pipelines.definitions.model import SourceLocation

_CLOSING = {"(": ")", "[": "]"}


class TokenReader:
    """Tokens of a statement, and how far they are read.

    Parameters
    ----------
    source
        The statement.
    tokens
        Those to be read: the statement's, or what is in a pair of parentheses of it.
    """

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
        """Read these words.

        Raises
        ------
        SqlError
            Something else comes next.
        """
        if not self.take(*words):
            raise self.unexpected(" ".join(words).replace("|", " or "))

    def token(self, wanted: str) -> Token:
        """Read the next token, whatever it is."""
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
        """Read a pair of parentheses and return what is in it."""
        if not self.at("("):
            raise self.unexpected("(")
        first = self._next + 1
        self.skip()
        return TokenReader(self.source, self._tokens[first : self._next - 1])

    def items(self) -> Iterator[TokenReader]:
        """Read what is left as a list with commas between its items."""
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
        """Read what is between ``<`` and the ``>`` that closes it, as in ``MAP<STRING, INT>``, if that comes next."""
        depth = 0
        while not self.done and (depth or self.at("<|<>")):
            mark = self.token("a type").value
            depth += mark.count("<") - mark.count(">")
        if depth > 0:
            raise self.unexpected(">")

    @property
    def last(self) -> str:
        """What the last token that was read says."""
        return self._tokens[self._next - 1].value

    @property
    def end_of_last(self) -> int:
        """Where the last token that was read ends."""
        return self._tokens[self._next - 1].end

    def rest(self) -> TokenReader:
        """Read all that is left."""
        return self.until(lambda: False)

    def skip(self) -> None:
        """Read one token, or what is between a bracket and the one that closes it."""
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

    def coming(self, count: int) -> list[Token]:
        """The next tokens, as many as there are."""
        return self._tokens[self._next : self._next + count]

    @property
    def tokens(self) -> list[Token]:
        """What is left to be read."""
        return self._tokens[self._next :]

    @property
    def text(self) -> str:
        """The text of what is left, with the comments in it."""
        return self.source.text[self.tokens[0].start : self.tokens[-1].end] if self.tokens else ""

    def end(self, behind: str) -> None:
        """Make sure that nothing is left."""
        if not self.done:
            raise self.fail(f"{self._shown()} is not expected behind {behind}.")

    def unexpected(self, wanted: str) -> SqlError:
        """Return the error that something else was to come next."""
        return self.fail(f"{wanted} is expected here, not {self._shown()}.")

    def fail(self, problem: str) -> SqlError:
        """Return an error about the next token's place."""
        return SqlError(self.location, problem)

    def _shown(self) -> str:
        if self.done:
            return "the end"
        token = self._tokens[self._next]
        text = self.source.text[token.start : token.end].splitlines()[0]
        return text if len(text) <= 40 else f"{text[:40]}..."
