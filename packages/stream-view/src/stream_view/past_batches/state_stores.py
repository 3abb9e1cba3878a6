"""What is in the state stores after a batch: a frame for each store, by Spark's ``statestore`` source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_SIDES = ("left", "right")


def state_stores(spark: SparkSession, checkpoint: str, batch: int) -> dict[str, DataFrame]:
    """Return a frame of ``key``, ``value`` and ``partition_id`` for each state store; nothing of a stateless query.

    Parameters
    ----------
    spark : SparkSession
        Classic or over Spark Connect.
    checkpoint : str
        The folder, which is only read.
    batch : int
        The batch after which the state is read: one that is committed, and whose state is still there.

    Returns
    -------
    dict of str to DataFrame
        By ``<operator>`` as reports name it, ``<operator>.left`` and ``.right`` of a join, or ``<operator>.<variable>``
        of ``transformWithState``; with the operator's number and a space before it where there are several.
    """
    operators = _operators(spark, checkpoint)
    several = len({row["operatorId"] for row in operators}) > 1
    found = {}
    for row in operators:
        prefix = f"{row['operatorId']} " if several else ""
        for suffix, options in _parts(row):
            reader = spark.read.format("statestore").option("batchId", batch).option("operatorId", row["operatorId"])
            frame = reader.options(**options).load(checkpoint)
            found[f"{prefix}{row['operatorName']}{suffix}"] = (
                _with_named_fields(frame) if "joinSide" in options else frame
            )
    return found


def _with_named_fields(frame: DataFrame) -> DataFrame:
    """Return the state of a join with the fields that its schema names.

    The rows have one more, whether the row was matched, at which JSON and other readers of whole structs fail (Spark
    4.2).
    """
    fields = frame.schema["value"].dataType.fieldNames()  # type: ignore[attr-defined]  # it is a struct
    return frame.withColumn("value", F.struct(*(F.col("value").getField(name).alias(name) for name in fields)))


def _operators(spark: SparkSession, checkpoint: str) -> list[Row]:
    """Return a row of Spark's ``state-metadata`` for each operator; none where there is no state."""
    try:
        rows = spark.read.format("state-metadata").load(checkpoint).collect()
    except (AnalysisException, PySparkException) as error:
        if _is_about_no_state(error):
            return []
        raise
    return list({row["operatorId"]: row for row in rows}.values())


def _is_about_no_state(error: Exception) -> bool:
    return "does not exist" in str(error) or "FileNotFound" in str(error) or "UNABLE_TO_READ_METADATA" in str(error)


def _parts(operator: Row) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what stands after the operator's name, and the options that read that part of its state."""
    if operator["operatorName"] == "symmetricHashJoin":
        yield from ((f".{side}", {"joinSide": side}) for side in _SIDES)
    elif variables := _variables(operator):
        yield from ((f".{name}", {"stateVarName": name}) for name in variables)
    else:
        yield "", {}


def _variables(operator: Row) -> list[str]:
    properties = json.loads(operator["operatorProperties"] or "{}")
    names = [variable["stateName"] for variable in properties.get("stateVariables", [])]
    return [name for name in names if not name.startswith("$")]  # of which Spark makes others, such as for TTL
