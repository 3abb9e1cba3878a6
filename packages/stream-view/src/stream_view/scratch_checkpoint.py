"""A copy of a checkpoint as it was in the middle of a batch, with which Spark runs that batch again, and only that one.

A query that finds the offsets of a batch and no commit of it takes the batch for one that was interrupted: it runs it
between the same offsets, at the same watermark, on the state of the batch before.  So the copy ends with the batch's
offsets and the commit of the previous one.  It has an id of its own, or Spark would stop the query that has the
original.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOGS = ("offsets", "commits")
_WHOLE = ("snapshot", "zip")  # files of the state that need no older ones


def copy_checkpoint(spark: SparkSession, checkpoint: str, folder: str, batch: int) -> None:
    """Copy a checkpoint as it was after the offsets of a batch were written; the original is only read.

    The new folder is one that the driver and all executors reach.
    """
    files = _Files(spark, checkpoint, folder)
    for log in _LOGS:
        files.make(log)
    files.take([f"offsets/{number}" for number in (batch - 1, batch) if number >= 0])
    files.take([f"commits/{batch - 1}"] if batch else [])
    files.take(files.below("sources"))
    files.take(_needed_files(files.below("state"), batch))
    files.write("metadata", json.dumps({"id": str(uuid.uuid4())}))


def _needed_files(state: Iterable[str], version: int) -> list[str]:
    """Return the state files that loading a version needs: those since the last snapshot."""
    by_folder: dict[str, list[tuple[int | None, str]]] = {}
    for name in state:
        folder, _, file = name.rpartition("/")
        by_folder.setdefault(folder, []).append((_version(file), name))
    needed = []
    for files in by_folder.values():
        whole = [number for number, name in files if number is not None and name.rpartition(".")[2] in _WHOLE]
        first = max((number for number in whole if number <= version), default=0)
        needed += [name for number, name in files if number is None or first <= number <= version]
    return needed


def _version(file: str) -> int | None:
    """Return the version of a state file, or None for a file of several versions, such as a schema."""
    number = file.lstrip(".").partition(".")[0].partition("_")[0]
    return int(number) if number.isdecimal() else None


class _Files:
    """Files of a checkpoint, copied into a folder with the same names below it."""

    def __init__(self, spark: SparkSession, checkpoint: str, folder: str) -> None:
        self._hadoop = spark._jvm.org.apache.hadoop.fs
        self._conf = spark._jsparkSession.sessionState().newHadoopConf()
        self._source, self._source_files = self._resolved(checkpoint)
        self._target = self._hadoop.Path(folder)
        self._target_files = self._target.getFileSystem(self._conf)

    def make(self, folder: str) -> None:
        """Make a folder."""
        self._target_files.mkdirs(self._hadoop.Path(self._target, folder))

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        with closing(self._target_files.create(self._hadoop.Path(self._target, name))) as stream:
            stream.write(bytearray(text.encode()))

    def below(self, folder: str) -> list[str]:
        """Return the names of all files below a folder; none if it does not exist."""
        path = self._hadoop.Path(self._source, folder)
        if not self._source_files.exists(path):
            return []
        found, prefix = self._source_files.listFiles(path, True), str(self._source.toString())
        names = []
        while found.hasNext():
            names.append(str(found.next().getPath().toString()).removeprefix(prefix).lstrip("/"))
        return names

    def take(self, names: Iterable[str]) -> None:
        """Copy files."""
        for name in names:
            source, target = (self._hadoop.Path(root, name) for root in (self._source, self._target))
            self._hadoop.FileUtil.copy(self._source_files, source, self._target_files, target, False, self._conf)

    def _resolved(self, folder: str) -> tuple[Any, Any]:
        """Return the real path of a folder, behind mounts such as those of ``dbfs:/``, and its file system."""
        path = self._hadoop.Path(folder)
        resolved = path.getFileSystem(self._conf).resolvePath(path)
        return resolved, resolved.getFileSystem(self._conf)
