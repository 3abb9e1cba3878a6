"""Columns of a stream that do not fit: columns that its Delta table lacks or casts, and names that its files lack.

Delta fills a column that the stream does not have with NULL, and casts what has another type, silently; a name
that was misspelt is such a column.  One line below the cell says which.  Where columns are new and no more, Delta says
so itself.

Of the files that a stream reads one is looked at, in the background, for a person only.  Spark's CSV reader takes
columns by their position, whatever the header says, so only Auto Loader's CSV is looked at, which takes them by name.
"""

from __future__ import annotations

import json
import logging
import re
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from stream_view.starts import sources
from stream_view.starts.sources import Start
from streaming_base import front_end

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

_SINK = "DeltaSink"
#: Metadata of a column that its table can fill by itself.
_FILLED = ("delta.generationExpression", "delta.identity.start", "CURRENT_DEFAULT")


def report_unfit_columns(start: Start, query: StreamingQuery) -> None:
    """Report the columns of a stream that do not fit its Delta table."""
    if start.frame is None:
        return
    sink = query._jsq.streamingQuery().sink()
    if sink.getClass().getSimpleName() != _SINK:
        return
    # The schema in Delta's log has the hidden parts; a missing table has no columns.
    log = start.spark._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(start.spark._jsparkSession, sink.path())
    there = _columns(json.loads(log.unsafeVolatileSnapshot().metadata().schema().json()))
    here = _columns(json.loads(start.frame._jdf.schema().json()))
    merges = str(start.options.get("mergeschema", "")).lower() == "true"
    if there and (differences := _differences(start.spark, here, there, merges)):
        front_end.print_below(start.cell, f"Not all columns fit the table of this stream: {'; '.join(differences)}.")


def _columns(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {field["name"].lower(): field for field in schema["fields"]}


def _differences(
    spark: SparkSession, here: dict[str, dict[str, Any]], there: dict[str, dict[str, Any]], merges: bool
) -> list[str]:
    said = [
        f"{field['name']} is missing and becomes NULL"
        for name, field in there.items()
        if name not in here and not any(key in field["metadata"] for key in _FILLED)
    ]
    said += [
        f"{field['name']} is cast from {_words(here[name]['type'])} to {_words(field['type'])}"
        for name, field in there.items()
        if name in here and not _fits(spark, here[name]["type"], field["type"])
    ]
    if not said:
        return []
    new = [field["name"] for name, field in here.items() if name not in there]
    if new and not merges:
        said.append(f"{', '.join(new)} {'is' if len(new) == 1 else 'are'} new, which Delta refuses without mergeSchema")
    return said


def _fits(spark: SparkSession, here: Any, there: Any) -> bool:
    """Whether a cast loses nothing, as Spark sees it: an INT is a BIGINT."""
    if here == there or not (isinstance(here, str) and isinstance(there, str)):
        return True  # what is nested is Delta's to compare
    types = spark._jvm.org.apache.spark.sql.types.DataType
    cast = spark._jvm.org.apache.spark.sql.catalyst.expressions.Cast
    return bool(cast.canUpCast(types.fromJson(json.dumps(here)), types.fromJson(json.dumps(there))))


def _words(kind: str) -> str:
    return {"long": "BIGINT", "integer": "INT", "short": "SMALLINT", "byte": "TINYINT"}.get(kind, kind.upper())


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


def report_unread_schema(start: Start, _query: StreamingQuery) -> None:
    """Report below the cell if the first file of the stream has none of the schema's names."""
    if start.frame is None or not front_end.is_interactive():
        return
    reads = [read for leaf in sources.leaves(start.frame) if (read := _read_by_schema(leaf)) is not None]
    if reads:
        Thread(target=_look, args=(start, reads), name="comparing names", daemon=True).start()


def _read_by_schema(leaf: Any) -> _FilesRead | None:
    names, format = sources.written_schema(leaf), sources.format_of_files(leaf)
    options = sources.options_of(leaf)
    path = options.pop("path", "")
    has_header = sources.is_cloudfiles(leaf) and options.get("header", "").lower() == "true"
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
    found = _columns_of_file(start.spark, read, file)
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


def _columns_of_file(spark: SparkSession, read: _FilesRead, file: str) -> list[str]:
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
