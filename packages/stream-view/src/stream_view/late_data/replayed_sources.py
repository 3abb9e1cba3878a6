"""A source, read again between the offsets of a batch.

The query's own sources are left alone: they may be in use, or closed.  Others are made of the same options and the same
folder in the checkpoint, which is only read: where the files, the beginnings of partitions and the start time of a
stream are noted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import Any
from urllib.parse import unquote, urlsplit

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame

from stream_view.late_data import plans
from streaming_base.errors import ExplainedError, short_message

#: Parts of the names of sources that hand a row over once; another one of them would open a connection of its own.
_READ_ONCE = {
    "MemoryStream": "The memory source forgets its rows once a batch is through",
    "TextSocket": "A socket gives its rows only once",
}


@dataclass(eq=False)
class CannotBeRead(ExplainedError):
    """A batch whose source no longer has the rows."""

    reason: str

    def __str__(self) -> str:
        return f"{self.reason}."


def why_not(error: Exception) -> str:
    """Return the reason why rows could not be read again, in one line."""
    if isinstance(error, ExplainedError):
        return str(error)
    if isinstance(error, Py4JJavaError):  # whose own text is only that there was one
        return str(error.java_exception.toString()).splitlines()[0]
    return short_message(error).splitlines()[0]


def refuse_read_once(plan: Any) -> None:
    """Raise CannotBeRead if a source of a query, before its start, provides each row only once."""
    for leaf in plans.items(plan.collectLeaves()):
        table = plans.kind(leaf.table()) if plans.kind(leaf) == "StreamingRelationV2" else ""
        for name, reason in _READ_ONCE.items():
            if name in table:
                raise CannotBeRead(reason)


@dataclass
class Sources:
    """The streaming leaves of a query's plan, and sources of their kind that were opened to read them again."""

    spark: Any
    session: Any
    execution: Any
    leaves: list[_Leaf] = field(default_factory=list)

    def __post_init__(self) -> None:
        written = plans.items(self.execution.analyzedPlan().collectLeaves())
        resolved = plans.items(self.execution.logicalPlan().collectLeaves())
        streams: list[Any] = []
        for leaf, before in zip(resolved, written, strict=True):
            if (stream := _stream(leaf)) is None:
                continue
            if stream not in streams:
                streams.append(stream)
            self.leaves.append(_Leaf(self, leaf, before, streams.index(stream)))
        every = plans.items(self.execution.sources())
        self._positions = [every.index(stream) for stream in streams]  # of each stream's offset in the offset log

    def frame(self, leaf: Any, starts: list[Any | None], ends: list[Any | None]) -> DataFrame:
        """Return the rows of a leaf between offsets, with its column names."""
        plan = self.relation(leaf.leaf, starts, ends)
        return DataFrame(plans.rows_of(self.spark, self.session, plan), self.spark)

    def relation(self, leaf: Any, starts: list[Any | None], ends: list[Any | None]) -> Any | None:
        """Return the plan that reads a leaf between offsets, or None for a batch leaf."""
        if (stream := _stream(leaf)) is None:
            return None
        known = next(known for known in self.leaves if _stream(known.leaf) == stream)
        position = self._positions[known.source]
        return known.between(leaf, starts[position], ends[position])

    def close(self) -> None:
        """Close the opened sources."""
        for leaf in self.leaves:
            leaf.close()


class _Leaf:
    """A streaming leaf, and the number of its source in the checkpoint."""

    def __init__(self, sources: Sources, leaf: Any, written: Any, source: int) -> None:
        self.leaf, self.source = leaf, source
        self._spark, self._session, self._written = sources.spark, sources.session, written
        self._folder = f"{sources.execution.resolvedCheckpointRoot().rstrip('/')}/sources/{source}"
        self._opened: Any | None = None
        self._noted: dict[int, list[str]] | None = None

    def between(self, leaf: Any, start: Any | None, end: Any | None) -> Any:
        is_first_interface = plans.kind(leaf) == "StreamingExecutionRelation"
        if end is None or (start is not None and start.json() == end.json()):
            return self._nothing(leaf)
        return self._rows(leaf, start, end) if is_first_interface else self._scan(leaf, start, end)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.stop()
            self._opened = None

    def _nothing(self, leaf: Any) -> Any:
        jvm = self._spark._jvm
        empty = jvm.PythonUtils.toSeq([])
        local = jvm.org.apache.spark.sql.catalyst.plans.logical.LocalRelation
        return local(leaf.output(), empty, True, jvm.scala.Option.empty())

    def _rows(self, leaf: Any, start: Any | None, end: Any) -> Any:
        """Return a batch of Spark's first interface for sources, with the columns' ids that the plan above knows."""
        jvm = self._spark._jvm
        if self._opened is None:
            written = self._written
            if plans.kind(written) == "StreamingRelationV2":  # with a first interface to fall back to
                written = written.v1Relation().get()
            self._opened = written.dataSource().createSource(self._folder)
        batch = self._opened.getBatch(jvm.scala.Option.apply(start), end)
        if plans.kind(self._opened) == "FileStreamSource":
            self._expect_files(batch, start, end)
        plan = batch.logicalPlan()
        if plan.output().size() != leaf.output().size():  # the query reads the hidden column _metadata of files
            plan = plans.rebuilt(jvm, plan, lambda below: below.withMetadataColumns())
        alias = jvm.org.apache.spark.sql.catalyst.expressions.Alias
        renamed = [
            alias(
                there, there.name(), here.exprId(), jvm.PythonUtils.toSeq([]), jvm.scala.Option.apply(there.metadata()),
                jvm.PythonUtils.toSeq([]),
            )
            for here, there in zip(plans.items(leaf.output()), plans.items(plan.output()), strict=True)
        ]  # fmt: skip
        return jvm.org.apache.spark.sql.catalyst.plans.logical.Project(jvm.PythonUtils.toSeq(renamed), plan)

    def _scan(self, leaf: Any, start: Any | None, end: Any) -> Any:
        jvm = self._spark._jvm
        for name, reason in _READ_ONCE.items():
            if name in plans.kind(leaf.stream()):
                raise CannotBeRead(reason)
        if self._opened is None:
            self._opened = leaf.scan().toMicroBatchStream(self._folder)
        stream = self._opened
        first = stream.initialOffset() if start is None else stream.deserializeOffset(start.json())
        last = stream.deserializeOffset(end.json())
        some = jvm.scala.Option.apply
        relation = jvm.org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
        return relation(leaf.relation(), leaf.scan(), leaf.output(), stream, some(first), some(last))

    def _expect_files(self, batch: Any, start: Any | None, end: Any) -> None:
        """Raise where files of a batch are gone, which Spark would pass over."""
        offset = self._beside_source().FileStreamSourceOffset
        first = 0 if start is None else offset.apply(start).logOffset() + 1
        leaves = plans.items(batch.logicalPlan().collectLeaves())
        there = {_path(file) for leaf in leaves for file in leaf.relation().location().inputFiles()}
        noted = self._files()
        numbers = range(first, offset.apply(end).logOffset() + 1)
        gone = [path for number in numbers for path in noted.get(number, ()) if path not in there]
        if gone:
            more = f" and {len(gone) - 1:,} more" if len(gone) > 1 else ""
            raise CannotBeRead(f"The file {gone[0]}{more} is gone")

    def _files(self) -> dict[int, list[str]]:
        """Return the files in the source's log of the checkpoint, by log entry."""
        if self._noted is None:
            self._noted = {}
            for entry in self._beside_source().FileStreamSourceLog(1, self._session, self._folder).restore():
                self._noted.setdefault(entry.batchId(), []).append(_path(entry.path()))
        return self._noted

    def _beside_source(self) -> Any:
        package = self._opened.getClass().getPackageName()  # type: ignore[union-attr]  # Spark 4.1 has moved it
        return reduce(getattr, package.split("."), self._spark._jvm)


def _stream(leaf: Any) -> Any | None:
    """Return the object that a streaming leaf reads; None of other leaves."""
    if plans.kind(leaf) == "StreamingExecutionRelation":
        return leaf.source()
    return leaf.stream() if plans.kind(leaf) == "StreamingDataSourceV2ScanRelation" else None


def _path(address: str) -> str:
    return unquote(urlsplit(str(address)).path)
