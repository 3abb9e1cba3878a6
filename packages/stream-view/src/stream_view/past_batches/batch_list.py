"""``batches(checkpoint)``: what a checkpoint tells of its batches, in a frame."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pandas as pd

from stream_view.past_batches.checkpoint_log import LoggedBatch, checkpoint_log
from stream_view.past_batches.state_stores import state_stores
from stream_view.progress_reports import is_batch, reports_since, rows_of_state, rows_read

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
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
    logged = checkpoint_log(spark, checkpoint).batches
    reports = {report["batchId"]: report for report in reports_since(query, None) if is_batch(report)} if query else {}
    rows = [_row(logged[number], reports.get(number)) for number in sorted(logged)]
    if count_state:
        for row in rows:
            if row["committed"] and row["state_rows"] is None:
                row["state_rows"] = _state_rows(spark, checkpoint, row["batch"])
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
        "state_rows": rows_of_state(report, "numRowsTotal") if report else None,
        "state_bytes": sum(int(operator["memoryUsedBytes"]) for operator in operators) if operators else None,
    }


def _time(milliseconds: int) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).replace(tzinfo=None) if milliseconds else None


def _state_rows(spark: SparkSession, checkpoint: str, batch: int) -> int | None:
    stores = state_stores(spark, checkpoint, batch)
    return sum(frame.count() for frame in stores.values()) if stores else None
