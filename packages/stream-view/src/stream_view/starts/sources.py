"""One start of a stream: what its writer was told, the cell that starts it, and the sources that its frame reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Start:
    """A start of a stream, classic or over Connect.

    ``frame`` is None over Connect; ``options`` are the writer's, by their names in lower case; ``cell`` is the message
    that runs the cell, empty outside a notebook.
    """

    spark: SparkSession
    frame: DataFrame | None
    name: str | None
    options: dict[str, Any]
    cell: dict[str, Any]

    @property
    def checkpoint(self) -> str | None:
        """The writer's checkpoint location."""
        given = self.options.get("checkpointlocation")
        return given if isinstance(given, str) else None


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
    """Return the kind of each source of a frame, in words, or None."""
    return [_kind(_format(leaf)) for leaf in leaves(frame)]


def folders(frame: DataFrame) -> list[str]:
    """Return the folders whose files a frame reads, also by Auto Loader; tables have none."""
    read = [(_format(leaf), options_of(leaf)) for leaf in leaves(frame)]
    return [options["path"] for source, options in read if source in _OF_FILES | {"cloudfiles"} and "path" in options]


def options_of(leaf: Any) -> dict[str, str]:
    """Return the options of a streaming leaf, by their names in lower case."""
    if _is_of_first_interface(leaf):
        pairs, options = leaf.dataSource().options().iterator(), {}
        while pairs.hasNext():
            pair = pairs.next()
            options[str(pair._1())] = str(pair._2())
    else:
        options = leaf.extraOptions().asCaseSensitiveMap()
    return {str(key).lower(): str(value) for key, value in options.items()}


def written_schema(leaf: Any) -> list[str]:
    """Return the names of the user's schema for a stream of files; none if it was inferred."""
    if _is_of_first_interface(leaf):
        given = leaf.dataSource().userSpecifiedSchema()
        return list(given.get().fieldNames()) if given.isDefined() else []
    if not is_cloudfiles(leaf) or "cloudfiles.schemalocation" in options_of(leaf):  # where inferred ones are kept
        return []
    output = leaf.output()
    names = (output.apply(number).name() for number in range(output.size()))
    return [name for name in names if not name.startswith("_")]


def format_of_files(leaf: Any) -> str:
    """Return the format of the files that a streaming leaf reads, in lower case; of other sources, their own."""
    return options_of(leaf).get("cloudfiles.format", "").lower() if is_cloudfiles(leaf) else _format(leaf)


def is_cloudfiles(leaf: Any) -> bool:
    """Whether a streaming leaf is Auto Loader's."""
    return _format(leaf) == "cloudfiles"


def _format(leaf: Any) -> str:
    """Return the format of a streaming leaf, in lower case: of Spark's first interface for sources, or its second."""
    return str(leaf.dataSource().className() if _is_of_first_interface(leaf) else leaf.sourceName()).lower()


def _is_of_first_interface(leaf: Any) -> bool:
    return leaf.getClass().getSimpleName() == "StreamingRelation"


def _kind(source: str) -> str | None:
    return "files" if source in _OF_FILES else _KINDS.get(source)
