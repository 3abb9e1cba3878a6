"""``compare(one, other)``: how two replayed batches differ: two batches of a query, or one batch with two queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from stream_view.past_batches.replayed_batch import ReplayedBatch

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame


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
        The rows, as JSON, that one has and the other has not or has less often: of ``output``, of ``input`` and, with
        the store's name, of ``state before`` and ``state after`` as they are replayed.
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
