"""Runs a Python program whose query stands still at a point of a batch, and says when it is there.

A query writes its offset log and its commit log through a file manager.  This one hands each call on to Spark's own,
and stands still before or after the file that was named.  Spark calls listeners in the query's thread before the query
begins, which is when the file manager is put in.

``python -m streaming_classroom.lesson.crashing_program WHERE FILE|-c CODE [ARGUMENT ...]``
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from threading import Thread
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming import DataStreamWriter, StreamingQueryListener

from streaming_base import hooks
from streaming_classroom.lesson.crash_points import (
    AFTER_COMMIT,
    AFTER_OFFSETS,
    AFTER_SINK,
    BEFORE_OFFSETS,
    MID_BATCH,
    MISSED,
    mark_of,
)

_PACKAGE = "org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager"
POLL_INTERVAL = 0.002  # seconds between two looks at the tasks of a batch


@dataclass(frozen=True)
class Where:
    """The point, the batch, the queries' names if they matter, and the folder of the marks."""

    point: str
    batch: int
    queries: list[str] | None
    reached: str

    def mark(self, query: str) -> None:
        """Mark a query as at the point."""
        (Path(self.reached) / mark_of(query)).touch()

    def miss(self, query: str) -> None:
        """Mark a query as past the point, and wait for the kill."""
        (Path(self.reached) / MISSED).touch()
        self.stand_still(query)

    def stand_still(self, query: str) -> None:
        """Mark a query as at the point, and wait for the kill."""
        self.mark(query)
        while True:
            time.sleep(60)


class _Log:
    """One of a query's logs: a file manager that stands still around one of its files."""

    def __init__(self, own: Any, jvm: Any, batch: int, before: Callable[[], None], after: Callable[[], None]) -> None:
        self._own, self._jvm, self._batch = own, jvm, str(batch)
        self._before, self._after = before, after

    # The names are those of Spark's interfaces.
    def createAtomic(self, path: Any, overwrite: bool) -> Any:
        if path.getName() != self._batch:
            return self._own.createAtomic(path, overwrite)
        self._before()
        stream = getattr(self._jvm.org.apache.spark.sql.execution.streaming.checkpointing,
                         "CheckpointFileManager$RenameBasedFSDataOutputStream")  # fmt: skip
        return stream(self, path, overwrite)  # which calls the two methods that follow

    def renameTempFile(self, source: Any, target: Any, overwrite: bool) -> None:
        self._own.renameTempFile(source, target, overwrite)
        self._after()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # py4j asks whether this is one of its own objects
            raise AttributeError(name)
        return getattr(self._own, name)

    def __hash__(self) -> int:
        return id(self)

    class Java:
        implements = [_PACKAGE, f"{_PACKAGE}$RenameHelperMethods"]  # noqa: RUF012  # as py4j wants it


class _Starts(StreamingQueryListener):
    """Puts the file managers into the query that is to crash, before it begins."""

    def __init__(self, spark: SparkSession, where: Where) -> None:
        self._spark, self._where = spark, where

    def onQueryStarted(self, event: Any) -> None:
        name = event.name or str(event.id)
        if self._where.queries is not None and name not in self._where.queries:
            return
        query = self._spark._jsparkSession.streams().get(str(event.id))
        execution = query.streamingQuery()
        where, nothing = self._where, lambda: None
        points = dict.fromkeys((BEFORE_OFFSETS, AFTER_OFFSETS, AFTER_SINK, AFTER_COMMIT), nothing)
        points[where.point] = partial(where.stand_still, name)
        if where.point == MID_BATCH:
            points[AFTER_SINK] = partial(where.miss, name)
            tasks = _Tasks(self._spark, str(event.runId), partial(where.mark, name))
            points[AFTER_OFFSETS] = tasks.watch
        self._put_into(execution.offsetLog(), points[BEFORE_OFFSETS], points[AFTER_OFFSETS])
        self._put_into(execution.commitLog(), points[AFTER_SINK], points[AFTER_COMMIT])

    def _put_into(self, log: Any, before: Callable[[], None], after: Callable[[], None]) -> None:
        kind = log.getClass()
        while not any(field.getName() == "fileManager" for field in kind.getDeclaredFields()):
            kind = kind.getSuperclass()
        field = kind.getDeclaredField("fileManager")
        field.setAccessible(True)
        field.set(log, _Log(log.fileManager(), self._spark._jvm, self._where.batch, before, after))

    def onQueryProgress(self, event: Any) -> None:
        pass

    def onQueryIdle(self, event: Any) -> None:
        pass

    def onQueryTerminated(self, event: Any) -> None:
        pass


@dataclass(frozen=True)
class _Tasks:
    """The tasks of a run's jobs."""

    spark: SparkSession
    run: str
    mark: Callable[[], None]

    def watch(self) -> None:
        """Freeze Spark, in a thread, once a task of a job's last stage has ended and another one has not."""
        known = set(self._jobs())
        Thread(target=self._freeze_in_the_middle, args=(known,), daemon=True).start()

    def _freeze_in_the_middle(self, known: set[int]) -> None:
        jvm = int(self.spark._jvm.java.lang.ProcessHandle.current().pid())
        while not any(self._is_in_the_middle(job) for job in self._jobs() if job not in known):
            time.sleep(POLL_INTERVAL)
        os.kill(jvm, signal.SIGSTOP)  # what runs meanwhile would be after the point
        self.mark()

    def _jobs(self) -> list[int]:
        return list(self.spark.sparkContext.statusTracker().getJobIdsForGroup(self.run))

    def _is_in_the_middle(self, job: int) -> bool:
        tracker = self.spark.sparkContext.statusTracker()
        with suppress(Py4JError):
            info = tracker.getJobInfo(job)
            last = tracker.getStageInfo(max(info.stageIds)) if info and len(info.stageIds) else None
            return last is not None and 0 < last.numCompletedTasks < last.numTasks
        return False


def main(arguments: list[str]) -> None:
    """Run the program that the arguments name, with its own arguments."""
    where = Where(**json.loads(arguments[0]))
    # Its own Spark, on this machine: the notebook's session may have every core of the cluster.
    os.environ.pop("SPARK_MASTER", None)
    watched: set[int] = set()

    def wrap_start(start: Any) -> Any:
        @wraps(start)
        def listening(self: DataStreamWriter, *args: Any, **kwargs: Any) -> Any:
            if id(self._spark._jsparkSession) not in watched:
                watched.add(id(self._spark._jsparkSession))
                self._spark.streams.addListener(_Starts(self._spark, where))
            return start(self, *args, **kwargs)

        return listening

    why = "its query stands still at a point of a batch"
    hooks.wrap(DataStreamWriter, "start", wrap_start, by="streaming_classroom", layer="source", why=why)
    if arguments[1] == "-c":
        sys.argv = ["-c", *arguments[3:]]
        sys.path.insert(0, "")
        exec(compile(arguments[2], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = arguments[1:]
        sys.path.insert(0, str(Path(arguments[1]).parent))
        runpy.run_path(arguments[1], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
