"""Which sources a streaming frame reads, from its plan.

One file is looked at, in the background, for a person only.  Spark's CSV reader takes columns by their position,
whatever the header says, so only Auto Loader's CSV is looked at, which takes them by name.
"""

from __future__ import annotations

import logging
import re
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from stream_view.starts.start import Start
from streaming_base import front_end

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

LARGEST = 32 << 20  # bytes of a file that is looked at: names are found by reading all of it
_SHOWN = 6  # names in the line
_WITH_NAMES = ("json", "parquet", "orc")
_PARTITION = re.compile(r"/([^/=]+)=[^/]*(?=/)")

_log = logging.getLogger(__name__)


class _FilesRead(NamedTuple):
    """Files that a stream reads with a schema written by the user."""

    format: str
    path: str
    options: dict[str, str]
    names: list[str]


def compare(start: Start, _query: StreamingQuery) -> None:
    """Report below the cell if the first file of the stream has none of the schema's names."""
    if start.frame is None or not front_end.is_interactive():
        return
    reads = [read for leaf in leaves(start.frame) if (read := _read_by_schema(leaf)) is not None]
    if reads:
        Thread(target=_look, args=(start, reads), name="comparing names", daemon=True).start()


def _read_by_schema(leaf: Any) -> _FilesRead | None:
    names, format = written_schema(leaf), format_of_files(leaf)
    options = options_of(leaf)
    path = options.pop("path", "")
    has_header = is_cloudfiles(leaf) and options.get("header", "").lower() == "true"
    by_name = format in _WITH_NAMES or (format == "csv" and has_header)
    if not (by_name and names and path):
        return None
    return _FilesRead(format, path, {key: value for key, value in options.items() if "." not in key}, names)


def _look(start: Start, reads: list[_FilesRead]) -> None:
    try:
        for read in reads:
            if (file := _first_file(start.spark, read.path)) is not None:
                _compare_with(start, read, file)
    except Exception:  # a file that is gone, a format that Spark does not read: the stream says so
        _log.debug("no names to compare", exc_info=True)


def _compare_with(start: Start, read: _FilesRead, file: str) -> None:
    found = _columns(start.spark, read, file)
    # The names in the path are columns as well, and hold what the schema says even where the file has none of them.
    in_path = {name.casefold() for name in _PARTITION.findall(file)}
    wanted = [name for name in read.names if name.casefold() not in in_path]
    there = [name for name in found if name.casefold() not in in_path]
    if there and wanted and not _fold_case(there, read.format) & _fold_case(wanted, read.format):
        front_end.print_below(
            start.cell,
            f"None of the schema's names ({_listed(wanted)}) is in {file.rpartition('/')[2]}, which has "
            f"{_listed(there)}: every row will be NULL. Correct the names in the schema.",
        )


def _fold_case(names: list[str], format: str) -> set[str]:
    """Return names as Spark compares them with a file's: case-sensitive for JSON only."""
    return set(names) if format == "json" else {name.casefold() for name in names}


def _columns(spark: SparkSession, read: _FilesRead, file: str) -> list[str]:
    """Return the columns of a file, by a reader that other packages have not wrapped."""
    reader = spark._jsparkSession.read().format(read.format)
    for key, value in read.options.items():
        reader = reader.option(key, value)
    return list(reader.load(file).columns())


def _first_file(spark: SparkSession, path: str) -> str | None:
    """Return the first file below a path that holds rows and is not too large."""
    root = spark._jvm.org.apache.hadoop.fs.Path(path)
    files = root.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).listFiles(root, True)
    while files.hasNext():
        status = files.next()
        is_data = not status.getPath().getName().startswith(("_", "."))
        if is_data and 0 < status.getLen() <= LARGEST:
            return str(status.getPath().toString())
    return None


def _listed(names: list[str]) -> str:
    more = " …" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


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
