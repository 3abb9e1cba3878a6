"""SQL functions of catalogs, which the session's own catalog keeps in the schema ``CATALOG__SCHEMA``.

A catalog in Java cannot hold SQL functions in Spark 4.2; so a call by the full name is rewritten.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from notebook_dialect.catalogs.session_catalogs import SESSION_CATALOGS
from streaming_base.sql_statements import is_quoted, tokens_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_dialect.catalogs.session_catalogs import SessionCatalogs
    from notebook_dialect.catalogs.statement_reader import StatementReader


def create_function(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame | None:
    """Create a function; those of the session's own catalog are Spark's business."""
    head = reader.text[: reader.tokens[reader.position - 1].end + 1]
    if_missing = reader.take("IF NOT EXISTS")
    name = catalogs.full_name(reader.name())
    if name[0].lower() in SESSION_CATALOGS:
        return None
    rest = reader.text[reader.tokens[reader.position - 1].end + 1 :]
    catalogs.store.read("SCHEMA", name[:2])
    catalogs.execute(f"CREATE SCHEMA IF NOT EXISTS spark_catalog.`{name[0]}__{name[1]}`")
    condition = " IF NOT EXISTS" if if_missing else ""
    created = catalogs.execute(rewrite_calls(catalogs, f"{head}{condition} {_own_name(name)}{rest}"))
    catalogs.store.create("FUNCTION", name, if_missing=True)
    catalogs.store.change("FUNCTION", name, definition=f"CREATE OR REPLACE FUNCTION {_own_name(name)}{rest}")
    return created


def drop_function(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame | None:
    """Drop a function."""
    if_exists, name = reader.take("IF EXISTS"), catalogs.full_name(reader.name())
    if name[0].lower() in SESSION_CATALOGS:
        return None
    if if_exists and not catalogs.store.exists("FUNCTION", name):
        return catalogs.no_rows()
    catalogs.store.read("FUNCTION", name)
    catalogs.store.remove("FUNCTION", name)
    return catalogs.execute(f"DROP FUNCTION IF EXISTS {_own_name(name)}")


def show_functions(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame | None:
    """Return the functions of a schema."""
    schema = catalogs.full_schema(reader.name())
    if schema[0].lower() in SESSION_CATALOGS:
        return None
    names = catalogs.store.names("FUNCTION", *schema)
    return catalogs.frame("function STRING", [(".".join([*schema, name]),) for name in names])


def restore_functions(catalogs: SessionCatalogs) -> None:
    """Make the functions of earlier kernels known to this session's own catalog."""
    for catalog in catalogs.store.names("CATALOG"):
        for schema in catalogs.store.names("SCHEMA", catalog):
            for name in catalogs.store.names("FUNCTION", catalog, schema):
                catalogs.execute(f"CREATE SCHEMA IF NOT EXISTS spark_catalog.`{catalog}__{schema}`")
                catalogs.execute(catalogs.store.read("FUNCTION", [catalog, schema, name])["definition"])


def rewrite_calls(catalogs: SessionCatalogs, text: str) -> str:
    """Return a statement with the session's own functions in place of the catalogs' that it calls."""
    tokens = tokens_of(text)
    pieces, done, first = [], 0, 0
    while first < len(tokens):
        last = first
        while last + 2 < len(tokens) and tokens[last + 1].text == "." and not is_quoted(tokens[last + 1]):
            last += 2
        follows_dot = first > 0 and tokens[first - 1].text == "."
        is_call = last + 1 < len(tokens) and tokens[last + 1].text == "(" and not follows_dot
        parts = [token.text for token in tokens[first : last + 1 : 2]]
        if is_call and len(parts) <= 3 and all(re.fullmatch(r"\w+", part) for part in parts):
            name = catalogs.full_name(parts)
            if name[0].lower() not in SESSION_CATALOGS and catalogs.store.exists("FUNCTION", name):
                pieces += [text[done : tokens[first].start], _own_name(name)]
                done = tokens[last].end + 1
        first = last + 1
    return "".join([*pieces, text[done:]])


def _own_name(name: list[str]) -> str:
    return f"spark_catalog.`{name[0].lower()}__{name[1].lower()}`.`{name[2]}`"
