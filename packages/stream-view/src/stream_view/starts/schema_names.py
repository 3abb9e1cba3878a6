"""A schema none of whose names is in the files: every row would be NULL, and nothing would say so.

One file is looked at, in the background, for a person only.  Spark's CSV reader takes columns by their position,
whatever the header says, so only Auto Loader's CSV is looked at, which takes them by name.
"""

from __future__ import annotations

import logging
import re
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from stream_view import front_end
from stream_view.starts import sources
from stream_view.starts.start import Start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

LARGEST = 32 << 20  # bytes of a file that is looked at: names are found by reading all of it
_SHOWN = 6  # names in the line
_WITH_NAMES = ("json", "parquet", "orc")
_PARTITION = re.compile(r"/([^/=]+)=[^/]*(?=/)")

_log = logging.getLogger(__name__)


class _FilesRead(NamedTuple):
    """Files that a stream reads by a schema that somebody has written."""

    format: str
    path: str
    options: dict[str, str]
    names: list[str]


def compare(start: Start, _query: StreamingQuery) -> None:
    """Say below the cell, a little later, if none of a schema's names is in the first file that the stream reads."""
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
    found = _columns(start.spark, read, file)
    # The names in the path are columns as well, and hold what the schema says even where the file has none of them.
    in_path = {name.casefold() for name in _PARTITION.findall(file)}
    wanted = [name for name in read.names if name.casefold() not in in_path]
    there = [name for name in found if name.casefold() not in in_path]
    if there and wanted and not _folded(there, read.format) & _folded(wanted, read.format):
        front_end.print_below(
            start.cell,
            f"None of the schema's names ({_listed(wanted)}) is in {file.rpartition('/')[2]}, which has "
            f"{_listed(there)}: every row will be NULL. Correct the names in the schema.",
        )


def _folded(names: list[str], format: str) -> set[str]:
    """Return names as Spark compares them with a file's: those of JSON as they are, others without case."""
    return set(names) if format == "json" else {name.casefold() for name in names}


def _columns(spark: SparkSession, read: _FilesRead, file: str) -> list[str]:
    """Return the columns of a file; past the session's reader, which packages wrap to look at what a cell reads."""
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
