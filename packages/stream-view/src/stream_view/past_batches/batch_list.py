"""``batches(checkpoint)``: what a checkpoint tells of its batches, in a frame."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as F

from stream_view.past_batches.checkpoint_log import LoggedBatch, checkpoint_log, state_stores
from stream_view.past_batches.replayed_batch import ReplayedBatch
from streaming_base.progress_reports import is_batch, reports_since, rows_read, state_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery


def compare(one: ReplayedBatch, other: ReplayedBatch) -> BatchComparison:
    """Return how two batches differ in their input, in what they write and in their state.

    Parameters
    ----------
    one, other : ReplayedBatch
        Two batches, or the same batch with a query and with its correction.
    """
    return BatchComparison(one, other)


class BatchComparison:
    """Two batches side by side.

    Attributes
    ----------
    only_in_one, only_in_other : dict of str to DataFrame
        The rows, as JSON, that one batch has and the other lacks or has less often: of ``output``, of ``input`` and,
        with the store's name, of ``state before`` and ``state after`` the replay.
    """

    def __init__(self, one: ReplayedBatch, other: ReplayedBatch) -> None:
        parts = [_parts(one), _parts(other)]
        names = list(dict.fromkeys([*parts[0], *parts[1]]))
        self._heads = [f"batch {one.number}", f"batch {other.number}"]
        if one.number == other.number:
            self._heads = [f"{self._heads[0]}, one", f"{self._heads[0]}, other"]
        self._rows = {name: [part.get(name) for part in parts] for name in names}
        self.only_in_one = {name: _less(*rows) for name, rows in self._rows.items() if rows[0] is not None}
        self.only_in_other = {name: _less(*rows[::-1]) for name, rows in self._rows.items() if rows[1] is not None}

    @property
    def summary(self) -> pd.DataFrame:
        """How many rows each has of each part, and how many that the other has not."""
        import pandas as pd

        heads = [*self._heads, "only in one", "only in other"]
        counted = [
            [_count(frame) for frame in (*rows, self.only_in_one.get(name), self.only_in_other.get(name))]
            for name, rows in self._rows.items()
        ]
        return pd.DataFrame(counted, index=list(self._rows), columns=heads).astype("Int64")

    def __repr__(self) -> str:
        return self.summary.to_string()

    def _repr_html_(self) -> str:
        return self.summary.to_html()


def _parts(batch: ReplayedBatch) -> dict[str, DataFrame]:
    inputs = batch.inputs
    names = ["input"] if len(inputs) == 1 else [f"input {number}" for number in range(len(inputs))]
    return {
        **dict(zip(names, map(_as_json, inputs), strict=True)),
        "output": _as_json(batch.output),
        **{f"state before, {name}": _as_json(frame) for name, frame in batch.state_before.items()},
        **{f"state after, {name}": _as_json(frame) for name, frame in batch.replayed_state.items()},
    }


def _as_json(rows: DataFrame) -> DataFrame:
    """Return rows as text: of all types, maps among them, whose rows Spark does not compare."""
    kept = rows.drop("partition_id") if "key" in rows.columns else rows
    return kept.select(F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("row"))


def _less(rows: DataFrame, others: DataFrame | None) -> DataFrame:
    return rows if others is None else rows.exceptAll(others)


def _count(rows: DataFrame | None) -> int | None:
    return None if rows is None else rows.count()


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
        "state_rows": state_rows(report, "numRowsTotal") if report else None,
        "state_bytes": sum(int(operator["memoryUsedBytes"]) for operator in operators) if operators else None,
    }


def _time(milliseconds: int) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).replace(tzinfo=None) if milliseconds else None


def _state_rows(spark: SparkSession, checkpoint: str, batch: int) -> int | None:
    stores = state_stores(spark, checkpoint, batch)
    return sum(frame.count() for frame in stores.values()) if stores else None
