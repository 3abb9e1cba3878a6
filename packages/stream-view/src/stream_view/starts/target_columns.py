"""Columns of a stream that only partly fit its Delta table.

Delta fills a column that the stream does not have with NULL, and casts what has another type, silently; a name
that was misspelt is such a column.  One line below the cell says which.  Where columns are new and no more, Delta says
so itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stream_view.starts.start import Start
from streaming_base import front_end

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

_SINK = "DeltaSink"
#: Metadata of a column that its table can fill by itself.
_FILLED = ("delta.generationExpression", "delta.identity.start", "CURRENT_DEFAULT")


def compare(start: Start, query: StreamingQuery) -> None:
    """Report the columns of a stream that do not fit its Delta table."""
    if start.frame is None:
        return
    sink = query._jsq.streamingQuery().sink()
    if sink.getClass().getSimpleName() != _SINK:
        return
    there = _columns(_schema_of_table(start.spark, sink.path()))
    here = _columns(json.loads(start.frame._jdf.schema().json()))
    merges = str(start.options.get("mergeschema", "")).lower() == "true"
    if there and (differences := _differences(start.spark, here, there, merges)):
        front_end.print_below(start.cell, f"Not all columns fit the table of this stream: {'; '.join(differences)}.")


def _schema_of_table(spark: SparkSession, path: Any) -> dict[str, Any]:
    """Return the schema in Delta's log, with hidden parts; a missing table has no columns."""
    log = spark._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path)
    return json.loads(log.unsafeVolatileSnapshot().metadata().schema().json())


def _columns(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {field["name"].lower(): field for field in schema["fields"]}


def _differences(
    spark: SparkSession, here: dict[str, dict[str, Any]], there: dict[str, dict[str, Any]], merges: bool
) -> list[str]:
    said = [
        f"{field['name']} is missing and becomes NULL"
        for name, field in there.items()
        if name not in here and not any(key in field["metadata"] for key in _FILLED)
    ]
    said += [
        f"{field['name']} is cast from {_words(here[name]['type'])} to {_words(field['type'])}"
        for name, field in there.items()
        if name in here and not _fits(spark, here[name]["type"], field["type"])
    ]
    if not said:
        return []
    new = [field["name"] for name, field in here.items() if name not in there]
    if new and not merges:
        said.append(f"{', '.join(new)} {'is' if len(new) == 1 else 'are'} new, which Delta refuses without mergeSchema")
    return said


def _fits(spark: SparkSession, here: Any, there: Any) -> bool:
    """Whether a cast loses nothing, as Spark sees it: an INT is a BIGINT."""
    if here == there or not (isinstance(here, str) and isinstance(there, str)):
        return True  # what is nested is Delta's to compare
    types = spark._jvm.org.apache.spark.sql.types.DataType
    cast = spark._jvm.org.apache.spark.sql.catalyst.expressions.Cast
    return bool(cast.canUpCast(types.fromJson(json.dumps(here)), types.fromJson(json.dumps(there))))


def _words(kind: str) -> str:
    return {"long": "BIGINT", "integer": "INT", "short": "SMALLINT", "byte": "TINYINT"}.get(kind, kind.upper())
