"""Grants, tags, owners and comments: recorded and shown, as on the platform, and grants enforced nowhere.

Row filters and column masks are refused: what they change are the rows of a query.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from notebook_dialect.catalogs.session_catalogs import SESSION_CATALOGS
from notebook_dialect.catalogs.store import CatalogError, syntax_error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_dialect.catalogs.session_catalogs import SessionCatalogs
    from notebook_dialect.catalogs.statement_reader import StatementReader

_KINDS = (
    "CATALOG",
    "SCHEMA",
    "DATABASE",
    "TABLE",
    "VIEW",
    "VOLUME",
    "FUNCTION",
    "STREAMING TABLE",
    "MATERIALIZED VIEW",
)
_SAME_KIND = {"DATABASE": "SCHEMA", "STREAMING TABLE": "TABLE", "MATERIALIZED VIEW": "VIEW"}
_CHANGES_ROWS = re.compile(r"\bSET\s+(ROW\s+FILTER|MASK)\b", re.IGNORECASE)
_RECORDED = re.compile(r"\b(OWNER\s+TO|(UN)?SET\s+TAGS)\b|^\s*ALTER\s+(CATALOG|VOLUME)", re.IGNORECASE)
_NOT_ENFORCED = "Grants are recorded and shown here, and nobody is kept from anything: this Spark has one user."
#: The privileges of the platform's page "Unity Catalog privileges and securable objects", and three of Hive's.
PRIVILEGES = frozenset(
    {"ALL PRIVILEGES", "APPLY TAG", "BROWSE", "EXECUTE", "EXTERNAL USE SCHEMA", "MANAGE", "MODIFY", "READ FILES"}
    | {"READ VOLUME", "REFRESH", "SELECT", "USE CATALOG", "USE CONNECTION", "USE SCHEMA", "WRITE FILES", "WRITE VOLUME"}
    | {"CREATE CATALOG", "CREATE CONNECTION", "CREATE EXTERNAL LOCATION", "CREATE EXTERNAL TABLE"}
    | {"CREATE EXTERNAL VOLUME", "CREATE FOREIGN CATALOG", "CREATE FUNCTION", "CREATE MANAGED STORAGE"}
    | {"CREATE MATERIALIZED VIEW", "CREATE MODEL", "CREATE SCHEMA", "CREATE SHARE", "CREATE STORAGE CREDENTIAL"}
    | {"CREATE TABLE", "CREATE VIEW", "CREATE VOLUME", "USAGE", "INSERT", "UPDATE", "DELETE"}
)


def comment_on(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame | None:
    """Record the comment of a catalog or a volume; those of tables and schemas are Spark's business."""
    if reader.tokens[reader.position].text.upper() not in ("CATALOG", "VOLUME"):
        return None
    kind, name = _object(catalogs, reader)
    reader.require("IS")
    catalogs.store.change(kind, name, comment=None if reader.take("NULL") else reader.string())
    return catalogs.no_rows()


def alter(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame | None:
    """Record an owner or tags, or rename a volume; the rest of ALTER is Spark's business."""
    if _CHANGES_ROWS.search(reader.text):
        sentence = "Row filters and masks change the rows of a query, and nothing enforces them here."
        raise CatalogError("NOT_SUPPORTED", sentence)
    if not _RECORDED.search(reader.text):
        return None
    kind, name = _object(catalogs, reader)
    if name[0].lower() in SESSION_CATALOGS:
        return None
    entry, column = catalogs.store.read(kind, name), None
    if reader.take("ALTER COLUMN") or reader.take("ALTER"):
        column = reader.value()
    if reader.take("SET OWNER TO") or reader.take("OWNER TO"):
        entry["owner"] = reader.value()
    elif action := reader.take_one("SET TAGS", "UNSET TAGS"):
        of_columns = entry.setdefault("column_tags", {}) if column is not None else {}
        tags = entry.setdefault("tags", {}) if column is None else of_columns.setdefault(column, {})
        for key, value in reader.pairs().items():
            if action == "SET TAGS":
                tags[key] = value
            else:
                tags.pop(key, None)
    elif kind == "VOLUME" and reader.take("RENAME TO"):
        catalogs.rename_volume(name, catalogs.full_name(reader.name()))
        return catalogs.no_rows()
    reader.require_end()
    catalogs.store.change(kind, name, **entry)
    return catalogs.no_rows()


def show_grants(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    """Return the grants on an object, with those that its catalog and its schema hand down."""
    principal = None if reader.take("ON") else reader.value()
    if principal:
        reader.require("ON")
    kind, name = _object(catalogs, reader)
    rows = []
    for depth in range(1, len(name) + 1):
        level = kind if depth == len(name) else ("CATALOG", "SCHEMA")[depth - 1]
        for grantee, held in catalogs.store.read(level, name[:depth]).get("grants", {}).items():
            rows += [(grantee, one, level, ".".join(name[:depth])) for one in held if principal in (None, grantee)]
    return catalogs.frame("Principal STRING, ActionType STRING, ObjectType STRING, ObjectKey STRING", rows)


def change_grants(catalogs: SessionCatalogs, reader: StatementReader, is_grant: bool) -> DataFrame:
    """Record that a principal has privileges, or has them no longer."""
    privileges = _privileges(reader)
    if unknown := sorted(set(privileges) - PRIVILEGES):
        raise syntax_error(f"There is no privilege {unknown[0]}.")
    kind, name = _object(catalogs, reader)
    reader.require("TO" if is_grant else "FROM")
    principal = reader.value()
    grants = catalogs.store.read(kind, name).get("grants", {})
    held = set(grants.get(principal, []))
    grants[principal] = sorted(held | set(privileges) if is_grant else held - set(privileges))
    catalogs.store.change(kind, name, grants={grantee: held for grantee, held in grants.items() if held})
    catalogs.say_once(_NOT_ENFORCED)
    return catalogs.no_rows()


def _privileges(reader: StatementReader) -> list[str]:
    found: list[list[str]] = [[]]
    while not reader.take("ON"):
        if reader.take(","):
            found.append([])
        else:
            found[-1].append(reader.value().upper())
    return [" ".join(words) for words in found]


def _object(catalogs: SessionCatalogs, reader: StatementReader) -> tuple[str, list[str]]:
    """Return the kind and the full name of an object; without a kind it is a table."""
    kind = reader.take_one(*_KINDS) or "TABLE"
    kind = _SAME_KIND.get(kind, kind)
    name = reader.name()
    if kind == "CATALOG":
        return kind, name[:1]
    return kind, catalogs.full_schema(name) if kind == "SCHEMA" else catalogs.full_name(name)
