"""The prefix ``LIVE.``, which older pipelines write before a dataset's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from declarative_pipelines.sql.tokens import SourceText, Token, says_at

_BLANKS = re.compile(r"\s*")


def live_prefixes(tokens: list[Token]) -> Iterator[Token]:
    """Yield the ``LIVE`` and the dot before each name that has them; none where ``LIVE`` is somebody's alias."""
    if any(_is_live(token) and says_at(tokens, number - 1, "AS") for number, token in enumerate(tokens)):
        return
    for number, token in enumerate(tokens[:-2]):
        named = tokens[number + 1].says(".") and tokens[number + 2].may_be_name
        if _is_live(token) and named and not says_at(tokens, number - 1, "."):
            yield from (token, tokens[number + 1])


def without_live_names(text: str) -> str:
    """Return SQL text, or a name, without ``LIVE.``; comments and strings stay as they are."""
    if "live" not in text.lower():
        return text  # without the tokenizer's import
    pieces, done = [], 0
    prefixes = live_prefixes(SourceText(text, "").tokens())
    for live, dot in zip(prefixes, prefixes, strict=True):
        pieces.append(text[done : live.start])
        done = _BLANKS.match(text, dot.end).end()
    return "".join([*pieces, text[done:]])


def _is_live(token: Token) -> bool:
    return token.may_be_name and token.value.upper() == "LIVE"
