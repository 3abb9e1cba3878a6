"""``t@v3`` and ``t@20260101000000000`` as ``VERSION AS OF`` and ``TIMESTAMP AS OF``: a table as it was.

Spark writes the same as ``t VERSION AS OF 3`` and ``t TIMESTAMP AS OF '2026-01-01 00:00:00.000'``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from streaming_base.errors import BadSql
from streaming_base.rewritten_sql import Edit
from streaming_base.sql_statements import are_adjacent, first_token_of_name, is_name, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokens import Token

_QUOTED = re.compile(r"(.+)@(v?\d+)")
_VERSION = re.compile(r"v(\d+)", re.IGNORECASE)
_TIME = "%Y%m%d%H%M%S%f"  # to the millisecond
_DIGITS = 17


@dataclass(frozen=True)
class AsOf:
    """A version, or a time of the session's time zone."""

    version: int | None = None
    time: str | None = None

    @property
    def clause(self) -> str:
        """As SQL has it."""
        return f"TIMESTAMP AS OF '{self.time}'" if self.time else f"VERSION AS OF {self.version}"

    @property
    def options(self) -> dict[str, str]:
        """As a reader of Delta tables has it."""
        return {"timestampAsOf": self.time} if self.time else {"versionAsOf": str(self.version)}


def edits(tokens: list[Token]) -> Iterator[Edit]:
    """Yield edits that replace ``t@v3`` by ``VERSION AS OF``, and ``t@20250101000000000`` by ``TIMESTAMP AS OF``."""
    for number, token in enumerate(tokens):
        if token.text == "@" and _is_behind_a_name(tokens, number):
            name, what = tokens[number - 1].text, tokens[number + 1]
            first, last = number - 1, number + 1
            edit = Edit(token.start, what.end + 1, f" {as_of(name, what.text).clause}")
        elif found := _in_quotes(tokens, number):
            name, first, last = found[1], number, number
            quoted = name.replace("`", "``")
            edit = Edit(token.start, token.end + 1, f"`{quoted}` {as_of(name, found[2]).clause}")
        else:
            continue
        yield from _merged_from(tokens, first_token_of_name(tokens, first), last, name, edit)


def _merged_from(tokens: list[Token], first: int, last: int, name: str, edit: Edit) -> Iterator[Edit]:
    """Yield edits that put the table of a MERGE's USING into a query, as Spark's grammar has no clause there."""
    if word(tokens[0]) != "MERGE" or word(tokens[first - 1]) != "USING":
        yield edit
        return
    named = word(tokens[last + 1]) != "ON" if last + 1 < len(tokens) else False
    quoted = name.replace("`", "``")
    yield Edit(tokens[first].start, tokens[first].start, "(SELECT * FROM ")
    yield Edit(edit.start, edit.end, edit.text + (")" if named else f") AS `{quoted}`"))


def is_refused(message: str, tokens: list[Token]) -> bool:
    """Whether Spark's error is at an @, or about an unknown table whose quoted name ends with a version."""
    what = message.partition("\n\n== SQL")[0]
    if "PARSE_SYNTAX_ERROR" in what:
        return "near '@'" in what
    missing = "TABLE_OR_VIEW_NOT_FOUND" in what
    return missing and any(
        f"`{tokens[number].text}`" in what for number in range(len(tokens)) if _in_quotes(tokens, number)
    )


def as_of(name: str, what: str) -> AsOf:
    """Return the version or the time that follows an @; BadSql if it is neither."""
    if version := _VERSION.fullmatch(what):
        return AsOf(version=int(version[1]))
    try:
        if len(what) == _DIGITS:
            return AsOf(time=datetime.strptime(f"{what}000", _TIME).isoformat(" ", "milliseconds"))
    except ValueError:
        pass
    raise BadSql(
        f"{name}@{what}: behind the @ stands a version, as in {name}@v3, or a time as yyyyMMddHHmmssSSS, "
        f"as in {name}@20260131235959000."
    )


def split_name(name: str) -> tuple[str, AsOf] | None:
    """Return a table's name without its version or time, and the version or time; None without one."""
    found = re.fullmatch(r"(.+)@(v?\d+)(`?)", name)
    if found is None or (found[3] and found[1].count("`") % 2 == 0):
        return None
    return found[1] + found[3], as_of(found[1], found[2])


def _is_behind_a_name(tokens: list[Token], number: int) -> bool:
    if not 0 < number < len(tokens) - 1:
        return False
    before, token, after = tokens[number - 1 : number + 2]
    return is_name(before) and are_adjacent(before, token) and are_adjacent(token, after) and after.text.isalnum()


def _in_quotes(tokens: list[Token], number: int) -> re.Match[str] | None:
    """Return the parts of a quoted name with a version in it; paths are Delta's own, which understands them."""
    from sqlglot.tokens import TokenType

    path = number > 1 and tokens[number - 1].text == "." and tokens[number - 2].text.lower() == "delta"
    if tokens[number].token_type is not TokenType.IDENTIFIER or path:
        return None
    return _QUOTED.fullmatch(tokens[number].text)
