"""Pruning of ``_metadata`` from streams that do not use it.

Spark asks its own file sources for the columns that a query uses.  A Python data source always returns all, and
``_metadata``, with a path in each row, is larger than most rows; storing files for ``input_file_name()`` costs a
comparison per row besides.  So a query's plan is checked when it starts: if no file's name is used, the filter that
stores files is removed, and if the column is not used either, the relation is replaced by one without.  A frame's other
queries are not affected, because each has a plan of its own.

A stream for a function of ``foreachBatch`` keeps both, because only Spark knows what the function will use.  So does an
unexpected plan, and a query that Spark starts by itself.
"""

from __future__ import annotations

import re
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.option_names import INTERNAL
from pyspark_cloudfiles.session.hidden_metadata import elements, is_metadata_column
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import builders, hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter

_KEY = f"{INTERNAL}load"
_FRAME_FIELD = "ds"  # of a writer in the JVM
_LOADS_LIMIT = 256  # frames of a session that can still be started without the column
_loads: OrderedDict[str, Callable[[], DataFrame]] = OrderedDict()


def remember_load(without_metadata: Callable[[], DataFrame]) -> dict[str, str]:
    """Remember how a frame is loaded without ``_metadata``; return the option that identifies its relation."""
    key = uuid.uuid4().hex
    _loads[key] = without_metadata
    while len(_loads) > _LOADS_LIMIT:
        _loads.popitem(last=False)
    return {_KEY: key}


def install() -> None:
    """Check the columns that a query uses before a writer of streams starts it."""
    from pyspark.sql.streaming import DataStreamWriter

    builders.record(DataStreamWriter)
    for method in ("start", "toTable"):
        hooks.wrap(
            DataStreamWriter, method, _wrap_start, by=PACKAGE, layer="source", why="_metadata only where it is used"
        )


def _wrap_start(original: Any) -> Any:
    @wraps(original)
    def start(self: DataStreamWriter, *args: Any, **kwargs: Any) -> Any:
        _prune(self)
        return original(self, *args, **kwargs)

    return start


def _prune(writer: DataStreamWriter) -> None:
    if not _loads or builders.given_to(writer).has_function:
        return
    try:
        pruned = _pruned(writer._df)
        if pruned is not None:
            frame = writer._jwrite.getClass().getDeclaredField(_FRAME_FIELD)
            frame.setAccessible(True)
            frame.set(writer._jwrite, pruned)
    except (Py4JError, TypeError, AttributeError, PySparkException, CloudFilesError):
        return  # a release of Spark that has moved these parts reads all columns; the query raises other errors


def _pruned(frame: DataFrame) -> Any:
    """Return the query's plan without unused metadata, or None to keep it."""
    spark = frame.sparkSession
    plan = frame._jdf.queryExecution().analyzed()
    found = list(_relations(plan))
    if not found or _names_files(plan, len(found)):
        return None
    rebuilt = _PlanRewriter(spark._jvm, _used(plan)).rewrite(plan)
    if not rebuilt.resolved():
        return None
    return spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, rebuilt)


def _relation_of(node: Any) -> Any:
    """Return the relation of a filter that stores files, or None for another node."""
    if node.getClass().getSimpleName() != "Filter":
        return None
    relation = node.child()
    if relation.getClass().getSimpleName() != "StreamingRelationV2":
        return None
    return relation if relation.extraOptions().get(_KEY) in _loads else None


def _relations(node: Any) -> Iterator[Any]:
    relation = _relation_of(node)
    if relation is not None:
        yield relation
        return
    for child in elements(node.children()):
        yield from _relations(child)


def _names_files(plan: Any, filters: int) -> bool:
    """Whether a plan, besides our filters, uses the name or the block of a row's file."""
    text = plan.toString()
    if " more fields" not in text:
        return len(re.findall("input_file_(?:name|block)", text, re.IGNORECASE)) != filters
    return len(re.findall("InputFile(?:Name|Block)(?!Holder)", plan.toJSON())) != filters


def _used(node: Any) -> set[str]:
    if _relation_of(node) is not None:
        return set()
    used = set(re.findall(r"#(\d+)", node.references().toSeq().mkString(",")))
    return used.union(*(_used(child) for child in elements(node.children())))


class _PlanRewriter:
    """Rebuilds a plan without filters that store files, and with relations without the column if it is not used."""

    def __init__(self, jvm: Any, used: set[str]) -> None:
        self._sequence = jvm.org.apache.spark.api.python.PythonUtils.toSeq
        self._used = used
        self._without: dict[str, Any] = {}

    def rewrite(self, node: Any) -> Any:
        relation = _relation_of(node)
        if relation is not None:
            own: list[Any] = []
            others: list[Any] = []
            for column in elements(relation.output()):
                (own if is_metadata_column(column) else others).append(column)
            is_used = any(str(column.exprId().id()) in self._used for column in own)
            return relation if is_used else self._relation_without_metadata(relation, others)
        before = list(elements(node.children()))
        after = [self.rewrite(child) for child in before]
        if all(one.equals(other) for one, other in zip(before, after, strict=True)):
            return node
        return node.withNewChildren(self._sequence(after))

    def _relation_without_metadata(self, relation: Any, columns: list[Any]) -> Any:
        key = relation.extraOptions().get(_KEY)
        if key not in self._without:  # a frame that a query has twice stays one source with one table
            self._without[key] = _loads[key]()._jdf.queryExecution().analyzed().collectLeaves().head()
        without = self._without[key]
        return without.copy(
            without.source(),
            without.sourceName(),
            without.table(),
            without.extraOptions(),
            self._sequence(columns),
            relation.catalog(),
            relation.identifier(),
            without.v1Relation(),
            relation.sourceIdentifyingName(),
        )
