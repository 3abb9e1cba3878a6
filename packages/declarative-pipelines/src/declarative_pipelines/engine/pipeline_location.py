"""A pipeline's name, and where its tables and files are stored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from declarative_pipelines.engine.jvm_values import JvmValues
from declarative_pipelines.engine.storage import Storage
from declarative_pipelines.sql.catalogs import OWN, CatalogMap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_CELLS = "notebook"


@dataclass(frozen=True)
class PipelineLocation:
    """Where a pipeline is."""

    name: str
    catalog: str
    database: str
    storage: Storage


def find_location(
    session: SparkSession,
    files: Sequence[str | Path],
    database: str | None,
    storage: str | None,
    name: str | None,
    catalogs: CatalogMap,
) -> PipelineLocation:
    """Return where a pipeline is; its database is made if there is none.

    Without a storage it has a folder in the database's own, so dropping the database drops what belongs to its tables.
    """
    *given, database = (database or session.catalog.currentDatabase()).replace("`", "").split(".")
    catalog, database = catalogs.located(given[0] if given else OWN, database)
    session.sql(f"CREATE SCHEMA IF NOT EXISTS `{database}`")
    name = name or (Path(files[0]).stem if files else OF_CELLS)
    if storage is None:
        folder = re.sub(r"[^\w-]", "_", name)
        storage = f"{session.catalog.getDatabase(database).locationUri.rstrip('/')}/_pipelines/{folder}"
    return PipelineLocation(name, catalog, database, Storage(session, _absolute(session, storage)))


def _absolute(session: SparkSession, path: str) -> str:
    java = JvmValues(session).new("org.apache.hadoop.fs.Path", path)
    return java.getFileSystem(session._jsc.hadoopConfiguration()).makeQualified(java).toString()
