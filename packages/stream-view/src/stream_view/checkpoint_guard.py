"""A stream is not started on the checkpoint of another that runs.

Spark takes two streams with one checkpoint for two runs of the same query: it stops the first without a word, and the
second goes on from offsets that are not its own.  Here such a start is refused in a sentence that names the stream.
The same query, started again, is what Spark takes it for, and is left to Spark.
"""

from __future__ import annotations

import inspect
import re
from functools import wraps
from typing import TYPE_CHECKING, Any

import spark_hooks
from stream_view import waiting
from stream_view.errors import CheckpointInUse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CHECKPOINT, _NAME = "_stream_view_checkpoint", "_stream_view_name"
_OPTION = "checkpointlocation"
_CHANGING = re.compile(r"#\d+L?|@[0-9a-f]+")  # numbers that each analysis of the same text gives anew
#: What each stream reads that was started with a checkpoint, by its run.
_frames: dict[str, DataFrame] = {}


def install() -> None:
    """Look at each start of a classic session's streams; calling it again changes nothing."""
    from pyspark.sql.streaming import DataStreamWriter

    hooks = {
        "option": _noting_option,
        "options": _noting_options,
        "queryName": _noting_name,
        "start": _guarded,
        "toTable": _guarded,
    }
    for method, make in hooks.items():
        why = "two streams on one checkpoint are refused"
        spark_hooks.wrap(DataStreamWriter, method, make, by="stream_view", layer="display", why=why)


def _noting_option(original: Any) -> Any:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        _note(self, {key: value})
        return original(self, key, value)

    return option


def _noting_options(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        _note(self, given)
        return original(self, **given)

    return options


def _noting_name(original: Any) -> Any:
    @wraps(original)
    def queryName(self: Any, queryName: str) -> Any:
        setattr(self, _NAME, queryName)
        return original(self, queryName)

    return queryName


def _note(writer: Any, given: dict[str, Any]) -> None:
    for key, value in given.items():
        if isinstance(key, str) and key.lower() == _OPTION:
            setattr(writer, _CHECKPOINT, value)


def _guarded(original: Any) -> Any:
    signature = inspect.signature(original)

    @wraps(original)
    def start(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(self, *args, **kwargs).arguments
        _note(self, given.get("options", {}))
        checkpoint = getattr(self, _CHECKPOINT, None)
        if not isinstance(checkpoint, str):
            return original(self, *args, **kwargs)
        _refuse_anothers(self._df, checkpoint, given.get("queryName") or getattr(self, _NAME, None))
        query = original(self, *args, **kwargs)
        _frames[str(query.runId)] = self._df
        return query

    return start


def _refuse_anothers(frame: DataFrame, checkpoint: str, name: str | None) -> None:
    """Raise where a stream with this checkpoint is active and is not the same query."""
    spark = frame.sparkSession
    active = waiting.active_streams(spark)
    _forget_all_but({str(query.runId) for query in active})
    if not active:
        return
    root = _qualified(spark, checkpoint)
    for query in active:
        if query._jsq.streamingQuery().resolvedCheckpointRoot().rstrip("/") != root:
            continue
        before = _frames.get(str(query.runId))
        if query.name != name or (before is not None and _sources(before) != _sources(frame)):
            raise CheckpointInUse(checkpoint, query.name or str(query.id))


def _forget_all_but(runs: set[str]) -> None:
    for run in [run for run in _frames if run not in runs]:
        _frames.pop(run, None)


def _qualified(spark: SparkSession, checkpoint: str) -> str:
    """Return a checkpoint as a query has it."""
    path = spark._jvm.org.apache.hadoop.fs.Path(checkpoint)
    files = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    return files.makeQualified(path).toString().rstrip("/")


def _sources(frame: DataFrame) -> list[str]:
    """Return what a query reads, in words that are the same when its text is run again."""
    leaves = frame._jdf.queryExecution().analyzed().collectLeaves()
    streams = (leaves.apply(number) for number in range(leaves.size()))
    return sorted(_CHANGING.sub("", leaf.toString()) for leaf in streams if leaf.isStreaming())
