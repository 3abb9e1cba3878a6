"""``*`` without ``_metadata``, in a statement that names that column of ``read_files`` as well.

A frame that a statement is given becomes a view, and views hide no columns.  So ``_metadata`` is an ordinary column of
the frame where the statement names it, and each ``*`` that would mean it, too, is given an ``EXCEPT``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.schemas.layout import METADATA

# Comments and strings, which are passed over, and the tokens of SQL as far as they matter here.
_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?\*/|\br'[^']*'|\br"[^"]*"|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")"""
    r"""|(?P<word>`(?:[^`]|``)*`|\w+)|(?P<mark>\|>|.)""",
    re.IGNORECASE | re.DOTALL,
)
# What may stand behind a relation and is no alias of it.
_CLAUSES = """
    where group order sort cluster distribute having limit offset union except intersect minus join inner left right
    full cross natural semi anti lateral on using window tablesample pivot unpivot qualify with select set when
"""
_NO_ALIAS = frozenset(_CLAUSES.split())


@dataclass(frozen=True)
class _Token:
    text: str  # in lower case, a name without its backticks
    start: int
    end: int
    depth: int  # of the parentheses around it
    is_word: bool


def names_metadata(text: str) -> bool:
    """Whether a statement names ``_metadata``, other than in a comment or a string."""
    return any(token.text == METADATA for token in _tokens(text))


def star_edits(text: str, calls: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return what to put into a statement, so that its stars do not mean ``_metadata``.

    Parameters
    ----------
    text : str
        The statement.
    calls : sequence of tuple
        Where each call of ``read_files`` with the column begins and ends, and the name that will be there instead.

    Returns
    -------
    list of tuple
        Begin and end of a part of the text, in order, and what to put there.

    Raises
    ------
    InvalidOption
        The statement begins with ``FROM`` and has its ``SELECT`` behind a pipe.
    """
    tokens = list(_tokens(text))
    if calls and any(token.text == "|>" for token in tokens):
        raise InvalidOption(
            "A query with |> cannot name _metadata of read_files. Write SELECT ... FROM read_files(...)."
        )
    hidden: dict[int, list[tuple[str, str]]] = {}
    for start, end, name in calls:
        place = next(index for index, token in enumerate(tokens) if token.start >= start)
        select = _select_before(tokens, place)
        if select is not None:
            alias = _alias(tokens, end)
            hidden.setdefault(select, []).append((alias.lower().strip("`"), alias or name))
    edits = [edit for select, relations in hidden.items() for edit in _edits_of(tokens, select, relations)]
    return sorted(edits)


def _tokens(text: str) -> Iterator[_Token]:
    depth = 0
    for match in _TOKEN.finditer(text):
        if match["skip"] is None:
            depth -= match[0] == ")"
            yield _Token(match[0].lower().strip("`"), match.start(), match.end(), depth, match["word"] is not None)
            depth += match[0] == "("


def _select_before(tokens: list[_Token], place: int) -> int | None:
    """Return the SELECT of the query that has a relation, None where there is none."""
    depth = tokens[place].depth
    for index in range(place - 1, -1, -1):
        token = tokens[index]
        if token.depth < depth:
            return None
        if token.depth == depth and token.text == "select":
            return index
    return None


def _alias(tokens: list[_Token], end: int) -> str:
    """Return the alias of a relation that ends at a position, empty where it has none."""
    behind = [token for token in tokens if token.start >= end][:2]
    if behind and behind[0].text == "as":
        behind = behind[1:]
    elif behind and behind[0].text in _NO_ALIAS:
        return ""
    return f"`{behind[0].text}`" if behind and behind[0].is_word else ""


def _edits_of(tokens: list[_Token], select: int, relations: list[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield what to put behind the stars of one list of columns; relations have an alias, if any, and a name."""
    depth = tokens[select].depth
    for index in range(select + 1, len(tokens)):
        token, before = tokens[index], tokens[index - 1]
        if token.depth < depth or (token.depth == depth and token.text == "from"):
            return
        if token.text != "*" or before.text not in ("select", "distinct", "all", ",", "(", "."):
            continue
        if before.text == "(" and (tokens[index - 2].text == "count" or _is_of_another_query(tokens, select, index)):
            continue
        if before.text == ".":
            names = [name for alias, name in relations if alias == tokens[index - 2].text]
        else:
            names = [] if _is_of_another_query(tokens, select, index) else [name for _, name in relations]
        if not names:
            continue
        columns = ", ".join(f"{name}.{METADATA}" for name in names)
        behind = tokens[index + 1 : index + 3]
        if [other.text for other in behind] == ["except", "("]:
            yield behind[1].end, behind[1].end, f"{columns}, "
        else:
            yield token.end, token.end, f" EXCEPT ({columns})"


def _is_of_another_query(tokens: list[_Token], select: int, place: int) -> bool:
    """Whether a subquery in a list of columns has a token."""
    depth = tokens[place].depth
    for index in range(place, select, -1):
        depth = min(depth, tokens[index].depth)
        if tokens[index].text == "select" and tokens[index].depth <= depth:
            return True
    return False
