"""How many rows were found, and how many Spark says that it dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from stream_view.late_data.operators import GROUP, History, Operator, PastBatch
from streaming_base.errors import ExplainedError
from streaming_base.progress_reports import is_batch, reports_since

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

_SCHEMA = (
    "batch LONG, operator INT, name STRING, watermark TIMESTAMP, rows LONG, counted LONG, dropped LONG, why STRING"
)
_PURGED = "its offsets are not in the checkpoint any more (spark.sql.streaming.minBatchesToRetain)"
_OTHER_ROWS = "What was read again is not what the batch has read, as its number is not the one that Spark has counted"

Key = tuple[int, int]  # of a batch and an operator


@dataclass(eq=False)
class NoLateRows(ExplainedError):
    """The dropped rows cannot be determined; ``why`` has the reason and the fix."""

    why: str

    def __str__(self) -> str:
        return self.why


class Counts:
    """The counts of each batch and operator, while the batches are read again."""

    def __init__(self, query: StreamingQuery, operators: list[Operator], past: History) -> None:
        self._operators, self._past = operators, past
        last = past.batches[-1].number if past.batches else -1
        # A running query may have finished another batch meanwhile, which is left to the next call.
        self._dropped = {key: rows for key, rows in _reported(query, operators).items() if key[0] <= last}
        self._rows: dict[Key, int] = defaultdict(int)
        self._counted: dict[Key, int] = defaultdict(int)
        self._unknown: dict[Key, str] = {}
        self._read: set[Key] = set()
        self._purged: int | None = None  # the last batch without offsets of which there is no report either

    def to_read(self, operator: Operator) -> list[PastBatch]:
        """Return the batches to read again for an operator: those that dropped rows, or may have."""
        if not operator.inputs and operator.unknown is None:
            return []
        self._note_purged(operator)
        open_ones = [batch for batch in self._past.batches if self._may_have_dropped(operator, batch.number)]
        if operator.unknown is None:
            self._read |= {(batch.number, operator.position) for batch in open_ones}
            return open_ones
        for batch in open_ones:
            self.cannot_be_read(operator, batch.number, operator.unknown)
        return []

    def add(self, operator: Operator, rows: DataFrame) -> None:
        """Count the rows that were found at one of an operator's inputs."""
        groups = F.count_distinct(GROUP) if operator.inputs[0].keys is not None else F.count("*")
        for batch, count, counted in rows.groupBy("batch").agg(F.count("*"), groups).collect():
            self._rows[batch, operator.position] += count
            self._counted[batch, operator.position] += counted

    def cannot_be_read(self, operator: Operator, batch: int, reason: str) -> None:
        """Record why the dropped rows of an operator and a batch are unknown."""
        self._unknown[batch, operator.position] = reason.rstrip(".")

    def expect_known(self) -> None:
        """Raise NoLateRows if no batch could be read again."""
        if (self._unknown or self._purged is not None) and not self._read - self._unknown.keys():
            raise NoLateRows(self.missing() or "")

    def missing(self) -> str | None:
        """Return the unreadable batches with their reasons, in sentences, or None."""
        by_reason: dict[tuple[int | None, str], list[int]] = defaultdict(list)
        many = len(self._operators) > 1
        for (batch, operator), reason in sorted(self._unknown.items()):
            by_reason[operator if many else None, reason].append(batch)
        for batch, operator in sorted(self._dropped.keys() - self._unknown.keys()):
            if self._differs((batch, operator)):
                by_reason[operator if many else None, _OTHER_ROWS].append(batch)
        said = [_sentence(operator, reason, numbers) for (operator, reason), numbers in by_reason.items()]
        if self._purged is not None:
            said.append(f"Batches up to {self._purged:,}: {_PURGED}, and Spark has no report of them.")
        return " ".join(["Not all late rows can be told.", *said]) if said else None

    def frame(self, spark: SparkSession) -> DataFrame:
        """Return a row for each batch and operator with dropped or unknown rows."""
        watermarks = {batch.number: batch.watermark for batch in self._past.batches}
        keys = {key for key, count in [*self._rows.items(), *self._dropped.items()] if count} | self._unknown.keys()
        rows = [self._row(key, watermarks.get(key[0])) for key in sorted(keys)]
        return spark.createDataFrame(rows, _SCHEMA)

    def _row(self, key: Key, watermark: int | None) -> tuple[Any, ...]:
        time = None if watermark is None else datetime.fromtimestamp(watermark / 1000, UTC)
        name = next(operator.name for operator in self._operators if operator.position == key[1])
        found = (None, None) if key in self._unknown else (self._rows[key], self._counted[key])
        return (*key, name, time, *found, self._dropped.get(key), self._why(key))

    def _why(self, key: Key) -> str | None:
        rows, counted = self._rows[key], self._counted[key]
        if key in self._unknown:
            return f"{self._unknown[key]}."
        if key not in self._dropped:
            return "Spark has no report of this batch."
        if self._differs(key):
            return f"{_OTHER_ROWS}."
        return None if rows == counted else f"Spark drops groups, after it has aggregated {rows:,} rows to {counted:,}."

    def _differs(self, key: Key) -> bool:
        dropped = self._dropped.get(key)
        return dropped is not None and dropped != self._counted[key]

    def _note_purged(self, operator: Operator) -> None:
        for batch in range(self._past.first):
            if (batch, operator.position) not in self._dropped:
                self._purged = max(batch, self._purged or 0)
            elif self._may_have_dropped(operator, batch):
                self.cannot_be_read(operator, batch, _PURGED)

    def _may_have_dropped(self, operator: Operator, batch: int) -> bool:
        return self._dropped.get((batch, operator.position)) != 0


def _reported(query: StreamingQuery, operators: list[Operator]) -> dict[Key, int]:
    """Return the number of rows that each operator dropped in each batch, as Spark reports it."""
    reports = [report for report in reports_since(query, None) if is_batch(report)]
    if any(len(report["stateOperators"]) != len(operators) for report in reports):
        raise NoLateRows("Spark has rewritten this query's plan, and its operators cannot be told apart.")
    return {
        (int(report["batchId"]), position): _dropped(operator)
        for report in reports
        for position, operator in enumerate(report["stateOperators"])
    }


def _dropped(operator: Mapping[str, Any]) -> int:
    return int(operator["numRowsDroppedByWatermark"])


def _sentence(operator: int | None, reason: str, numbers: list[int]) -> str:
    listed = f"Batch {numbers[0]:,}" if len(numbers) == 1 else f"Batches {', '.join(map(str, numbers))}"
    of = "" if operator is None else f", operator {operator}"
    return f"{listed}{of}: {reason[0].lower()}{reason[1:]}."
