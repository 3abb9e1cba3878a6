"""Which sources a streaming frame reads, from its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def leaves(frame: DataFrame) -> list[Any]:
    """Return the streaming leaves of a classic frame's plan, objects of Spark's own, from left to right."""
    found = frame._jdf.queryExecution().analyzed().collectLeaves()
    streams = (found.apply(number) for number in range(found.size()))
    return [leaf for leaf in streams if leaf.isStreaming()]


#: What the formats are called that keep offsets of a shape of their own; formats of files all share one.
_KINDS = {
    "delta": "a Delta table",
    "cloudfiles": "cloudFiles",
    "kafka": "Kafka",
    "rate-micro-batch": "the rate-micro-batch source",
    "rate": "a rate or socket source",
    "socket": "a rate or socket source",
}
_OF_FILES = frozenset({"json", "csv", "text", "parquet", "orc", "xml", "avro", "binaryfile"})


def kinds_of(frame: DataFrame) -> list[str | None]:
    """Return the kind of each source that a frame reads, in words; None of one that is not known here."""
    return [_kind(_format(leaf)) for leaf in leaves(frame)]


def is_cloudfiles(leaf: Any) -> bool:
    """Whether a streaming leaf is Auto Loader's."""
    return _format(leaf) == "cloudfiles"


def _format(leaf: Any) -> str:
    """Return the format of a streaming leaf, in lower case: of Spark's first interface for sources, or its second."""
    first = leaf.getClass().getSimpleName() == "StreamingRelation"
    return str(leaf.dataSource().className() if first else leaf.sourceName()).lower()


def _kind(source: str) -> str | None:
    return "files" if source in _OF_FILES else _KINDS.get(source)
