"""``column:field``: a field of the JSON text in a column, as ``get_json_object`` returns it.

Open-source Spark has the form for a VARIANT only.  What is a column of text, Spark says itself: each expression is
rewritten, and where Spark then finds that the column is a VARIANT, it is left as it was.  Names of fields are
case-sensitive here; on Databricks only those in brackets are.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streaming_base.rewritten_sql import Edit
from streaming_base.sql_statements import are_adjacent, first_token_of_name, is_name, is_quoted, is_string, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokens import Token

_PLAIN = re.compile(r"[^\W\d]\w*")
_UNSAYABLE = re.compile(r"['?]")  # get_json_object has no way to write them in a name


@dataclass(frozen=True)
class JsonPath:
    """A path of ``get_json_object``, the name of its column, and the number of its last token."""

    text: str
    name: str
    last: int

    def then(self, name: str, text: str, last: int) -> JsonPath:
        """Return the path that goes one step further; a position in an array has no name."""
        return JsonPath(self.text + text, name or self.name, last)


def read(tokens: list[Token], colon: int) -> JsonPath | None:
    """Return the path that follows a colon, or None if it is not one of ``get_json_object``."""
    path: JsonPath | None = JsonPath("$", "", colon - 1)
    while path is not None and (mark := _mark(tokens, path.last + 1)):
        path = _subscript(path, tokens) if mark == "[" else _field(path, tokens)
    return path if path is not None and path.name else None


def _mark(tokens: list[Token], number: int) -> str:
    """Return the mark that continues a path; as in Spark, a bracket or a dot may follow blanks."""
    if number >= len(tokens) or is_quoted(tokens[number]):
        return ""
    mark = tokens[number].text
    is_next = mark in (".", "[") or (mark == ":" and are_adjacent(tokens[number - 1], tokens[number]))
    return mark if is_next else ""


def _field(path: JsonPath, tokens: list[Token]) -> JsonPath | None:
    """Return the path extended by the field that follows: ``:name``, ``.name`` or the colon in ``:[...]``."""
    number = path.last + 2
    is_colon = tokens[number - 1].text == ":"
    if number >= len(tokens) or (is_colon and not are_adjacent(tokens[number - 1], tokens[number])):
        return None
    if tokens[number].text == "[" and tokens[number - 1].text == ":":
        return path.then("", "", number - 1)
    return (
        path.then(name, step, number)
        if is_name(tokens[number]) and (step := _step(name := tokens[number].text))
        else None
    )


def _subscript(path: JsonPath, tokens: list[Token]) -> JsonPath | None:
    """Return the path extended by the subscript that follows: ``['name']``, ``[0]`` or ``[*]``."""
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


FUNCTION = "get_json_object("
_REFUSALS = ("COLUMN_IS_NOT_VARIANT", "INVALID_USAGE_OF_STAR_OR_REGEX")
_OPENING = {")": "(", "]": "[", "}": "{"}
# Before the first of these in its parentheses, what follows SELECT is the list of its columns.
_AFTER_THE_LIST = {"FROM", "WHERE", "UNION", "EXCEPT", "INTERSECT", "GROUP", "HAVING", "ORDER", "LIMIT", "LATERAL"}
_BEFORE_A_COLUMN = {"SELECT", "DISTINCT", "ALL", ","}
_BEHIND_A_COLUMN = {",", ")", ";"} | _AFTER_THE_LIST


@dataclass(frozen=True)
class Extraction:
    """An expression ``base:path``: the numbers of its first token and its colon, and the path."""

    first: int
    colon: int
    path: JsonPath


def edits(tokens: list[Token], variants: Collection[int] = (), is_column: bool = False) -> Iterator[Edit]:
    """Yield edits that replace each ``base:path`` by ``get_json_object``, with the column's name on Databricks.

    ``variants`` are the positions of expressions over a VARIANT, which stay.
    """
    listed = _in_select_lists(tokens, is_column)
    for found in extractions(tokens):
        begin = tokens[found.first].start
        if begin in variants:
            continue
        yield Edit(begin, begin, FUNCTION)
        path = found.path.text.replace("\\", "\\\\").replace("'", "\\'")
        yield Edit(tokens[found.colon].start, tokens[found.path.last].end + 1, f", '{path}')")
        last = _last_of_casts(tokens, found.path.last)
        if listed[found.first] and _is_a_whole_column(tokens, found.first, last):
            end = tokens[last].end + 1
            name = found.path.name.replace("`", "``")
            yield Edit(end, end, f" AS `{name}`")


def is_refused(message: str, tokens: list[Token]) -> bool:
    """Whether Spark says that the column is not a VARIANT, or cannot parse a path such as ``a:b[ * ]``."""
    # Spark 4.2 has the first without its text, inside an internal error.
    if any(refusal in message for refusal in _REFUSALS):
        return True
    return "PARSE_SYNTAX_ERROR" in message and any(_has_loose_star(tokens, found) for found in extractions(tokens))


def _has_loose_star(tokens: list[Token], found: Extraction) -> bool:
    """Whether a path has blanks around a ``*``, which Spark's lexer does not know."""
    path = range(found.colon, found.path.last)
    return any(tokens[n].text == "*" and not are_adjacent(tokens[n - 1], tokens[n]) for n in path)


def extractions(tokens: list[Token]) -> Iterator[Extraction]:
    """Find the expressions, from left to right; none is in a type such as ``STRUCT<a: INT>`` or in braces."""
    typed, done = _in_types(tokens), -1
    for number, token in enumerate(tokens):
        if token.text != ":" or is_quoted(token) or number <= done or typed[number]:
            continue
        first, path = _base(tokens, number), read(tokens, number)
        if first is not None and path is not None:
            done = path.last
            yield Extraction(first, number, path)


def _base(tokens: list[Token], colon: int) -> int | None:
    """Return the first token of the expression before a colon: a column, a call, parentheses, a string, with casts."""
    if not colon or not are_adjacent(tokens[colon - 1], tokens[colon]):
        return None
    first = _operand(tokens, colon - 1)
    while first is not None and first > 1 and tokens[first - 1].text == "::":
        first = _operand(tokens, first - 2)  # it was the type of a cast
    return first


def _operand(tokens: list[Token], last: int) -> int | None:
    """Return the first token of the operand that ends with a token."""
    token = tokens[last]
    if is_string(token):
        return last
    if is_name(token):
        return first_token_of_name(tokens, last)
    if is_quoted(token) or token.text not in (")", "]"):
        return None
    opening = _opening(tokens, last)
    if not opening:
        return opening
    before = opening - 1
    if token.text == "]":
        return _operand(tokens, before)
    called = is_name(tokens[before]) and are_adjacent(tokens[before], tokens[opening])
    return first_token_of_name(tokens, before) if called else opening


def _opening(tokens: list[Token], closing: int) -> int | None:
    """Return the parenthesis or bracket that a closing one belongs to."""
    ends, begins, depth = tokens[closing].text, _OPENING[tokens[closing].text], 0
    for number in range(closing, -1, -1):
        text = word(tokens[number])
        depth += (text == ends) - (text == begins)
        if depth == 0:
            return number
    return None


def _last_of_casts(tokens: list[Token], last: int) -> int:
    """Return the last token of the casts ``::type`` that follow a token."""
    while last + 2 < len(tokens) and tokens[last + 1].text == "::":
        last += 2
        if last + 1 < len(tokens) and tokens[last + 1].text in ("(", "<"):
            last = _closing(tokens, last + 1)
    return last


def _closing(tokens: list[Token], opening: int) -> int:
    begins, depth = tokens[opening].text, 0
    ends = {"(": ")", "<": ">"}[begins]
    for number in range(opening, len(tokens)):
        depth += (tokens[number].text == begins) - (tokens[number].text == ends)
        if depth == 0:
            return number
    return len(tokens) - 1


def _is_a_whole_column(tokens: list[Token], first: int, last: int) -> bool:
    """Whether an expression in the list of a SELECT is all of a column, without a name of its own."""
    before = first == 0 or word(tokens[first - 1]) in _BEFORE_A_COLUMN or tokens[first - 1].text.startswith("/*+")
    return before and (last + 1 == len(tokens) or word(tokens[last + 1]) in _BEHIND_A_COLUMN)


def _in_select_lists(tokens: list[Token], is_column: bool) -> list[bool]:
    """Return for each token whether it is in the list of a SELECT, outside parentheses."""
    inside, lists = [], [is_column]
    for token in tokens:
        text = word(token)
        if text in (")", "]") and len(lists) > 1:
            lists.pop()
        elif text == "SELECT" or text in _AFTER_THE_LIST:
            lists[-1] = text == "SELECT"
        inside.append(lists[-1])
        if text in ("(", "["):
            lists.append(False)
    return inside


def _in_types(tokens: list[Token]) -> list[bool]:
    """Return for each token whether it is in the angle brackets of a type, or in braces."""
    inside, angles, braces = [], 0, 0
    for number, token in enumerate(tokens):
        text = word(token)
        typed = number > 0 and word(tokens[number - 1]) in ("STRUCT", "ARRAY", "MAP")
        angles += text == "<" and (typed or angles > 0)
        angles -= text == ">" and angles > 0
        braces = max(braces + (text == "{") - (text == "}"), 0)
        inside.append(angles > 0 or braces > 0)
    return inside
