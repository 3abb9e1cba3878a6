"""A query's progress reports, of which only the new ones are fetched.

``query.recentProgress`` makes a dictionary of each report that Spark keeps, which may be ten thousand, at each
call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

#: Of operators that have more than one, in the state formats that Spark begins a query with.
_STORES_PER_PARTITION = {"symmetricHashJoin": 4}


def report_count(query: StreamingQuery) -> int:
    """Return how many reports Spark keeps of a query."""
    kept = _jvm_reports(query)
    return len(query.recentProgress if kept is None else kept)


def reports_since(query: StreamingQuery, last: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Return the reports that came after ``last``, oldest first; all that Spark keeps where ``last`` is None.

    A report is known again by its run, its time and its batch.
    """
    kept = _jvm_reports(query)
    if kept is None:  # over Connect, where all of them come in one answer
        kept = list(query.recentProgress)
    new: list[Mapping[str, Any]] = []
    for position in range(len(kept) - 1, -1, -1):
        report = kept[position]
        report = report if isinstance(report, Mapping) else json.loads(report.json())
        if last is not None and _identity(report) == _identity(last):
            break
        new.append(report)
    return new[::-1]


def is_batch(progress: Mapping[str, Any]) -> bool:
    """Whether a progress report is of a batch; others report an idle trigger."""
    return "addBatch" in (progress.get("durationMs") or {})


def read_nothing(progress: Mapping[str, Any]) -> bool:
    """Whether a batch was run, and no source had anything new for it."""
    sources = progress.get("sources") or ()
    return is_batch(progress) and all(source.get("startOffset") == source.get("endOffset") for source in sources)


def next_batch(query: StreamingQuery) -> int | None:
    """Return the number of the batch that a query runs or will run next; None before its first report.

    Only a report tells it: a query that resumes from a checkpoint does not begin with 0.
    """
    report = query.lastProgress
    if not report:
        return None
    # A report that found nothing has the number of the batch to come.
    return report["batchId"] + 1 if is_batch(report) else report["batchId"]


def rows_per_batch(query: StreamingQuery) -> list[int]:
    """Return how many rows each batch of a query has read, oldest first; batches that found nothing are left out.

    Of a restarted query these are the batches of this run, so far as Spark keeps their reports.
    """
    return [rows for report in query.recentProgress if (rows := rows_read(report))]


def rows_read(report: Mapping[str, Any]) -> int:
    """Return how many rows a batch has read.

    Over Spark Connect (4.2) a report has no number of its own, only those of its sources.
    """
    if (rows := report.get("numInputRows")) is not None:
        return int(rows)
    return sum(int(source.get("numInputRows") or 0) for source in report.get("sources") or ())


def state_rows(report: Mapping[str, Any], field: str) -> int | None:
    """Return the sum of a number of rows over a batch's stateful operators; None where none reports it.

    Spark adds up what the tasks report.  A sort by ranges (``orderBy``) runs its input once before, for a sample, and
    with it the operators below: each store then reports twice (Spark 4.2), which is taken back here.

    Parameters
    ----------
    report : mapping
        A progress report.
    field : str
        Of a stateful operator, such as ``numRowsTotal``.
    """
    operators = report.get("stateOperators") or []
    found = [int(operator[field]) // _runs(operator) for operator in operators if operator.get(field) is not None]
    return sum(found) if found else None


def _runs(operator: Mapping[str, Any]) -> int:
    """Return how often a batch has run an operator, from the number of reporting state stores."""
    of_a_partition = _STORES_PER_PARTITION.get(operator.get("operatorName", ""), 1)
    stores = of_a_partition * (operator.get("numShufflePartitions") or 0)
    return max(1, (operator.get("numStateStoreInstances") or 0) // stores) if stores else 1


def observed_metrics(report: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what ``observe`` has noted under ``name`` in a batch, by the metrics' names; nothing where it has not.

    Over Spark Connect (4.2) the row of metrics is one of its values and its schema.
    """
    row = (report.get("observedMetrics") or {}).get(name)
    return {} if row is None else _metrics(row)


def name_metrics(spark: SparkSession) -> None:
    """Over Spark Connect, have a query's reports give observed metrics by their names, as in a classic session.

    Calling it again changes nothing, and neither does calling it for a classic session.
    """
    if hasattr(spark, "_jsparkSession"):
        return
    from pyspark.sql.connect.streaming.query import StreamingQuery

    why = "over Connect, a row of observed metrics is one of its values and its schema (4.2)"
    for name in ("lastProgress", "recentProgress"):
        hooks.wrap(StreamingQuery, name, _wrap_reports, by="stream_view", layer="display", why=why)


def _wrap_reports(reports: property) -> property:
    def named(query: StreamingQuery) -> Any:
        assert reports.fget is not None
        found = reports.fget(query)
        for report in found if isinstance(found, list) else [found]:
            _name_metrics_of(report)
        return found

    return property(named, doc=reports.__doc__)


def _name_metrics_of(report: Any) -> None:
    from pyspark.sql import Row

    observed = (report or {}).get("observedMetrics") or {}
    for name, row in observed.items():
        observed[name] = Row(**_metrics(row))


def _metrics(row: Any) -> dict[str, Any]:
    metrics: dict[str, Any] = row.asDict()
    if isinstance(schema := metrics.get("schema"), Mapping):
        return dict(zip((field["name"] for field in schema["fields"]), metrics["values"], strict=True))
    return metrics


def _identity(report: Mapping[str, Any]) -> tuple[str, ...]:
    # PySpark's report has the run as a UUID, that of the JVM has it as text.
    return tuple(str(report.get(field)) for field in ("runId", "timestamp", "batchId", "numInputRows"))


def _jvm_reports(query: StreamingQuery) -> Any:
    """Return the JVM's array of reports, whose elements are fetched one by one; None over Connect."""
    wrapped = getattr(query, "_jsq", None)
    return None if wrapped is None else wrapped.recentProgress()
