"""The statements of a SQL text, split at semicolons outside strings, comments and blocks.

Nothing is parsed, so that a statement which only Spark understands is as good as any other.  This is the one lexer of
the packages: statements are split, rewritten and read by its tokens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streaming_base.errors import BadSql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot.tokens import Token


_WORD = re.compile(r"\w+")


def tokenize(text: str) -> list[Token] | None:
    """Return the tokens of a text; None where a string, a quoted name or a comment in it does not end."""
    # Nobody waits for sqlglot's import who only imports this package.
    import sqlglot
    from sqlglot.errors import TokenError

    try:
        return sqlglot.tokenize(text, read="databricks")
    except TokenError:
        return None


def tokens_of(text: str) -> list[Token]:
    """Return a statement's tokens; none for text that is not SQL, which Spark reports better."""
    tokens = tokenize(text) or []
    begin = tokens[0].end + 1 if tokens else 0
    # Of statements that sqlglot does not parse, such as SHOW and EXPLAIN, all but the first word is one token.
    if len(tokens) == 2 and text[begin:].lstrip().startswith(tokens[1].text) and is_string(tokens[1]):
        return [tokens[0], *tokens_of(" " * begin + text[begin:])]
    return tokens


def is_quoted(token: Token) -> bool:
    """Whether a token is a string or a quoted name."""
    return token.end - token.start + 1 != len(token.text)


def word(token: Token | None) -> str:
    """Return a token's text in capitals; an empty string for a quoted token or None."""
    return "" if token is None or is_quoted(token) else token.text.upper()


def is_name(token: Token) -> bool:
    """Whether a token may be a name: a word, or quoted in backticks."""
    from sqlglot.tokens import TokenType

    return token.token_type is TokenType.IDENTIFIER or (not is_quoted(token) and bool(_WORD.fullmatch(token.text)))


def is_string(token: Token) -> bool:
    """Whether a token is a string."""
    from sqlglot.tokens import TokenType

    return token.token_type in (TokenType.STRING, TokenType.RAW_STRING)


def are_adjacent(left: Token, right: Token) -> bool:
    """Whether nothing is between two tokens."""
    return left.end + 1 == right.start


def first_token_of_name(tokens: list[Token], last: int) -> int:
    """Return the first token of the name, with dots or without, that ends with a token."""
    while last > 1 and tokens[last - 1].text == "." and is_name(tokens[last - 2]):
        last -= 2
    return last


_LONG = 1_000_000  # characters; the tokenizer takes about a second for each million
_TRIES = 50  # quotation marks to try when one of them is not closed

# After END these say which statement ends; the block around it continues.
_ENDED = {"IF", "WHILE", "LOOP", "FOR", "REPEAT"}
# After BEGIN at the start of a statement these make it a statement of its own.
_TRANSACTION = {";", "TRANSACTION", "WORK"}
# Behind these BEGIN, CASE and END are names, as in `window.end` and `max(time) AS end`.
_BEFORE_A_NAME = {".", "AS"}
_BEFORE_A_STATEMENT = {";", "BEGIN"}


@dataclass(frozen=True)
class Statement:
    """One statement, and where in the text it begins: line from 1, column from 0."""

    text: str
    line: int
    column: int = 0


def split(text: str) -> list[Statement]:
    """Return the statements of a text, without their semicolons and without those that are only comments.

    A block ``BEGIN ... END`` of SQL scripting is one statement.

    Raises
    ------
    BadSql
        A string, a quoted name or a comment does not end.
    """
    if len(text) > _LONG and ";" not in text.rstrip("; \n"):
        return [Statement(text.rstrip("; \n"), 1)]
    from sqlglot.tokens import TokenType

    tokens = _tokens(text)
    statements, begin, block = [], 0, _Block()
    for number, token in enumerate(tokens):
        inside = block.contains(tokens, number)
        if token.token_type is TokenType.SEMICOLON and not inside:
            statements.append(_statement(text, tokens[begin:number]))
            begin, block = number + 1, _Block()
    statements.append(_statement(text, tokens[begin:]))
    return [statement for statement in statements if statement is not None]


def fill_markers(text: str, literals: Mapping[str, str]) -> str:
    """Return a statement with parameter markers ``:name`` replaced by their literals."""
    if ":" not in text or not literals:
        return text
    pieces, done = [], 0
    tokens = _tokens(text)
    for before, colon, name in zip([None, *tokens], tokens, tokens[1:], strict=False):
        # Without a blank in front it is a path into a VARIANT, as in row:name.
        path = before is not None and before.end + 1 == colon.start and before.text[-1:] not in "(,=<>+-*/|"
        if colon.text == ":" and name.start == colon.end + 1 and name.text in literals and not path:
            pieces += [text[done : colon.start], literals[name.text]]
            done = name.end + 1
    return "".join([*pieces, text[done:]])


class _Block:
    """Which ``BEGIN`` and ``CASE`` of a statement are open; only a statement that begins with ``BEGIN`` has any."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._first = True

    def contains(self, tokens: list[Token], number: int) -> bool:
        """Take the next token; return whether it belongs to the block."""
        token, before, after = (_word_at(tokens, number + step) for step in (0, -1, 1))
        if self._first and token == "BEGIN" and after not in _TRANSACTION:
            self._open.append(token)
        elif self._open and before not in _BEFORE_A_NAME:
            self._take(token, before, after)
        # A label may stand before BEGIN.
        self._first = self._first and (token == ":" or after == ":")
        return bool(self._open)

    def _take(self, token: str, before: str, after: str) -> None:
        if token in ("BEGIN", "CASE") and before != "END":
            self._open.append(token)
        # Within a block of statements END stands where a statement may begin; elsewhere it is a column's name.
        is_end = token == "END" and after not in _ENDED
        if is_end and (self._open[-1] == "CASE" or before in _BEFORE_A_STATEMENT):
            self._open.pop()


def _word_at(tokens: list[Token], number: int) -> str:
    return word(tokens[number]) if 0 <= number < len(tokens) else ""


def _statement(text: str, tokens: list[Token]) -> Statement | None:
    if not tokens:
        return None
    begin = tokens[0].start
    column = begin - (text.rfind("\n", 0, begin) + 1)
    return Statement(text[begin : tokens[-1].end + 1], text.count("\n", 0, begin) + 1, column)


def _tokens(text: str) -> list[Token]:
    tokens = tokenize(text)
    if tokens is None:
        raise BadSql(_what_does_not_end(text))
    return tokens


def _what_does_not_end(text: str) -> str:
    """Return which quotation mark or comment is never closed, and its line."""
    openings = [] if len(text) > _LONG else [found.start() for found in re.finditer(r"['\"`]|/\*", text)]
    for opening in reversed(openings[-_TRIES:]):
        if tokenize(text[:opening]) is not None:
            mark = "/*" if text[opening] == "/" else text[opening]
            line = text.count("\n", 0, opening) + 1
            return f"Line {line}: what begins with {mark} never ends: {text[opening:].splitlines()[0][:60]}"
    return "A string, a quoted name or a comment in this cell never ends."
