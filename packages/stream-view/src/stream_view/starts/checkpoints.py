"""A stream is not started on the checkpoint of another one.

Spark takes two streams with one checkpoint for two runs of the same query: it stops the first silently, and the
second continues from offsets that are not its own.  Here such a start is refused in a sentence that names the stream,
and so is one on a checkpoint that a stream over another kind of source has left.  The same query, started again, is
what Spark takes it for, and is left to Spark.

A stream over files takes a folder that is not there for one without new files, and Delta creates an empty table where
the folder of one was.  Neither says so.  (A table that was dropped, and a checkpoint that is gone, end the stream.)

Spark keeps them as text, one file per batch: a version, what holds for all sources, then a line for each source, whose
shape is the source's own.
"""

from __future__ import annotations

import json
import logging
import re
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stream_view.errors import CheckpointInUse, CheckpointOfAnotherSource
from stream_view.starts import sources
from stream_view.starts.sources import Start
from streaming_base import front_end, waiting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

_VERSION = "v1"  # the second version names its sources, and Spark itself compares the names
#: Fields that the offsets of one kind of source have, and no other's.
_FIELDS = {
    "reservoirId": "a Delta table",
    "seqNum": "cloudFiles",
    "logOffset": "files",
}


def _last_offsets(spark: SparkSession, checkpoint: str) -> list[str]:
    hadoop = spark._jvm.org.apache.hadoop.fs
    folder = hadoop.Path(f"{checkpoint}/offsets")
    files = folder.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    if not files.exists(folder):
        return []
    names = [path.getName() for path in hadoop.FileUtil.stat2Paths(files.listStatus(folder))]
    batches = [int(name) for name in names if name.isdecimal()]
    if not batches:
        return []
    with closing(files.open(hadoop.Path(folder, str(max(batches))))) as stream:
        lines = spark._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8").splitlines()
    return lines[2:] if lines[:1] == [_VERSION] else []


def _kind(line: str) -> str | None:
    try:
        offset = json.loads(line)
    except ValueError:  # a dash, where the source had nothing yet, or a shape that is not known here
        return None
    if isinstance(offset, int):
        return "a rate or socket source"
    if not isinstance(offset, dict):
        return None
    return next((kind for field, kind in _FIELDS.items() if field in offset), _kind_without_a_field(offset))


def _kind_without_a_field(offset: dict[str, Any]) -> str | None:
    if set(offset) == {"offset", "timestamp"}:
        return "the rate-micro-batch source"
    return "Kafka" if offset and all(map(_is_by_partition, offset.values())) else None


def _is_by_partition(of_a_topic: Any) -> bool:
    return isinstance(of_a_topic, dict) and all(key.isdecimal() for key in of_a_topic)


#: Where a look costs no request: this machine, and the classroom's own scheme, which is on it.
_HERE = ("file:", "dbfs:", "/")
_GLOB = re.compile(r"[*?{\[]")
_OF_A_SINK = re.compile(r"(?:DeltaSink|FileSink)\[(.+)\]")


@dataclass
class _Folder:
    """A folder of a stream, its use, and whether it existed at the last check."""

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
    """Check the folders of an active stream after each cell, for a person at the notebook."""
    events = getattr(front_end.ipython(), "events", None)
    if start.frame is None or not front_end.is_interactive() or events is None:
        return
    written = _OF_A_SINK.fullmatch(query._jsq.streamingQuery().sink().toString())
    found = [_Folder(path, reads=True) for path in sources.folders(start.frame)]
    found += [_Folder(written[1], reads=False)] if written else []
    looked_for = [folder for folder in found if folder.path.startswith(_HERE) and not _GLOB.search(folder.path)]
    if looked_for:
        _watched.append(_Watched(start.spark, query, looked_for))
    if check_folders not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", check_folders)


def check_folders(_result: Any = None) -> None:
    """Report folders of active streams that have disappeared since the previous cell."""
    try:
        _watched[:] = [watched for watched in _watched if _is_active(watched.query)]
        for watched in _watched:
            for folder in watched.folders:
                is_there = _exists(watched.spark, folder.path)
                if folder.was_there and not is_there:
                    front_end.print_below(front_end.parent_message(), _sentence(watched.query, folder))
                folder.was_there = is_there
    except Exception:  # an interrupted cell cuts the connection: the next cell's end has another
        _log.debug("no look at folders", exc_info=True)


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


_CHANGING = re.compile(r"#\d+L?|@[0-9a-f]+")  # numbers that each analysis of the same text gives again
#: What each stream reads that was started with a checkpoint, by its run.
_frames: dict[str, DataFrame] = {}


def refuse_checkpoint_of_another(start: Start) -> None:
    """Refuse a start on the checkpoint of another stream.

    Raises
    ------
    CheckpointInUse
        Another query with this checkpoint is active.
    CheckpointOfAnotherSource
        The checkpoint's last offsets are of other kinds of sources.
    """
    if start.frame is None or start.checkpoint is None:
        return
    root = _qualified(start.spark, start.checkpoint)
    _refuse_in_use(start, start.frame, root)
    _refuse_foreign(start, start.frame, root)


def remember(start: Start, query: StreamingQuery) -> None:
    """Keep the sources of an active stream with a checkpoint."""
    if start.frame is not None and start.checkpoint is not None:
        _frames[str(query.runId)] = start.frame


def _refuse_in_use(start: Start, frame: DataFrame, root: str) -> None:
    active = waiting.active_streams(start.spark)
    for ended in _frames.keys() - {str(query.runId) for query in active}:
        _frames.pop(ended, None)
    for query in active:
        if query._jsq.streamingQuery().resolvedCheckpointRoot().rstrip("/") != root:
            continue
        before = _frames.get(str(query.runId))
        if query.name != start.name or (before is not None and _reads(before) != _reads(frame)):
            raise CheckpointInUse(str(start.checkpoint), query.name or str(query.id))


def _refuse_foreign(start: Start, frame: DataFrame, root: str) -> None:
    left, read = [_kind(line) for line in _last_offsets(start.spark, root)], sources.kinds_of(frame)
    if len(left) != len(read):
        return  # Spark says so
    if any(there and here and there != here for there, here in zip(left, read, strict=True)):
        raise CheckpointOfAnotherSource(str(start.checkpoint), _listed(left), _listed(read))


def _listed(kinds: list[str | None]) -> str:
    return " and ".join(kind or "another source" for kind in kinds)


def _qualified(spark: SparkSession, checkpoint: str) -> str:
    """Return a checkpoint as a query has it."""
    path = spark._jvm.org.apache.hadoop.fs.Path(checkpoint)
    files = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    return files.makeQualified(path).toString().rstrip("/")


def _reads(frame: DataFrame) -> list[str]:
    """Return a query's sources, in text that is the same when its code runs again."""
    return sorted(_CHANGING.sub("", leaf.toString()) for leaf in sources.leaves(frame))
