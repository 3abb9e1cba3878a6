"""A stream is not started on the checkpoint of another one.

Spark takes two streams with one checkpoint for two runs of the same query: it stops the first without a word, and the
second goes on from offsets that are not its own.  Here such a start is refused in a sentence that names the stream, and
so is one on a checkpoint that a stream over another kind of source has left.  The same query, started again, is what
Spark takes it for, and is left to Spark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stream_view import waiting
from stream_view.errors import CheckpointInUse, CheckpointOfAnotherSource
from stream_view.starts import offsets, sources
from stream_view.starts.start import Start

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

_CHANGING = re.compile(r"#\d+L?|@[0-9a-f]+")  # numbers that each analysis of the same text gives anew
#: What each stream reads that was started with a checkpoint, by its run.
_frames: dict[str, DataFrame] = {}


def refuse_anothers(start: Start) -> None:
    """Refuse a start on the checkpoint of another stream.

    Raises
    ------
    CheckpointInUse
        A stream with this checkpoint is active, and it is not the same query.
    CheckpointOfAnotherSource
        The checkpoint's last offsets are those of other kinds of sources than this stream reads.
    """
    if start.frame is None or start.checkpoint is None:
        return
    root = _qualified(start.spark, start.checkpoint)
    _refuse_in_use(start, start.frame, root)
    _refuse_foreign(start, start.frame, root)


def remember(start: Start, query: StreamingQuery) -> None:
    """Keep what a stream with a checkpoint reads, while it is active."""
    if start.frame is not None and start.checkpoint is not None:
        _frames[str(query.runId)] = start.frame


def _refuse_in_use(start: Start, frame: DataFrame, root: str) -> None:
    active = waiting.active_streams(start.spark)
    _forget_all_but({str(query.runId) for query in active})
    for query in active:
        if query._jsq.streamingQuery().resolvedCheckpointRoot().rstrip("/") != root:
            continue
        before = _frames.get(str(query.runId))
        if query.name != start.name or (before is not None and _reads(before) != _reads(frame)):
            raise CheckpointInUse(str(start.checkpoint), query.name or str(query.id))


def _refuse_foreign(start: Start, frame: DataFrame, root: str) -> None:
    left, read = offsets.kinds_in(start.spark, root), sources.kinds_of(frame)
    if len(left) != len(read):
        return  # Spark says so
    if any(there and here and there != here for there, here in zip(left, read, strict=True)):
        raise CheckpointOfAnotherSource(str(start.checkpoint), _listed(left), _listed(read))


def _listed(kinds: list[str | None]) -> str:
    return " and ".join(kind or "another source" for kind in kinds)


def _forget_all_but(runs: set[str]) -> None:
    for run in [run for run in _frames if run not in runs]:
        _frames.pop(run, None)


def _qualified(spark: SparkSession, checkpoint: str) -> str:
    """Return a checkpoint as a query has it."""
    path = spark._jvm.org.apache.hadoop.fs.Path(checkpoint)
    files = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    return files.makeQualified(path).toString().rstrip("/")


def _reads(frame: DataFrame) -> list[str]:
    """Return what a query reads, in words that are the same when its text is run again."""
    return sorted(_CHANGING.sub("", leaf.toString()) for leaf in sources.leaves(frame))
