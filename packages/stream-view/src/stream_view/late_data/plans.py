"""Spark's own plans, read and rebuilt from Python: nodes, columns, Scala's collections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streaming_base.errors import NotAvailable

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

#: Metadata of the column that ``withWatermark`` names, and of the windows that are made of it.
_DELAY = "spark.watermarkDelayMs"
#: Nodes that only say where the event time is, and note the largest.
_WATERMARKS = ("EventTimeWatermark", "UpdateEventTimeWatermarkColumn")


@dataclass(frozen=True)
class Column:
    """A column of a plan's output: its name, its position, and its role for the watermark."""

    name: str
    position: int
    expression_id: int
    is_event_time: bool
    is_window: bool


def execution_of(query: StreamingQuery) -> Any:
    """Return Spark's own query."""
    wrapped = getattr(query, "_jsq", None)
    if wrapped is None:
        raise NotAvailable("Over Spark Connect a query's plan is on the server.", "Use a classic session.")
    return wrapped.streamingQuery()


def items(sequence: Any) -> list[Any]:
    """Return the items of a sequence of Scala's."""
    return [sequence.apply(number) for number in range(sequence.size())]


def option(value: Any) -> Any | None:
    """Return the value of Scala's Option, or None."""
    return value.get() if value.isDefined() else None


def kind(node: Any) -> str:
    """Return the name of a node's class."""
    return str(node.getClass().getSimpleName())


def nodes(plan: Any) -> Iterator[Any]:
    """Go through a plan's nodes, each before its children, from left to right, as reports list operators."""
    yield plan
    for child in items(plan.children()):
        yield from nodes(child)


def columns(attributes: Iterable[Any]) -> list[Column]:
    """Return the columns of a plan's attributes, in order."""
    return [
        Column(
            str(attribute.name()),
            position,
            int(attribute.exprId().id()),
            bool(attribute.metadata().contains(_DELAY)),
            attribute.dataType().typeName() == "struct",
        )
        for position, attribute in enumerate(attributes)
    ]


def rebuilt(jvm: Any, plan: Any, replace: Callable[[Any], Any | None]) -> Any:
    """Return a plan without watermarks and with other leaves; ``replace`` returns None for a leaf that stays."""
    children = [rebuilt(jvm, child, replace) for child in items(plan.children())]
    if not children:
        return replace(plan) or plan
    return children[0] if kind(plan) in _WATERMARKS else plan.withNewChildren(jvm.PythonUtils.toSeq(children))


def has_watermark(plan: Any) -> bool:
    """Whether a plan below defines an event time."""
    return any(kind(node) in _WATERMARKS for node in nodes(plan))


@contextmanager
def planning_session(spark: Any, session: Any) -> Iterator[None]:
    """Make plans with the settings of another session."""
    sessions = spark._jvm.org.apache.spark.sql.classic.SparkSession
    sessions.setActiveSession(session)
    try:
        yield
    finally:
        sessions.setActiveSession(spark._jsparkSession)


def rows_of(spark: Any, session: Any, plan: Any) -> Any:
    """Return the rows of an optimized plan as a frame of the JVM's, which belongs to ``spark``."""
    physical = spark._jvm.org.apache.spark.sql.execution.QueryExecution.prepareExecutedPlan(session, plan)
    return spark._jsparkSession.internalCreateDataFrame(physical.execute(), physical.schema(), False)
