"""Names in the catalog ``hive_metastore`` and ``USE CATALOG``, neither of which open-source Spark has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_base.rewritten_sql import Edit
from streaming_base.sql_statements import word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokens import Token

DATABRICKS_CATALOG = "hive_metastore"
_SPARK_CATALOG = "spark_catalog"


def edits(tokens: list[Token]) -> Iterator[Edit]:
    """Yield edits that replace ``hive_metastore`` by the session's catalog, and rewrite ``USE CATALOG``."""
    words = [word(token) for token in tokens[:3]]
    if words[:2] in (["USE", "CATALOG"], ["SET", "CATALOG"]) and len(tokens) == 3:
        yield from _use_catalog(tokens)
        return
    named = [token for number, token in enumerate(tokens) if _is_catalog(tokens, number)]
    if named and words[0] == "USE" and words[1] in ("SCHEMA", "DATABASE", "NAMESPACE"):
        yield Edit(tokens[1].start, tokens[1].end + 1, "")  # with it, Spark takes the name to be within a catalog
    yield from (Edit(token.start, token.end + 1, _SPARK_CATALOG) for token in named)


def is_refused(message: str, tokens: list[Token]) -> bool:
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
