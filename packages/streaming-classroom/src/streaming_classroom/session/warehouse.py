"""Registers the tables that an earlier kernel left in the warehouse.

The catalog of an open-source session lives as long as its JVM, while the tables' folders in the warehouse stay; on
Databricks both last.  Without this, a notebook that is run again could not create its table: the folder is in use.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAREHOUSE = "dbfs:/user/hive/warehouse"
_SCHEMA = ".db"


def restore(spark: SparkSession) -> None:
    """Register the Delta tables in the warehouse's folders, with their schemas; other folders are left alone."""
    folder = classroom_files().local_path(WAREHOUSE)
    if spark.conf.get("spark.sql.warehouse.dir") != WAREHOUSE or not folder.is_dir():
        return
    _restore_tables(spark, folder, "default")
    for schema in sorted(path for path in folder.glob(f"*{_SCHEMA}") if path.is_dir()):
        name = schema.name.removesuffix(_SCHEMA)
        with _skip_if_broken():
            spark.sql(f"CREATE SCHEMA IF NOT EXISTS `{name}`")
            _restore_tables(spark, schema, name)


def _restore_tables(spark: SparkSession, folder: Path, schema: str) -> None:
    place = f"{WAREHOUSE}/{folder.name}" if folder.name.endswith(_SCHEMA) else WAREHOUSE
    for table in sorted(path.parent.name for path in folder.glob("*/_delta_log")):
        with _skip_if_broken():
            spark.sql(f"CREATE TABLE IF NOT EXISTS `{schema}`.`{table}` USING delta LOCATION '{place}/{table}'")
            _make_managed(spark, f"`{schema}`.`{table}`")


@contextmanager
def _skip_if_broken() -> Iterator[None]:
    """Skip folders that the catalog rejects: using them reports the problem, starting must not fail."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    with suppress(PySparkException, Py4JError):
        yield


def _make_managed(spark: SparkSession, table: str) -> None:
    """Register a table as a managed one, so that dropping it removes its folder, as before the restart.

    SQL makes a table with a path external, and refuses to create one without a path where files exist; so the
    catalog's entry itself is changed, as Spark's own commands change it.
    """
    state = spark._jsparkSession.sessionState()
    entry = state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier(table))
    fields = [entry.productElement(number) for number in range(entry.productArity())]
    kinds = getattr(spark._jvm.org.apache.spark.sql.catalyst.catalog, "CatalogTableType$")
    fields[1] = getattr(kinds, "MODULE$").MANAGED()  # after the identifier
    state.catalog().alterTable(entry.copy(*fields))
