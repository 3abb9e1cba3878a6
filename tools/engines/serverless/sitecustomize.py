"""Has Spark Connect refuse what Databricks' serverless compute refuses; Python imports this at its start.

A server of open-source Spark refuses none of it, so its client does, with the platform's error classes.
:data:`REFUSED` has each refusal with the page that documents it.
"""

from __future__ import annotations

import logging
import os
from functools import wraps
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql.connect.catalog import Catalog
from pyspark.sql.connect.conf import RuntimeConf
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.streaming.readwriter import DataStreamWriter

_PAGES = "https://docs.databricks.com/en"
#: What is refused, and the page that says so. Connect itself has no ``sparkContext``, no RDD and no ``_jvm``.
REFUSED = {
    "settings other than a few": f"{_PAGES}/spark/conf",
    "triggers that do not end": f"{_PAGES}/compute/serverless/limitations",
    "cache, persist, CACHE TABLE": f"{_PAGES}/compute/serverless/limitations",
    "global temporary views": f"{_PAGES}/compute/serverless/limitations",
}
ACCEPTED = frozenset(
    {
        "spark.databricks.execution.timeout",
        "spark.sql.ansi.enabled",
        "spark.sql.files.maxPartitionBytes",
        "spark.sql.legacy.timeParserPolicy",
        "spark.sql.session.timeZone",
        "spark.sql.shuffle.partitions",
    }
)
_set = RuntimeConf.set


@wraps(_set)
def _set_what_is_accepted(self: RuntimeConf, key: str, value: Any) -> None:
    if key not in ACCEPTED:
        raise AnalysisException(f"[CONFIG_NOT_AVAILABLE] Configuration {key} is not available. SQLSTATE: 42K0I")
    _set(self, key, value)


def _ending(method: Any) -> Any:
    """Return a method that starts a stream, for streams that end by themselves."""

    @wraps(method)
    def start(self: DataStreamWriter, *args: Any, **kwargs: Any) -> Any:
        trigger = self._write_proto
        if not (trigger.available_now or trigger.once):
            raise AnalysisException(
                "[INFINITE_STREAMING_TRIGGER_NOT_SUPPORTED] Trigger type ProcessingTime is not supported for this "
                "cluster type. Use a different trigger type e.g. AvailableNow, Once. SQLSTATE: 0A000"
            )
        return method(self, *args, **kwargs)

    return start


def _refuse(owner: type, method: str, what: str) -> None:
    @wraps(getattr(owner, method))
    def refused(*_args: Any, **_kwargs: Any) -> Any:
        raise AnalysisException(
            f"[NOT_SUPPORTED_WITH_SERVERLESS] {what} is not supported on serverless compute. SQLSTATE: 0A000"
        )

    setattr(owner, method, refused)


def _share_files() -> None:
    """Let the kernel have the server's files and catalogs as its own, as those of a workspace are everybody's."""
    if "CLASSROOM_HOME" in os.environ and (files := os.environ.get("SERVERLESS_FILES")):
        os.environ["CLASSROOM_HOME"] = files


RuntimeConf.set = _set_what_is_accepted  # type: ignore[method-assign]
DataStreamWriter.start = _ending(DataStreamWriter.start)  # type: ignore[method-assign]
DataStreamWriter.toTable = _ending(DataStreamWriter.toTable)  # type: ignore[method-assign]
for _method in ("cache", "persist"):
    _refuse(DataFrame, _method, "PERSIST TABLE")
for _method in ("createGlobalTempView", "createOrReplaceGlobalTempView"):
    _refuse(DataFrame, _method, "GLOBAL TEMPORARY VIEW")
_refuse(Catalog, "cacheTable", "CACHE TABLE")
# Connect's logger is disabled when it is imported, and the kernel, which configures logging later, enables it again.
logging.getLogger("pyspark.sql.connect.logging").setLevel(logging.CRITICAL + 1)
_share_files()
