"""The path behind the colon of ``column:a.b[0]['c d']``, as ``get_json_object`` takes it: ``$.a.b[0]['c d']``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from notebook_dialect.sql.tokens import is_name, is_quoted, is_string, touch

if TYPE_CHECKING:
    from sqlglot.tokens import Token

_PLAIN = re.compile(r"[^\W\d]\w*")
_UNSAYABLE = re.compile(r"['?]")  # get_json_object has no way to write them in a name


@dataclass(frozen=True)
class JsonPath:
    """A path.

    Parameters
    ----------
    text : str
        As ``get_json_object`` takes it.
    name : str
        The last name in it, which its column is called.
    last : int
        The number of its last token.
    """

    text: str
    name: str
    last: int

    def then(self, name: str, text: str, last: int) -> JsonPath:
        """Return the path that goes one step further; a position in an array has no name."""
        return JsonPath(self.text + text, name or self.name, last)


def read(tokens: list[Token], colon: int) -> JsonPath | None:
    """Return the path behind a colon; None where there is none, or one that cannot be said here."""
    path: JsonPath | None = JsonPath("$", "", colon - 1)
    while path is not None and (mark := _mark(tokens, path.last + 1)):
        path = _subscript(path, tokens) if mark == "[" else _field(path, tokens)
    return path if path is not None and path.name else None


def _mark(tokens: list[Token], number: int) -> str:
    """Return what leads on from the token before; blanks may be before a bracket or a dot, as in Spark."""
    if number >= len(tokens) or is_quoted(tokens[number]):
        return ""
    mark = tokens[number].text
    is_next = mark in (".", "[") or (mark == ":" and touch(tokens[number - 1], tokens[number]))
    return mark if is_next else ""


def _field(path: JsonPath, tokens: list[Token]) -> JsonPath | None:
    """Go on with ``:name``, ``.name`` or the colon in ``:[...]``."""
    number = path.last + 2
    is_colon = tokens[number - 1].text == ":"
    if number >= len(tokens) or (is_colon and not touch(tokens[number - 1], tokens[number])):
        return None
    if tokens[number].text == "[" and tokens[number - 1].text == ":":
        return path.then("", "", number - 1)
    return (
        path.then(name, step, number)
        if is_name(tokens[number]) and (step := _step(name := tokens[number].text))
        else None
    )


def _subscript(path: JsonPath, tokens: list[Token]) -> JsonPath | None:
    """Go on with ``['name']``, ``[0]`` or ``[*]``."""
    number = path.last + 2
    if number + 1 >= len(tokens) or tokens[number + 1].text != "]":
        return None
    token = tokens[number]
    if is_string(token):
        return path.then(token.text, step, number + 1) if (step := _step(token.text, bare=False)) else None
    return path.then("", f"[{token.text}]", number + 1) if token.text == "*" or token.text.isdecimal() else None


def _step(name: str, bare: bool = True) -> str | None:
    if _UNSAYABLE.search(name) or not name:
        return None
    return f".{name}" if bare and _PLAIN.fullmatch(name) else f"['{name}']"
