"""The catalogs of a session: which exist, which are current, and how Spark learns of them.

A catalog is a setting, ``spark.sql.catalog.NAME``; it is set in the session and in the context, so that sessions that
begin later have it as well.

SQL functions are the exception: a catalog in Java cannot hold them in Spark 4.2.  The session's own catalog keeps
them in the schema ``CATALOG__SCHEMA``, and a call by the full name is rewritten.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_dialect.catalogs.store import CatalogError, CatalogStore, catalogs_folder, volume_folder
from streaming_base.sql_statements import is_quoted, tokens_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from notebook_dialect.catalogs.statement_reader import StatementReader
    from notebook_dialect.filesystem import FileSystem

CLASS = "notebook_dialect.catalogs.FolderCatalog"
#: Names of the session's own catalog, which is not one of folders.
SESSION_CATALOGS = ("hive_metastore", "spark_catalog")
_RESERVED = ("system", "samples", *SESSION_CATALOGS)
_TABLES = "dbfs:/__unitystorage"
_UNDROP_DAYS = 7  # for so long a dropped table can be brought back
_said: set[str] = set()


class SessionCatalogs:
    """The catalogs in one session.

    ``spark``: A session with ``FolderCatalog`` on its class path; ``files``: the files of ``dbfs:/``; what is
    recorded of the catalogs is in their home; ``execute``: has Spark run a statement of SQL, without another look at
    it.
    """

    def __init__(self, spark: SparkSession, files: FileSystem, execute: Callable[[str], DataFrame]) -> None:
        self.spark, self.files, self.execute = spark, files, execute
        self.store = CatalogStore(catalogs_folder(files))

    def prepare(self) -> None:
        """Make the catalogs of the home known to the session, with ``workspace``, which every account has."""
        self._purge()
        self._create("workspace", if_missing=True, comment="The catalog that every workspace has.")
        for name in [*self.store.names("CATALOG"), "system"]:
            self.register(name)

    def _purge(self) -> None:
        """Delete the files of managed tables that can no longer be brought back."""
        storage = self.files.local_path(_TABLES)
        for location in self.store.purge(time.time_ns() // 1_000_000 - _UNDROP_DAYS * 24 * 3_600_000):
            folder = self.files.local_path(location)
            if folder.is_relative_to(storage) and folder != storage:
                shutil.rmtree(folder, ignore_errors=True)

    def create_catalog(self, name: str, if_missing: bool = False, comment: str | None = None) -> None:
        """Create a catalog with its schema ``default``."""
        name = name.lower()
        if name in _RESERVED:
            raise CatalogError("CATALOG_ALREADY_EXISTS", f"Every workspace has a catalog {name}.")
        self._create(name, if_missing, comment)
        self.register(name)
        # Spark loads a catalog at its first use, and spark.catalog.listCatalogs has those that are loaded.
        self.execute(f"SHOW SCHEMAS IN {name}")

    def _create(self, name: str, if_missing: bool, comment: str | None) -> None:
        if self.store.create("CATALOG", [name], if_missing, comment=comment):
            self.store.create("SCHEMA", [name, "default"], if_missing=True, properties={})

    def register(self, name: str) -> None:
        """Make a catalog known to the session and to later ones; calling it again changes nothing."""
        key = f"spark.sql.catalog.{name.lower()}"
        if self.spark.conf.get(key, None) == CLASS:
            return
        settings = {f"{key}.metadata": str(self.store.root), f"{key}.storage": _TABLES, key: CLASS}
        for setting, value in settings.items():
            self.spark.conf.set(setting, value)
        if self._has_jvm:
            for setting, value in settings.items():
                self.spark.sparkContext._jsc.sc().conf().set(setting, value)

    def drop_catalog(self, name: str, if_exists: bool, cascade: bool) -> None:
        """Drop a catalog, with CASCADE what is in it as well; its tables' files stay."""
        name = name.lower()
        if if_exists and not self.store.exists("CATALOG", [name]):
            return
        self.store.read("CATALOG", [name])
        schemas = self.store.names("SCHEMA", name)
        filled = [schema for schema in schemas if schema != "default" or self._has_objects(name, schema)]
        if filled and not cascade:
            sentence = f"The catalog {name} has schemas: {', '.join(filled)}. Drop them, or add CASCADE."
            raise CatalogError("CATALOG_NOT_EMPTY", sentence)
        if self.spark.catalog.currentCatalog() == name:
            self.execute("USE spark_catalog.default")
        for schema in schemas:
            for volume in self.store.names("VOLUME", name, schema):
                self.drop_volume([name, schema, volume], if_exists=True)
        self.store.forget_catalog(name)
        for option in ("", ".metadata", ".storage"):
            self.spark.conf.unset(f"spark.sql.catalog.{name}{option}")
            if self._has_jvm:
                self.spark.sparkContext._jsc.sc().conf().remove(f"spark.sql.catalog.{name}{option}")

    @property
    def _has_jvm(self) -> bool:
        """Whether the driver is in this process: later sessions of it get what its context is told."""
        return hasattr(self.spark, "_jsparkSession")

    def _has_objects(self, catalog: str, schema: str) -> bool:
        return any(self.store.names(kind, catalog, schema) for kind in ("TABLE", "VOLUME", "FUNCTION"))

    def full_name(self, name: list[str]) -> list[str]:
        """Return the name of a table, view, volume or function with its catalog and schema."""
        if len(name) > 3:
            raise CatalogError("INVALID_PARAMETER_VALUE", f"A name has at most three parts: {'.'.join(name)}")
        return [*self._current()[: 3 - len(name)], *name]

    def full_schema(self, name: list[str]) -> list[str]:
        """Return the name of a schema with its catalog."""
        return [*self._current()[: 2 - len(name)], *name]

    def _current(self) -> list[str]:
        return [self.spark.catalog.currentCatalog(), self.spark.catalog.currentDatabase()]

    def create_volume(self, name: list[str], if_missing: bool, location: str | None, comment: str | None) -> None:
        """Create a volume: a folder, or with a location a link to it."""
        self.store.read("SCHEMA", name[:2])
        target = self.files.local_path(location) if location else None  # which refuses a store that needs an account
        path = "dbfs:/Volumes/" + "/".join(part.lower() for part in name)
        kind = "EXTERNAL" if location else "MANAGED"
        if not self.store.create("VOLUME", name, if_missing, comment=comment, type=kind, location=location or path):
            return
        folder = volume_folder(self.files, name)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if target is not None:
            target.mkdir(parents=True, exist_ok=True)
            folder.symlink_to(target, target_is_directory=True)
        else:
            folder.mkdir(exist_ok=True)

    def drop_volume(self, name: list[str], if_exists: bool) -> None:
        """Drop a volume, with its files unless it is external."""
        if if_exists and not self.store.exists("VOLUME", name):
            return
        self.store.read("VOLUME", name)
        folder = volume_folder(self.files, name)
        self.store.remove("VOLUME", name)
        if folder.is_symlink():  # an external volume: its files are not ours
            folder.unlink()
        else:
            shutil.rmtree(folder, ignore_errors=True)

    def rename_volume(self, name: list[str], new: list[str]) -> None:
        """Rename a volume; its files move with it."""
        entry = self.store.read("VOLUME", name)
        self.store.create("VOLUME", new, **entry)
        volume_folder(self.files, name).replace(volume_folder(self.files, new))
        self.store.remove("VOLUME", name)

    def table_folder(self, name: list[str], suffix: str) -> str:
        """Return the path of a new managed table, as ``Folder.newLocation`` of the Java class does."""
        return "/".join([_TABLES, *(part.lower() for part in name)]) + f"-{suffix}"

    def frame(self, schema: str, rows: list[tuple[Any, ...]]) -> DataFrame:
        """Return rows as a statement's result."""
        return self.spark.createDataFrame(rows, schema)

    def no_rows(self) -> DataFrame:
        """Return the result of a statement that has none."""
        return self.spark.createDataFrame([], "status STRING").drop("status")

    @staticmethod
    def say_once(sentence: str) -> None:
        """Print a sentence, the first time in this process."""
        if sentence not in _said:
            _said.add(sentence)
            print(sentence)


def is_on_class_path(spark: SparkSession) -> bool:
    """Whether a session's JVM has the class of the catalogs; over Spark Connect, whether the server has a catalog."""
    if not hasattr(spark, "_jsparkSession"):
        return spark.conf.get("spark.sql.catalog.workspace", None) == CLASS
    jars: str = spark.sparkContext.getConf().get("spark.driver.extraClassPath") or ""
    return any(Path(jar).name.startswith("catalogs-") for jar in jars.split(os.pathsep))


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
