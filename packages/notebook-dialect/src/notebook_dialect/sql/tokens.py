"""The tokens of a SQL text, by sqlglot's tokenizer for Databricks' SQL: what is a word, a string, a name, a comment.

Nothing is parsed, so that a statement which only Spark understands is as good as any other.  This is the one lexer of
the packages: statements are split, rewritten and read by its tokens.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    """Return a statement's tokens; none where it does not fall into tokens, which Spark says better."""
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
    """Return a token's text in capitals; nothing for a string or a quoted name, or where there is none."""
    return "" if token is None or is_quoted(token) else token.text.upper()


def is_name(token: Token) -> bool:
    """Whether a token may be a name: a word, or one in backticks."""
    from sqlglot.tokens import TokenType

    return token.token_type is TokenType.IDENTIFIER or (not is_quoted(token) and bool(_WORD.fullmatch(token.text)))


def is_string(token: Token) -> bool:
    """Whether a token is a string."""
    from sqlglot.tokens import TokenType

    return token.token_type in (TokenType.STRING, TokenType.RAW_STRING)


def touch(left: Token, right: Token) -> bool:
    """Whether nothing is between two tokens."""
    return left.end + 1 == right.start


def first_of_name(tokens: list[Token], last: int) -> int:
    """Return the first token of the name, with dots or without, that ends with a token."""
    while last > 1 and tokens[last - 1].text == "." and is_name(tokens[last - 2]):
        last -= 2
    return last
