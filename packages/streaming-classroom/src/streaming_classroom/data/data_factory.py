"""The data factory: lands a lesson's next batch atomically, and keeps its position on disk.

A batch is a few files of a generated dataset, most often one.  They land as files, each whole or not at all, or as
one append to a Delta table, and the position is kept on disk: a restarted kernel continues where the last one was.

Progress is one output that changes in place and ends as the sentence that a single landing prints.  A notebook that
runs without a person has only that sentence, so that each run saves the same.

A progress report describes a source of files or of a Delta table by its path: ``FileStreamSource[dbfs:/x]``.  It is
there already, so that asking costs no job and no plan.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

from streaming_base import front_end
from streaming_base.stopped_session import refuse_stopped
from streaming_base.waiting import show_line, wait_until_processed
from streaming_classroom.files.directories import classroom_files, write_atomically

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from streaming_classroom.data.datasets import DatasetBatch

_AT_A_PATH = re.compile(r"(?:FileStreamSource|DeltaSource|CloudFilesSource)\[(.*)\]", re.DOTALL)
_WITHOUT_A_PATH = re.compile(r"(?:Rate|Kafka|TextSocket|Memory)\w*\[")
_WILDCARD = re.compile(r"[*?{\[]")


def reads(queries: Iterable[StreamingQuery], place: Path) -> bool | None:
    """Return whether a query reads a directory or table, or a part of it; None if that is unknown."""
    answers = [_reads(source, place) for query in queries for source in _sources(query)]
    if True in answers:
        return True
    return None if None in answers else False


def short_name(query: StreamingQuery) -> str:
    """Return a short name of a query's source: a path's last part, else the kind of source; "" if unknown."""
    description = _sources(query)[0].get("description") or ""
    if found := _AT_A_PATH.fullmatch(description):
        return found[1].rstrip("/").rpartition("/")[2]
    kind = re.match(r"\w+", description)
    return kind[0] if kind else ""


def _sources(query: StreamingQuery) -> list[Mapping[str, Any]]:
    """Return a query's sources from its reports; none before the first report."""
    progress: Any = query.lastProgress or {}
    return progress.get("sources") or [{}]


def _reads(source: Mapping[str, Any], place: Path) -> bool | None:
    description = source.get("description") or ""
    if _WITHOUT_A_PATH.match(description):
        return False
    if not (found := _AT_A_PATH.fullmatch(description)):
        return None
    try:
        path = classroom_files().local_path(_WILDCARD.split(found[1])[0])
    except ValueError:  # of another file system
        return None
    return path == place or place in path.parents or path in place.parents


#: Called when streams have processed what has landed, by compute where nothing follows a stream by itself.
after_landing: list[Callable[[], None]] = []

# Held while a batch lands and while a lesson is started over: a cell and the instructor's panel may do it at one time.
landing = RLock()


class Target(Protocol):
    """Where batches land; ``path`` is where Python finds it, or None where that is not known."""

    @property
    def name(self) -> str:
        """The name for a person."""

    @property
    def path(self) -> Path | None:
        """Where Python finds it."""

    def land(self, batch: DatasetBatch, number: int) -> None:
        """Make the batch visible to readers; doing it again changes nothing."""


@dataclass(frozen=True)
class DirectoryTarget:
    """Batches land as files in a directory."""

    path: Path
    name: str

    def land(self, batch: DatasetBatch, number: int) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        # Spark takes files in the order of their times, in milliseconds, and two can land within one.
        newest = max((file.stat().st_mtime_ns for file in self.path.rglob("[!.]*") if file.is_file()), default=0)
        for name, file in batch.files.items():
            newest = max(time.time_ns(), newest + 2_000_000)
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            # Readers skip names with a leading dot; the rename makes the whole file appear at once.
            hidden = target.with_name(f".{target.name}.part")
            shutil.copyfile(file, hidden)
            os.utime(hidden, ns=(newest, newest))
            hidden.replace(target)


@dataclass(frozen=True)
class TableTarget:
    """Batches land as appends to a Delta table, which the first one creates.

    ``source`` is the directory of the batches as Spark names it; ``application`` marks the appends, so that Delta takes
    each batch once even if it is landed twice.
    """

    spark: SparkSession
    name: str
    schema: str
    source: str
    application: str
    path: Path | None = None

    def land(self, batch: DatasetBatch, number: int) -> None:
        files = [f"{self.source}/{name}" for name in batch.files]
        reader = self.spark.read.format(Path(files[0]).suffix[1:]).option("header", True)  # JSON does not mind
        frame = reader.schema(self.schema).load(files)
        marked = frame.write.option("txnAppId", self.application).option("txnVersion", number)
        marked.mode("append").format("delta").saveAsTable(self.name)


class DataFactory:
    """Land the batches of one dataset one after the other.

    Parameters
    ----------
    batches : list of Batch
        What to land, in order.
    target : Target
        Where they land.
    position : Path
        File that keeps how many have landed.
    spark : SparkSession
        Whose active streams are waited for.
    """

    def __init__(self, batches: list[DatasetBatch], target: Target, position: Path, spark: SparkSession) -> None:
        self._batches = batches
        self._target = target
        self._position = position
        self._spark = spark

    @property
    def landed(self) -> int:
        """The number of landed batches."""
        try:
            return json.loads(self._position.read_text(encoding="utf-8"))["landed"]
        except FileNotFoundError:
            return 0

    @property
    def left(self) -> int:
        """How many batches are left."""
        return len(self._batches) - self.landed

    @property
    def total(self) -> int:
        """The number of all batches."""
        return len(self._batches)

    @property
    def place(self) -> Path | None:
        """The directory, or the table's, in which batches land; None where that is not known."""
        return self._target.path

    def report(self) -> str:
        """Return the line of ``load`` about the last landed batch, or an empty string."""
        landed = self.landed
        return self._report(self._batches[landed - 1 : landed]) if landed else ""

    def land(self) -> bool:
        """Land the next batch without output or waiting; return whether one was left.

        Thread-safe: no batch is lost, and none lands twice.
        """
        return self._land_next() is not None

    def load(
        self, continuous: bool = False, interval: float = 1.0, batches: int | None = None, timeout: float = 120
    ) -> None:
        """Land the next batch, and wait until all active streams have processed it.

        Batches are the same on every machine.  If none is left, the call prints that and changes nothing.

        Parameters
        ----------
        continuous : bool
            Land all remaining batches instead of one, and show the progress.
        interval : float
            Seconds between two batches, if ``continuous``.
        batches : int, optional
            Land at most this many batches, if ``continuous``.
        timeout : float
            Seconds to wait for the streams after the last batch has landed.

        Raises
        ------
        StreamingQueryException
            A stream failed while it processed the data; this is the stream's own exception. The data has landed.
        StreamTimeout
            A stream did not process the data in time. The data has landed.
        SessionStopped
            The Spark session was stopped. Nothing has landed.
        """
        refuse_stopped(self._spark)  # which names no stream, so that data would land and nobody be waited for
        left = self.left
        streams = {query.runId: query for query in self._spark.streams.active}  # one may die of the data at once
        if continuous and left:
            landed = self._land_steadily(left if batches is None else min(batches, left), interval)
        else:
            landed = [batch] if (batch := self._land_next()) else []
            print(self._report(landed))
        if landed:
            streams |= {query.runId: query for query in self._spark.streams.active}
            wait_until_processed(streams.values(), timeout, self._rows_there)
            for show in after_landing:
                show()

    def _rows_there(self, query: StreamingQuery) -> int | None:
        """Return the number of landed rows for a stream that reads them, else None."""
        if self.place is None or not reads([query], self.place):
            return None
        return _rows(self._batches[: self.landed])

    def _land_next(self) -> DatasetBatch | None:
        """Land the next batch and return it, or None when none is left."""
        with landing:
            number = self.landed
            if number >= len(self._batches):
                return None
            self._target.land(self._batches[number], number)
            # After the landing: a kill between the two lands the same batch again, which no reader can tell.
            write_atomically(self._position, json.dumps({"landed": number + 1}))
            return self._batches[number]

    def _land_steadily(self, batches: int, interval: float) -> list[DatasetBatch]:
        """Land some batches at an interval; report the landed ones even after an error or an interrupt."""
        landed: list[DatasetBatch] = []
        rows, due, line = 0, time.monotonic(), None
        try:
            while len(landed) < batches:
                if front_end.is_interactive():
                    so_far = f": {rows:,} rows so far" if landed else ""
                    line = show_line(f"Landing batch {len(landed) + 1} of {batches}{so_far} ...", line)
                time.sleep(max(0.0, due - time.monotonic()))
                due += interval
                if (batch := self._land_next()) is None:  # somebody else has landed the rest
                    break
                landed.append(batch)
                rows += _rows([batch])
        finally:
            if line is None:
                print(self._report(landed))
            else:
                show_line(self._report(landed), line)
        return landed

    def _report(self, landed: list[DatasetBatch]) -> str:
        left = self.left
        if not landed and not left:
            return f"All {len(self._batches)} batches have landed already; nothing was changed."
        names = landed[0].name if len(landed) == 1 else f"{len(landed)} batches"
        rest = f"{left} batches left" if left != 1 else "1 batch left"
        return f"Landed {names} in {self._target.name}: {_rows(landed):,} rows; {rest}."


def _rows(batches: list[DatasetBatch]) -> int:
    files = [file for batch in batches for file in batch.files.values()]
    headers = sum(file.suffix == ".csv" for file in files)
    return sum(len(file.read_bytes().splitlines()) for file in files) - headers
