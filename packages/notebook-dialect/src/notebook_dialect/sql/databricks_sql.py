"""A statement that Spark has refused, rewritten for those forms of Databricks' SQL that it uses.

Nothing here runs a statement.  Spark's message about one goes in, and what to try next comes out.  The forms are
``column:field`` (:mod:`.json_columns`), names in the catalog ``hive_metastore`` and ``USE CATALOG``, and ``t@v3`` and
``t@20260101000000000``, which Spark writes as ``t VERSION AS OF 3`` and ``t TIMESTAMP AS OF '2026-01-01
00:00:00.000'``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from notebook_dialect.sql import json_columns
from streaming_base.errors import BadSql, NoJson
from streaming_base.rewritten_sql import Edit, Rewritten, offset, position_in_message
from streaming_base.sql_statements import are_adjacent, first_token_of_name, is_name, tokens_of, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokens import Token

_LONG = 1_000_000  # characters, of which the tokenizer takes about a second
_TYPE = re.compile(r'has the type "([^"]*)"')
DATABRICKS_CATALOG = "hive_metastore"
_SPARK_CATALOG = "spark_catalog"
_QUOTED = re.compile(r"(.+)@(v?\d+)")
_VERSION = re.compile(r"v(\d+)", re.IGNORECASE)
_TIME = "%Y%m%d%H%M%S%f"  # to the millisecond
_DIGITS = 17


@dataclass(frozen=True)
class RefusedStatement:
    """A statement as the reader wrote it, and which of the forms in it are rewritten.

    ``variants`` are the positions of expressions over a VARIANT, which stay; ``is_column`` marks a column of
    ``selectExpr`` instead of a statement.
    """

    text: str
    catalog: bool = False
    travel: bool = False
    json: bool = False
    variants: frozenset[int] = frozenset()
    is_column: bool = False

    @cached_property
    def rewritten(self) -> Rewritten:
        """The statement as Spark is given it: exactly as it was written while nothing has been refused."""
        return Rewritten.of(self.text, self._edits())

    def after(self, message: str) -> RefusedStatement | None:
        """Return the statement to try after Spark's message, or None if the message is about none of the forms."""
        if len(self.text) > _LONG or (self._runs_in_steps and "PARSE_SYNTAX_ERROR" not in message):
            return None
        found = self._with_form(message) or self._with_variant(message)
        return found if found is not None and found.rewritten.text != self.rewritten.text else None

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens of the original text."""
        return tokens_of(self.text)

    @property
    def _runs_in_steps(self) -> bool:
        """Whether the text is a script, parts of which may have run before Spark rejects another."""
        words = [word(token) for token in self.tokens[:3]]
        return words[:1] == ["BEGIN"] or words[1:3] == [":", "BEGIN"]

    def _edits(self) -> Iterator[Edit]:
        if self.catalog:
            yield from catalog_edits(self.tokens)
        if self.travel:
            yield from travel_edits(self.tokens)
        if self.json:
            yield from json_columns.edits(self.tokens, self.variants, self.is_column)

    def _with_form(self, message: str) -> RefusedStatement | None:
        if not self.travel and is_travel_refused(message, self.tokens):
            return replace(self, travel=True)
        if not self.json and json_columns.is_refused(message, self.tokens):
            return replace(self, json=True)
        if not self.catalog and is_catalog_refused(message, self.tokens):
            return replace(self, catalog=True)
        return None

    def _with_variant(self, message: str) -> RefusedStatement | None:
        """Return the statement with one more expression excluded, the one that Spark's message calls a VARIANT."""
        place, kind = position_in_message(message), _TYPE.search(message)
        if not self.json or place is None or kind is None or "DATATYPE_MISMATCH" not in message:
            return None
        begin = self.rewritten.origin(offset(self.rewritten.text, *place))
        ours = [found for found in json_columns.extractions(self.tokens) if self.tokens[found.first].start == begin]
        if not ours or begin in self.variants:
            return None
        if kind[1] == "VARIANT":
            return replace(self, variants=self.variants | {begin})
        last = self.tokens[ours[0].path.last].end + 1
        raise NoJson(self.text[begin:last], self.text[begin : self.tokens[ours[0].colon].start], kind[1])


def catalog_edits(tokens: list[Token]) -> Iterator[Edit]:
    """Yield edits that replace ``hive_metastore`` by the session's catalog, and rewrite ``USE CATALOG``."""
    words = [word(token) for token in tokens[:3]]
    if words[:2] in (["USE", "CATALOG"], ["SET", "CATALOG"]) and len(tokens) == 3:
        yield from _use_catalog(tokens)
        return
    named = [token for number, token in enumerate(tokens) if _is_catalog(tokens, number)]
    if named and words[0] == "USE" and words[1] in ("SCHEMA", "DATABASE", "NAMESPACE"):
        yield Edit(tokens[1].start, tokens[1].end + 1, "")  # with it, Spark takes the name to be within a catalog
    yield from (Edit(token.start, token.end + 1, _SPARK_CATALOG) for token in named)


def is_catalog_refused(message: str, tokens: list[Token]) -> bool:
    """Whether Spark's message is about the catalog's name or about ``USE CATALOG``."""
    what = message.partition("\n\n== SQL")[0]
    return DATABRICKS_CATALOG in what.lower() or [word(token) for token in tokens[:2]] == ["USE", "CATALOG"]


def own_name(name: str) -> str:
    """Return a table's name with the session's own catalog in place of ``hive_metastore``."""
    first, dot, rest = name.partition(".")
    return f"{_SPARK_CATALOG}.{rest}" if dot and first.strip("`").lower() == DATABRICKS_CATALOG else name


def _use_catalog(tokens: list[Token]) -> Iterator[Edit]:
    if tokens[2].text.lower() in (DATABRICKS_CATALOG, _SPARK_CATALOG):
        yield Edit(tokens[0].start, tokens[2].end + 1, f"USE {_SPARK_CATALOG}.default")
    else:
        yield Edit(tokens[0].start, tokens[0].end + 1, "SET")


def _is_catalog(tokens: list[Token], number: int) -> bool:
    before = word(tokens[number - 1]) if number else ""
    after = word(tokens[number + 1]) if number + 1 < len(tokens) else ""
    if tokens[number].text.lower() != DATABRICKS_CATALOG or not _is_name(tokens[number]) or before == ".":
        return False
    listed = word(tokens[0]) == "SHOW" and before in ("IN", "FROM")  # SHOW SCHEMAS IN hive_metastore
    return after == "." or listed


def _is_name(token: Token) -> bool:
    from sqlglot.tokens import TokenType

    return token.token_type in (TokenType.VAR, TokenType.IDENTIFIER)


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


def travel_edits(tokens: list[Token]) -> Iterator[Edit]:
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


def is_travel_refused(message: str, tokens: list[Token]) -> bool:
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
