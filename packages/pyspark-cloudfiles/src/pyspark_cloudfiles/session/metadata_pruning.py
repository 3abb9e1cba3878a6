"""Pruning of ``_metadata`` from streams that do not use it.

Spark asks its own file sources for the columns that a query uses.  A Python data source is always asked for all, and
``_metadata``, with a path in each row, is more than most rows are; noting files for ``input_file_name()`` costs a
comparison for each row besides.  So a query's plan is looked at when it starts: where no file's name is asked for, the
filter that notes files goes, and where the column is not used either, the relation is exchanged for one without.  A
frame's other queries are not affected, for each has a plan of its own.

What is read for a function of ``foreachBatch`` keeps both, because only Spark knows what the function will ask.  So
does a plan in which anything is not as expected, and a query that Spark starts by itself.
"""

from __future__ import annotations

import re
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.option_names import INTERNAL
from pyspark_cloudfiles.session.hidden_metadata import elements, is_own
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter

_KEY = f"{INTERNAL}load"
_FRAME = "ds"  # the field of a writer in the JVM
_FOR_A_FUNCTION = "_cloudfiles_for_a_function"
_KEPT = 256  # frames of a session that can still be started without the column
_loads: OrderedDict[str, Callable[[], DataFrame]] = OrderedDict()


def remembered(without_metadata: Callable[[], DataFrame]) -> dict[str, str]:
    """Remember how a frame is loaded without ``_metadata``; return the option by which its relation tells."""
    key = uuid.uuid4().hex
    _loads[key] = without_metadata
    while len(_loads) > _KEPT:
        _loads.popitem(last=False)
    return {_KEY: key}


def install() -> None:
    """Have writers of streams look what their query uses before they start it."""
    from pyspark.sql.streaming import DataStreamWriter

    acts: dict[str, Callable[[DataStreamWriter], None]] = {
        "start": _prune,
        "toTable": _prune,
        "foreachBatch": lambda writer: setattr(writer, _FOR_A_FUNCTION, True),
    }
    for method, act in acts.items():
        hooks.wrap(
            DataStreamWriter,
            method,
            partial(_acting_before, act),
            by=PACKAGE,
            layer="source",
            why="_metadata only where it is used",
        )


def _acting_before(act: Callable[[DataStreamWriter], None], original: Any) -> Any:
    @wraps(original)
    def acting(self: DataStreamWriter, *args: Any, **kwargs: Any) -> Any:
        act(self)
        return original(self, *args, **kwargs)

    return acting


def _prune(writer: DataStreamWriter) -> None:
    """Give the writer of a query the plan without what it does not use."""
    if not _loads or hasattr(writer, _FOR_A_FUNCTION):
        return
    try:
        pruned = _pruned(writer._df)
        if pruned is not None:
            frame = writer._jwrite.getClass().getDeclaredField(_FRAME)
            frame.setAccessible(True)
            frame.set(writer._jwrite, pruned)
    except (Py4JError, TypeError, AttributeError, PySparkException, CloudFilesError):
        return  # a release of Spark that has these elsewhere reads as before, and what is wrong is told by the query


def _pruned(frame: DataFrame) -> Any:
    """Return the query without what it does not use, None where it stays as it is."""
    spark = frame.sparkSession
    plan = frame._jdf.queryExecution().analyzed()
    found = list(_noted(plan))
    if not found or _names_files(plan, len(found)):
        return None
    rebuilt = _Exchange(spark._jvm, _used(plan)).of(plan)
    if not rebuilt.resolved():
        return None
    return spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, rebuilt)


def _relation_of(node: Any) -> Any:
    """Return the relation whose files a filter notes, None where the node is no such filter."""
    if node.getClass().getSimpleName() != "Filter":
        return None
    relation = node.child()
    if relation.getClass().getSimpleName() != "StreamingRelationV2":
        return None
    return relation if relation.extraOptions().get(_KEY) in _loads else None


def _noted(node: Any) -> Iterator[Any]:
    """Find the relations below a node that have the column."""
    relation = _relation_of(node)
    if relation is not None:
        yield relation
        return
    for child in elements(node.children()):
        yield from _noted(child)


def _names_files(plan: Any, filters: int) -> bool:
    """Tell whether anything besides our filters asks for the name, or the block, of the file that a row is from."""
    text = plan.toString()
    if " more fields" not in text:
        return len(re.findall("input_file_(?:name|block)", text, re.IGNORECASE)) != filters
    return len(re.findall("InputFile(?:Name|Block)(?!Holder)", plan.toJSON())) != filters


def _used(node: Any) -> set[str]:
    """Return the numbers of all columns that are asked for by a plan, our filters excepted."""
    if _relation_of(node) is not None:
        return set()
    used = set(re.findall(r"#(\d+)", node.references().toSeq().mkString(",")))
    return used.union(*(_used(child) for child in elements(node.children())))


class _Exchange:
    """A plan that notes no files, and whose relations are others, without the column, where it is not used."""

    def __init__(self, jvm: Any, used: set[str]) -> None:
        self._sequence = jvm.org.apache.spark.api.python.PythonUtils.toSeq
        self._used = used
        self._without: dict[str, Any] = {}

    def of(self, node: Any) -> Any:
        """Return a node with what is below it."""
        relation = _relation_of(node)
        if relation is not None:
            own: list[Any] = []
            others: list[Any] = []
            for column in elements(relation.output()):
                (own if is_own(column) else others).append(column)
            is_used = any(str(column.exprId().id()) in self._used for column in own)
            return relation if is_used else self._exchanged(relation, others)
        before = list(elements(node.children()))
        after = [self.of(child) for child in before]
        if all(one.equals(other) for one, other in zip(before, after, strict=True)):
            return node
        return node.withNewChildren(self._sequence(after))

    def _exchanged(self, relation: Any, columns: list[Any]) -> Any:
        key = relation.extraOptions().get(_KEY)
        if key not in self._without:  # a frame that a query has twice is one source, as long as it has one table
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
