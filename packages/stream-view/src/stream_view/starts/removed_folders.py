"""A folder that a running stream reads or writes is gone: said below the cell after which it was.

A stream over files takes a folder that is not there for one without new files, and Delta creates an empty table where
the folder of one was.  Neither says so.  (A table that was dropped, and a checkpoint that is gone, end the stream.)
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stream_view import front_end
from stream_view.starts import sources
from stream_view.starts.start import Start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

#: Where a look costs no request: this machine, and the classroom's own scheme, which is on it.
_HERE = ("file:", "dbfs:", "/")
_GLOB = re.compile(r"[*?{\[]")
_OF_A_SINK = re.compile(r"(?:DeltaSink|FileSink)\[(.+)\]")


@dataclass
class _Folder:
    """One folder of a stream, what the stream does there, and whether it was there when it was looked for last."""

    path: str
    reads: bool
    was_there: bool = False


@dataclass
class _Watched:
    """A stream and its folders."""

    spark: SparkSession
    query: StreamingQuery
    folders: list[_Folder] = field(default_factory=list)


_watched: list[_Watched] = []
_log = logging.getLogger(__name__)


def watch(start: Start, query: StreamingQuery) -> None:
    """Look for the folders of a stream after each cell, while it is active; for a person only."""
    events = getattr(front_end.ipython(), "events", None)
    if start.frame is None or not front_end.is_interactive() or events is None:
        return
    written = _OF_A_SINK.fullmatch(query._jsq.streamingQuery().sink().toString())
    found = [_Folder(path, reads=True) for path in sources.folders(start.frame)]
    found += [_Folder(written[1], reads=False)] if written else []
    looked_for = [folder for folder in found if folder.path.startswith(_HERE) and not _GLOB.search(folder.path)]
    if looked_for:
        _watched.append(_Watched(start.spark, query, looked_for))
    if look not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", look)


def look(_result: Any = None) -> None:
    """Say which folders of active streams are gone that were there after the cell before."""
    try:
        _look()
    except Exception:  # an interrupted cell cuts the connection: the next cell's end has another
        _log.debug("no look at folders", exc_info=True)


def _look() -> None:
    _watched[:] = [watched for watched in _watched if _is_active(watched.query)]
    for watched in _watched:
        for folder in watched.folders:
            is_there = _exists(watched.spark, folder.path)
            if folder.was_there and not is_there:
                front_end.print_below(front_end.parent_message(), _sentence(watched.query, folder))
            folder.was_there = is_there


def _is_active(query: StreamingQuery) -> bool:
    try:
        return query.isActive
    except Exception:  # Spark has ended, and its streams have
        return False


def _exists(spark: SparkSession, path: str) -> bool:
    there = spark._jvm.org.apache.hadoop.fs.Path(path)
    return bool(there.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).exists(there))


def _sentence(query: StreamingQuery, folder: _Folder) -> str:
    who = f"the stream {query.name}" if query.name else "a stream"
    if folder.reads:
        return (
            f"{folder.path} is gone, which {who} reads: it finds no more rows, and does not say so. Put the folder "
            "back, or stop the stream."
        )
    return (
        f"{folder.path} is gone, where {who} writes: its next rows start an empty one. Stop it; to load all rows "
        "again, delete its checkpoint before you restart it."
    )
