"""The stateful operators of a query: what enters each, read again batch by batch, and which rows the watermark dropped.

An operator is looked at in two forms of the plan.  Spark's optimized plan tells which columns an operator still has:
where the event time is not among them, nothing is dropped.  The same plan without the pruning of columns has the rows
as they were written, after all filters that Spark applies before the operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import Column as ColumnOfFrame
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from stream_view.late_data import plans
from stream_view.late_data.plans import Column
from stream_view.late_data.replayed_sources import Sources

_PRUNING = "org.apache.spark.sql.catalyst.optimizer.ColumnPruning"
_EXCLUDED = "spark.sql.optimizer.excludedRules"
_MERGES_SESSIONS = "spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition"
_SESSION = "spark.sessionWindow"

#: What reports call the operators that are made of a node, where rows can be checked.
_NAMES = {
    "Aggregate": "stateStoreSave",
    "Deduplicate": "dedupe",
    "DeduplicateWithinWatermark": "dedupeWithinWatermark",
    "Join": "symmetricHashJoin",
}
_SESSIONS = "sessionWindowStateStoreSaveExec"


@dataclass(frozen=True)
class Input:
    """One input of an operator.

    Attributes
    ----------
    side : str or None
        ``left`` or ``right``, of a join.
    plan : object
        The plan below the operator, whose leaves are streams.
    compared : Column
        The event time, or the window whose end is compared with the watermark.
    keys : list of Column or None
        The columns by which rows are grouped before Spark counts dropped ones; None if it counts rows.
    per_task : bool
        Whether they are grouped within each task only, before the shuffle.
    """

    side: str | None
    plan: Any
    columns: list[Column]
    compared: Column
    keys: list[Column] | None = None
    per_task: bool = False

    @property
    def event_time(self) -> Column | None:
        """The rows' own event time, or None if only a window of it is left."""
        times = [column for column in self.columns if column.is_event_time and not column.is_window]
        return self.compared if not self.compared.is_window else (times[0] if times else None)


@dataclass(frozen=True)
class Operator:
    """A stateful operator: its position and name in the reports' ``stateOperators``, and its inputs.

    ``unknown`` is the reason why its rows cannot be determined, if any.
    """

    position: int
    name: str
    inputs: list[Input]
    unknown: str | None = None


def operators(jvm: Any, execution: Any, session: Any) -> list[Operator]:
    """Return the stateful operators of Spark's query ``execution``, as its reports list them.

    ``session`` belongs to the caller: its optimizer rules are changed.
    """
    written = execution.logicalPlan().children().head()  # below the node that writes
    pruned = _stateful(_optimized(session, written))
    session.conf().set(_EXCLUDED, ",".join(filter(None, (session.conf().get(_EXCLUDED, ""), _PRUNING))))
    whole = _stateful(_optimized(session, written))
    is_complete = execution.outputMode().toString() == "Complete"
    changes = _reads_the_clock(jvm, written)
    pairs = enumerate(zip(whole, pruned, strict=True))
    return [_operator(number, *pair, session, is_complete, changes) for number, pair in pairs]


def _optimized(session: Any, plan: Any) -> Any:
    return session.sessionState().optimizer().execute(plan.clone())


def _stateful(plan: Any) -> list[Any]:
    return [node for node in plans.nodes(plan) if _has_state(node)]


def _has_state(node: Any) -> bool:
    kind = plans.kind(node)
    if kind == "Join":
        return bool(node.left().isStreaming() and node.right().isStreaming())
    return bool(node.isStreaming()) and (kind in _NAMES or kind == "GlobalLimit" or "WithState" in kind)


def _operator(
    position: int, node: Any, pruned: Any, session: Any, is_complete: bool, reads_the_clock: bool
) -> Operator:
    kind, is_session = plans.kind(node), False
    if kind == "Aggregate":
        grouped = [key for key in plans.items(node.groupingExpressions()) if _is_attribute(key)]
        is_session = any(key.metadata().contains(_SESSION) for key in grouped)
    name = _SESSIONS if is_session else _NAMES.get(kind, kind)
    if kind == "GlobalLimit" or (kind == "Aggregate" and is_complete):
        return Operator(position, name, [])  # which drop nothing
    if kind not in _NAMES:
        return Operator(position, name, [], f"What {kind} drops is decided by the query's code, which is not run again")
    children = list(zip(plans.items(node.children()), plans.items(pruned.children()), strict=True))
    sides = ("left", "right") if kind == "Join" else (None,)
    inputs = [_input(side, node, *pair, is_session) for side, pair in zip(sides, children, strict=True)]
    known = [one for one in inputs if one is not None]
    return Operator(position, name, known, _unknown(known, session, is_session, reads_the_clock))


def _input(side: str | None, node: Any, child: Any, pruned: Any, is_session: bool) -> Input | None:
    """Return one input of an operator, or None if nothing in it is compared with the watermark."""
    columns = plans.columns(plans.items(child.output()))
    keys = None
    if plans.kind(node) == "Aggregate":
        grouped = plans.columns(key for key in plans.items(node.groupingExpressions()) if _is_attribute(key))
        there = {key.expression_id: key for key in grouped}
        keys = [column for column in columns if column.expression_id in there]
        times = [key.expression_id for key in grouped if key.is_event_time]
    else:
        times = [column.expression_id for column in plans.columns(plans.items(pruned.output())) if column.is_event_time]
    compared = [column for column in columns if column.expression_id in times]
    return Input(side, child, columns, compared[0], keys, is_session) if compared else None


def _unknown(inputs: list[Input], session: Any, is_session: bool, reads_the_clock: bool) -> str | None:
    if any(_stateful(one.plan) for one in inputs):
        return "Its rows come from another stateful operator, whose state of that time is not there any more"
    if any(not one.plan.deterministic() for one in inputs):
        return "Its rows depend on chance, such as that of rand(), and would be others now"
    if inputs and reads_the_clock:
        return "The query reads the clock, such as with current_timestamp(), and its rows would be others now"
    if is_session and session.conf().get(_MERGES_SESSIONS, "false") == "true":
        return f"Its sessions are merged before late ones are dropped ({_MERGES_SESSIONS})"
    return None


def _is_attribute(expression: Any) -> bool:
    return plans.kind(expression) == "AttributeReference"


def _reads_the_clock(jvm: Any, plan: Any) -> bool:
    """Whether rows depend on the time at which they were read; columns that are added last do not matter."""
    while plans.kind(plan) == "Project":
        plan = plan.child()
    return bool(plan.containsPattern(jvm.org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE()))


_ALLOW_MULTIPLE = "spark.sql.streaming.statefulOperator.allowMultiple"


@dataclass(frozen=True)
class PastBatch:
    """A finished batch: the start and end offsets of each source, None for an empty source, and its watermark in ms."""

    number: int
    starts: list[Any | None]
    ends: list[Any | None]
    watermark: int


@dataclass(frozen=True)
class History:
    """The batches that can be read again, and the first one's number."""

    first: int
    batches: list[PastBatch]


def history(execution: Any) -> History | None:
    """Return the batches of a query's checkpoint, or None before the first one.

    A batch reads from the previous one's offsets, so the oldest entry only gives the start of the next.
    """
    last = plans.option(execution.commitLog().getLatestBatchId())
    if last is None:
        return None
    log: dict[int, Any] = {}
    number = int(last)
    while number >= 0 and (entry := plans.option(execution.offsetLog().get(number))) is not None:
        log[number] = entry
        number -= 1
    first = number + 1 if number < 0 else number + 2
    # The watermark for late rows is that of the batch before, since operators can follow each other.
    back = 1 if execution.sparkSessionForStream().conf().get(_ALLOW_MULTIPLE, "true") == "true" else 0
    return History(first, [_batch(log, number, back) for number in sorted(log) if number >= first])


def _batch(log: dict[int, Any], number: int, back: int) -> PastBatch:
    ends = offsets_of(log[number])
    starts = offsets_of(log[number - 1]) if number else [None] * len(ends)
    watermark = int(_metadata(log[number - back]).get().batchWatermarkMs()) if number >= back else 0
    return PastBatch(number, starts + [None] * (len(ends) - len(starts)), ends, watermark)


def offsets_of(entry: Any) -> list[Any | None]:
    """Return the offset of each source in an entry of the offset log; None where a source had none yet."""
    return [plans.option(offset) for offset in plans.items(entry.offsets())]


def _metadata(entry: Any) -> Any:
    """Return a field of an offset log entry's metadata, by its name in Spark 4.2 or 4.1."""
    try:
        return entry.metadataOpt()
    except Py4JError:
        return entry.metadata()


#: The group with which Spark has counted a row; NULL where it counts rows.
GROUP = "group"


@dataclass(frozen=True)
class Replay:
    """Reads batches again: with the session of the frames, one for the plans, and the sources."""

    spark: SparkSession
    session: Any
    sources: Sources

    def late(self, entered: Input, batch: PastBatch) -> DataFrame:
        """Return the rows of a batch that an operator dropped; CannotBeRead if a source no longer has them.

        The columns are ``batch``, ``watermark``, ``event_time``, ``late_by``, ``group``, and ``row``, a struct of the
        row's own.
        """
        frame = self._frame(entered, batch)
        watermark = F.timestamp_millis(F.lit(batch.watermark))
        own = dict(zip((column.position for column in entered.columns), map(_column, frame.columns), strict=True))
        compared = own[entered.compared.position]
        compared = (compared["end"] if entered.compared.is_window else compared).cast("timestamp")
        time = own[entered.event_time.position].cast("timestamp") if entered.event_time else F.lit(None)
        return frame.where(compared <= watermark).select(
            F.lit(batch.number).cast("long").alias("batch"),
            watermark.alias("watermark"),
            time.cast("timestamp").alias("event_time"),
            (watermark - compared).alias("late_by"),
            _group(entered, own).alias(GROUP),
            F.struct(*own.values()).alias("row"),
        )

    def _frame(self, entered: Input, batch: PastBatch) -> DataFrame:
        jvm = self.spark._jvm
        plan = plans.rebuilt(jvm, entered.plan, lambda leaf: self.sources.relation(leaf, batch.starts, batch.ends))
        return DataFrame(plans.rows_of(self.spark, self.session, plan), self.spark).toDF(
            *distinct(column.name for column in entered.columns)
        )


def distinct(names: Any) -> list[str]:
    """Return names of which no two are the same, as Spark compares them."""
    given: set[str] = set()
    result = []
    for name in names:
        free, number = name, 2
        while free.lower() in given:
            free, number = f"{name}_{number}", number + 1
        given.add(free.lower())
        result.append(free)
    return result


def _group(entered: Input, own: dict[int, ColumnOfFrame]) -> ColumnOfFrame:
    if entered.keys is None:
        return F.lit(None).cast("long")
    keys = [own[key.position] for key in entered.keys]
    return F.xxhash64(*keys, *([F.spark_partition_id()] if entered.per_task else []))


def _column(name: str) -> ColumnOfFrame:
    return F.col("`" + name.replace("`", "``") + "`")
