"""Has Spark Connect refuse what Databricks' serverless compute refuses; Python imports this at its start.

Which settings are accepted, and that a stream needs a trigger that ends, is documented:
https://docs.databricks.com/en/spark/conf and https://docs.databricks.com/compute/serverless/limitations.
A server of open-source Spark refuses neither, so its client does, with the platform's error classes.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql.connect.conf import RuntimeConf
from pyspark.sql.connect.streaming.readwriter import DataStreamWriter

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


RuntimeConf.set = _set_what_is_accepted  # type: ignore[method-assign]
DataStreamWriter.start = _ending(DataStreamWriter.start)  # type: ignore[method-assign]
DataStreamWriter.toTable = _ending(DataStreamWriter.toTable)  # type: ignore[method-assign]
