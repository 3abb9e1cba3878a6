"""``spark.sql`` with catalogs: which sessions have them, and the statements that Spark's parser does not have.

These are recognized by their first words.
"""

from __future__ import annotations

import fnmatch
import re
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException

from notebook_dialect.catalogs import grants
from notebook_dialect.catalogs.copy_into import copy_into
from notebook_dialect.catalogs.session_catalogs import (
    SESSION_CATALOGS,
    SessionCatalogs,
    create_function,
    drop_function,
    is_on_class_path,
    restore_functions,
    rewrite_calls,
    show_functions,
)
from notebook_dialect.catalogs.statement_reader import StatementReader, quoted_name
from notebook_dialect.catalogs.store import CatalogError, syntax_error
from notebook_dialect.dbutils.fs import FileSystemUtils
from notebook_dialect.sql.databricks_sql import DATABRICKS_CATALOG, catalog_edits
from streaming_base.rewritten_sql import Rewritten
from streaming_base.sql_statements import tokens_of, word

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from notebook_dialect.filesystem import FileSystem

_files: FileSystem | None = None  # of the process, whose sessions share a JVM
_has_catalogs = False  # without the class, COPY INTO is all that runs here


def enable(spark: SparkSession, files: FileSystem) -> bool:
    """Give a session and later ones the catalogs of the files' home; return whether the JVM has their class."""
    global _files, _has_catalogs
    _files, _has_catalogs = files, is_on_class_path(spark)
    if not _has_catalogs:
        return False
    if not hasattr(spark, "_jsparkSession"):  # a server has prepared its own
        return True
    catalogs = SessionCatalogs(spark, files, spark.sql)
    catalogs.prepare()
    restore_functions(catalogs)
    return True


def disable() -> None:
    """Let ``spark.sql`` leave statements about catalogs to Spark."""
    global _files, _has_catalogs
    _files, _has_catalogs = None, False


def run(spark: SparkSession, text: str, execute: Callable[[str], DataFrame]) -> DataFrame:
    """Run a statement: one of the catalogs' own, or Spark's, with the catalogs' functions if Spark finds no routine.

    ``spark``: the session; ``text``: the statement; ``execute``: has Spark run a statement.
    """
    __tracebackhide__ = True
    if _files is None or not isinstance(text, str):
        return execute(text)
    if not _has_catalogs and not hasattr(spark, "_jsparkSession"):
        return execute(text)
    if not _has_catalogs and text.lstrip()[:4].upper() != "COPY":
        return execute(text)
    if DATABRICKS_CATALOG in text.lower():  # first: as a refused name it would be a schema's elsewhere
        text = Rewritten.of(text, catalog_edits(tokens_of(text))).text
    catalogs = SessionCatalogs(spark, _files, execute)
    result = _run_own(catalogs, text)
    if result is not None and not isinstance(result, str):
        return result
    try:
        return execute(result or text)
    except AnalysisException as error:
        rewritten = rewrite_calls(catalogs, text) if "ROUTINE" in (error.getCondition() or "") else text
        if rewritten == text:
            raise
    return execute(rewritten)


# Other statements, SELECT and INSERT among them, are not even tokenized; a comment may stand before.
_FIRST_WORDS = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:(?:CREATE|REPLACE)\b(?=.*\b(?:CATALOG|VOLUME|FUNCTION|CLONE)\b)"
    r"|(?:DROP|USE|SET|SHOW|DESC|DESCRIBE|LIST|COMMENT|ALTER|GRANT|REVOKE|UNDROP|COPY|ANALYZE)\b)",
    re.IGNORECASE | re.DOTALL,
)


def _run_own(catalogs: SessionCatalogs, text: str) -> DataFrame | str | None:
    """Run a statement if it is one of these.

    Returns its result, the statement that Spark is to run in its place, or None for all other statements.
    """
    if not _FIRST_WORDS.match(text):
        return None
    reader = StatementReader(text)
    for words, handle in _HANDLERS.items():
        if reader.take(words):
            return handle(catalogs, reader)
    return None


def _create_catalog(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    if_missing, name, comment = reader.take("IF NOT EXISTS"), reader.name(), None
    while clause := reader.take_one("COMMENT", "MANAGED LOCATION", "DEFAULT COLLATION", "OPTIONS"):
        if clause == "COMMENT":
            comment = reader.string()
        elif clause == "OPTIONS":
            reader.pairs()
        else:
            reader.value()
    reader.require_end()
    catalogs.create_catalog(name[0], if_missing, comment)
    return catalogs.no_rows()


def _drop_catalog(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    if_exists, name = reader.take("IF EXISTS"), reader.name()
    catalogs.drop_catalog(name[0], if_exists, cascade=reader.take("CASCADE"))
    return catalogs.no_rows()


def _drop_schema(catalogs: SessionCatalogs, reader: StatementReader) -> None:
    """With CASCADE, drop the volumes of a schema with their files; the schema itself is then dropped by Spark."""
    reader.take("IF EXISTS")
    name = catalogs.full_schema(reader.name())
    if reader.take("CASCADE") and catalogs.store.exists("SCHEMA", name):
        for volume in catalogs.store.names("VOLUME", *name):
            catalogs.drop_volume([*name, volume], if_exists=True)


def _use_catalog(catalogs: SessionCatalogs, reader: StatementReader) -> str:
    name = reader.name()[0]
    if name.lower() in SESSION_CATALOGS:
        return "USE spark_catalog.default"
    catalogs.store.read("CATALOG", [name])
    catalogs.register(name)
    return f"SET CATALOG `{name}`"


def _use_schema(catalogs: SessionCatalogs, reader: StatementReader) -> str | None:
    name = reader.name()
    return f"USE {quoted_name(name)}" if len(name) > 1 else None


def _show_catalogs(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    names = sorted({*catalogs.store.names("CATALOG"), "hive_metastore", "system"})
    is_like = _pattern(reader)
    return catalogs.frame("catalog STRING", [(name,) for name in names if is_like(name)])


def _describe_catalog(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    extended, name = reader.take("EXTENDED"), reader.name()[0]
    entry = catalogs.store.read("CATALOG", [name])
    rows = [("Catalog Name", name), ("Comment", entry["comment"] or ""), ("Owner", entry["owner"])]
    if extended:
        rows += [("Catalog Type", "Regular"), ("Created At", _time(entry)), ("Created By", entry["owner"])]
    return catalogs.frame("info_name STRING, info_value STRING", rows)


def _create_volume(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    is_external = word(reader.tokens[1]) == "EXTERNAL"
    if_missing, name = reader.take("IF NOT EXISTS"), catalogs.full_name(reader.name())
    said: dict[str, str] = {}
    while clause := reader.take_one("COMMENT", "LOCATION"):
        said[clause] = reader.string()
    reader.require_end()
    if is_external and "LOCATION" not in said:
        raise syntax_error("An external volume needs a LOCATION.")
    catalogs.create_volume(name, if_missing, said.get("LOCATION"), said.get("COMMENT"))
    return catalogs.no_rows()


def _drop_volume(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    if_exists = reader.take("IF EXISTS")
    catalogs.drop_volume(catalogs.full_name(reader.name()), if_exists)
    return catalogs.no_rows()


def _show_volumes(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    schema = catalogs.full_schema(reader.name() if reader.take_one("IN", "FROM") else [])
    is_like = _pattern(reader)
    catalogs.store.read("SCHEMA", schema)
    names = [name for name in catalogs.store.names("VOLUME", *schema) if is_like(name)]
    return catalogs.frame("database STRING, volume_name STRING", [(schema[1], name) for name in names])


def _describe_volume(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    name = catalogs.full_name(reader.name())
    entry = catalogs.store.read("VOLUME", name)
    row = (name[2], name[0], name[1], entry["owner"], entry["comment"], entry["type"], entry["location"], _time(entry))
    columns = ("name", "catalog", "database", "owner", "comment", "volume_type", "storage_location", "created_at")
    return catalogs.frame(", ".join(f"{column} STRING" for column in columns), [row])


def _list_files(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    found = FileSystemUtils(catalogs.files).ls(reader.string())
    rows = [(one.path, one.name, one.size, one.modificationTime) for one in found]
    return catalogs.frame("path STRING, name STRING, size BIGINT, modification_time BIGINT", rows)


def _undrop(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    catalogs.store.undrop(catalogs.full_name(reader.name()))
    return catalogs.no_rows()


def _show_dropped(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame:
    schema = catalogs.full_schema(reader.name() if reader.take_one("IN", "FROM") else [])
    rows = [(*schema, name, when) for name, when in catalogs.store.dropped_tables(schema)]
    return catalogs.frame("catalogName STRING, schemaName STRING, tableName STRING, deletedAt BIGINT", rows)


def _clone(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame | None:
    """Clone to the path of the new table, then record its name: Delta asks the session's own catalog for clones."""
    if "CLONE" not in map(word, reader.tokens):
        return None
    head = reader.text[: reader.tokens[reader.position - 1].end + 1]
    if_missing, written = reader.take("IF NOT EXISTS"), reader.name()
    is_shallow = reader.take("SHALLOW CLONE")
    is_path = len(written) == 2 and written[0].lower() == "delta"
    if not is_shallow or is_path or (name := catalogs.full_name(written))[0].lower() in SESSION_CATALOGS:
        return None
    catalogs.store.read("SCHEMA", name[:2])
    before = catalogs.store.read("TABLE", name) if catalogs.store.exists("TABLE", name) else None
    if before and if_missing:
        return catalogs.no_rows()
    if before and ("REPLACE" not in head.upper() or before.get("provider") != "delta"):
        raise CatalogError("TABLE_OR_VIEW_ALREADY_EXISTS", f"{'.'.join(name)} exists.")
    source, location = _without_location(reader)
    entry = before or _new_table(catalogs, name, location)
    created = catalogs.execute(f"{head} delta.`{entry['location']}` SHALLOW CLONE {source}")
    if not before:
        catalogs.store.create("TABLE", name, **entry)
    return created


def _without_location(reader: StatementReader) -> tuple[str, str | None]:
    """Return the rest of a CLONE without its clause LOCATION, and the location."""
    begin, location, cut = reader.tokens[reader.position].start, None, (0, 0)
    while not reader.is_at_end:
        first = reader.tokens[reader.position]
        if reader.take("LOCATION"):
            location = reader.string()
            cut = first.start, reader.tokens[reader.position - 1].end + 1
        else:
            reader.next()
    text = reader.text
    return (text[begin : cut[0]] + text[cut[1] :] if location else text[begin:]), location


def _new_table(catalogs: SessionCatalogs, name: list[str], location: str | None) -> dict[str, Any]:
    """Return what is recorded of a new Delta table, as ``Folder.newEntry`` of the Java class does."""
    kind = "EXTERNAL" if location else "MANAGED"
    folder = location or catalogs.table_folder(name, f"{time.time_ns():x}")
    of_delta = {"partitions": [], "properties": {}, "options": {}, "schema": '{"type":"struct","fields":[]}'}
    return {"type": kind, "provider": "delta", "location": folder} | of_delta


def _analyze(catalogs: SessionCatalogs, reader: StatementReader) -> DataFrame | None:
    name = catalogs.full_name(reader.name())
    if name[0].lower() in SESSION_CATALOGS:
        return None
    catalogs.store.read("TABLE", name)
    catalogs.say_once("ANALYZE TABLE computes nothing here: Delta records its statistics with each write.")
    return catalogs.no_rows()


_HANDLERS: dict[str, Callable[[SessionCatalogs, StatementReader], DataFrame | str | None]] = {
    "CREATE CATALOG": _create_catalog,
    "DROP CATALOG": _drop_catalog,
    "DROP SCHEMA": _drop_schema,
    "DROP DATABASE": _drop_schema,
    "USE CATALOG": _use_catalog,
    "SET CATALOG": _use_catalog,
    "USE SCHEMA": _use_schema,
    "USE DATABASE": _use_schema,
    "USE NAMESPACE": _use_schema,
    "SHOW CATALOGS": _show_catalogs,
    "DESCRIBE CATALOG": _describe_catalog,
    "DESC CATALOG": _describe_catalog,
    "CREATE VOLUME": _create_volume,
    "CREATE EXTERNAL VOLUME": _create_volume,
    "DROP VOLUME": _drop_volume,
    "SHOW VOLUMES": _show_volumes,
    "DESCRIBE VOLUME": _describe_volume,
    "DESC VOLUME": _describe_volume,
    "LIST": _list_files,
    "COMMENT ON": grants.comment_on,
    "ALTER": grants.alter,
    "GRANT": partial(grants.change_grants, is_grant=True),
    "REVOKE": partial(grants.change_grants, is_grant=False),
    "SHOW GRANTS": grants.show_grants,
    "SHOW GRANT": grants.show_grants,
    "UNDROP TABLE": _undrop,
    "UNDROP VIEW": _undrop,
    "SHOW TABLES DROPPED": _show_dropped,
    "COPY INTO": copy_into,
    "CREATE FUNCTION": create_function,
    "CREATE OR REPLACE FUNCTION": create_function,
    "DROP FUNCTION": drop_function,
    "SHOW USER FUNCTIONS IN": show_functions,
    "SHOW USER FUNCTIONS FROM": show_functions,
    "SHOW FUNCTIONS IN": show_functions,
    "CREATE TABLE": _clone,
    "CREATE OR REPLACE TABLE": _clone,
    "REPLACE TABLE": _clone,
    "ANALYZE TABLE": _analyze,
}


def _pattern(reader: StatementReader) -> Callable[[str], bool]:
    """Return whether a name matches the pattern that comes next: ``*`` and ``%`` are any characters, ``|`` is or."""
    reader.take("LIKE")
    patterns = reader.string().lower().replace("%", "*").split("|") if not reader.is_at_end else ["*"]
    return lambda name: any(fnmatch.fnmatchcase(name.lower(), pattern.strip()) for pattern in patterns)


def _time(entry: dict[str, Any]) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(entry["created"] / 1000))
