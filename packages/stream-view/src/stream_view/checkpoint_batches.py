"""``batches(checkpoint)``: the batches of a checkpoint in a frame, from its offset log, commit log and state stores.

The logs are read as the text that they are: by Spark, wherever the checkpoint is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F

from streaming_base.errors import ExplainedError
from streaming_base.progress_reports import is_batch, reports_since, rows_read, state_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.streaming import StreamingQuery


def batches(
    checkpoint: str, query: StreamingQuery | None = None, count_state: bool = False, spark: SparkSession | None = None
) -> pd.DataFrame:
    """Return the batches that a checkpoint has, one row for each.

    The checkpoint is only read; a query may run with it.

    Parameters
    ----------
    checkpoint : str
        The folder.
    query : StreamingQuery, optional
        The query, running or stopped, that has run these batches: how many rows they read, and how many were in the
        state after them, is in its reports and not in the checkpoint.
    count_state : bool
        Count the rows of the state after each batch, a job for each: for batches of which there is no report.
    spark : SparkSession, optional
        Classic or over Spark Connect; by default the active one.

    Returns
    -------
    pandas.DataFrame
        ``batch``; ``committed``, whether it has ended; ``planned``, when; ``offsets``, where each source's rows of the
        batch end, a list of JSON texts; ``watermark``, with which it was planned; ``rows`` that it read; ``state_rows``
        and ``state_bytes`` after it. Times are UTC; what is not known is missing.

    Raises
    ------
    NotACheckpoint
        The folder has no offset log.
    """
    if spark is None:
        from pyspark.sql import SparkSession as AnySession  # classic or Connect, whichever this process has

        spark = AnySession.active()
    logged = checkpoint_log(spark, checkpoint)
    reports = {report["batchId"]: report for report in reports_since(query, None) if is_batch(report)} if query else {}
    rows = [_row(logged[number], reports.get(number)) for number in sorted(logged)]
    if count_state:
        for row in rows:
            if row["committed"] and row["state_rows"] is None:
                stores = state_stores(spark, checkpoint, row["batch"])
                row["state_rows"] = sum(frame.count() for frame in stores.values()) if stores else None
    frame = pd.DataFrame(rows, columns=["batch", "committed", "planned", "offsets", "watermark", *_COUNTS])
    times = dict.fromkeys(("planned", "watermark"), "datetime64[ms]")
    return frame.astype(dict.fromkeys(_COUNTS, "Int64") | times)


_COUNTS = ("rows", "state_rows", "state_bytes")


def _row(batch: LoggedBatch, report: Mapping[str, Any] | None) -> dict[str, Any]:
    operators = report["stateOperators"] if report else []
    return {
        "batch": batch.number,
        "committed": batch.is_committed,
        "planned": _time(batch.timestamp),
        "offsets": batch.offsets,
        "watermark": _time(batch.watermark),
        "rows": rows_read(report) if report else None,
        "state_rows": state_rows(report, "numRowsTotal") if report else None,
        "state_bytes": sum(int(operator["memoryUsedBytes"]) for operator in operators) if operators else None,
    }


def _time(milliseconds: int) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).replace(tzinfo=None) if milliseconds else None


_SIDES = ("left", "right")


def state_stores(spark: SparkSession, checkpoint: str, batch: int) -> dict[str, DataFrame]:
    """Return a frame of ``key``, ``value`` and ``partition_id`` for each state store after a committed batch.

    The keys are ``<operator>`` as reports name it, ``<operator>.left`` and ``.right`` for a join, and
    ``<operator>.<variable>`` for ``transformWithState``; the operator's number is added if there are several.
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
    """Return the state of a join with the fields of its schema.

    The rows have one more, whether the row was matched, at which JSON and other readers of whole structs fail (Spark
    4.2).
    """
    fields = frame.schema["value"].dataType.fieldNames()  # type: ignore[attr-defined]  # it is a struct
    return frame.withColumn("value", F.struct(*(F.col("value").getField(name).alias(name) for name in fields)))


def _operators(spark: SparkSession, checkpoint: str) -> list[Row]:
    """Return a row of Spark's ``state-metadata`` for each operator; none for a stateless query."""
    try:
        rows = spark.read.format("state-metadata").load(checkpoint).collect()
    except PySparkException as error:
        if any(text in str(error) for text in ("does not exist", "FileNotFound", "UNABLE_TO_READ_METADATA")):
            return []
        raise
    return list({row["operatorId"]: row for row in rows}.values())


def _parts(operator: Row) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the suffix of the operator's name and the reader options, for each part of its state."""
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


_VERSION = "v"  # the first line of each entry begins with it
_NOTHING = "-"  # the offset of a source that had none yet


@dataclass(eq=False)
class NotACheckpoint(ExplainedError):
    """The folder has no offset log, so it is not a checkpointLocation."""

    checkpoint: str

    def __str__(self) -> str:
        return (
            f"{self.checkpoint} has no offset log, so no stream has begun a batch with it. Give the folder that the "
            "stream had as its checkpointLocation."
        )


@dataclass(eq=False)
class NoSuchBatch(ExplainedError):
    """The checkpoint lacks the entries that a replay of the batch needs."""

    batch: int
    first: int
    last: int

    def __str__(self) -> str:
        if self.first > self.last:
            return "The checkpoint has no two consecutive batches, so none can be run again."
        there = f"batch {self.first}" if self.first == self.last else f"batches {self.first} to {self.last}"
        return (
            f"Batch {self.batch} cannot be run again: the checkpoint has {there} with the batch before. Older ones are "
            "removed, as spark.sql.streaming.minBatchesToRetain says."
        )


@dataclass(frozen=True)
class LoggedBatch:
    """A batch of the offset log.

    Attributes
    ----------
    is_committed : bool
        Whether it is in the commit log.
    offsets : list of str or None
        The end offset of each source, as JSON; None for an empty source.
    watermark, timestamp : int
        In milliseconds since 1970, at planning; 0 is a watermark that was not set.
    """

    number: int
    is_committed: bool
    offsets: list[str | None]
    watermark: int
    timestamp: int


def checkpoint_log(spark: SparkSession, checkpoint: str) -> dict[int, LoggedBatch]:
    """Return the batches of a checkpoint by number; NotACheckpoint if it has no offset log."""
    root = checkpoint.rstrip("/")
    planned = _entries(spark, f"{root}/offsets")
    if not planned:
        raise NotACheckpoint(checkpoint)
    committed = _entries(spark, f"{root}/commits").keys()
    return {number: _batch(number, text, number in committed) for number, text in planned.items()}


def _entries(spark: SparkSession, folder: str) -> dict[int, str]:
    try:
        files = spark.read.option("ignoreMissingFiles", "true").text(folder, wholetext=True)
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return {}
        raise
    rows = files.selectExpr("_metadata.file_name AS name", "value").collect()
    return {int(row["name"]): row["value"] for row in rows if row["name"].isdecimal()}


def _batch(number: int, text: str, is_committed: bool) -> LoggedBatch:
    lines = text.splitlines()
    said: dict[str, Any] = json.loads(lines[1]) if lines[0].startswith(_VERSION) and len(lines) > 1 else {}
    offsets = [None if line == _NOTHING else line for line in lines[2:]]
    watermark, timestamp = said.get("batchWatermarkMs", 0), said.get("batchTimestampMs", 0)
    return LoggedBatch(number, is_committed, offsets, watermark, timestamp)
