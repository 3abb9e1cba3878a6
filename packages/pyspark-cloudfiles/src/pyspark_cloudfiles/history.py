"""The history of a stream: its offsets, the commits of its batches, and what became of each file of its log.

An offset says how many files of the log were read.  It stays small, whatever the number of files, and names its log,
because a checkpoint and its log belong together: with a new checkpoint the stream begins a new log and reads everything
again.  Spark writes the end and the start time of each batch to ``offsets``, and a file per committed batch to
``commits``, and keeps the last hundred batches.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pyarrow as pa

from pyspark_cloudfiles.errors import InvalidOption, StateLost
from pyspark_cloudfiles.file_log import file_segments, log_of
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.segments import Segments


@dataclass
class Committed:
    """The committed batches of one source.

    ``begin`` is the number of the first file that they cover, ``ends`` are the ends of the batches, and ``times`` when
    each began to be processed, and was committed.
    """

    begin: int = 0
    ends: list[int] = field(default_factory=list)
    times: list[tuple[datetime, datetime]] = field(default_factory=list)

    def times_of(self, number: int) -> tuple[datetime, datetime] | None:
        """Return when a file was processed and committed, if the checkpoint still has its batch."""
        position = bisect_right(self.ends, number)
        return None if number < self.begin or position == len(self.ends) else self.times[position]


def newest_offsets(checkpoint: str) -> dict[str, Offset]:
    """Return the newest offset of each cloudFiles source, by its number in the query; none before the first batch."""
    batches = _numbers(checkpoint, "offsets")
    return _offsets_of(checkpoint, batches[-1])[1] if batches else {}


def committed_batches(checkpoint: str) -> dict[str, Committed]:
    """Return the committed batches of each cloudFiles source, by its number in the query."""
    found: dict[str, Committed] = {}
    done = set(_numbers(checkpoint, "commits"))
    batches = [number for number in _numbers(checkpoint, "offsets") if number in done]
    for batch in batches:
        _, microseconds = filesystem.file_status(f"{filesystem.canonical(checkpoint)}/commits/{batch}")
        began, offsets = _offsets_of(checkpoint, batch)
        for source, offset in offsets.items():
            # The beginning of a batch is only known from the batch before it.
            first = Committed(0 if batch == 0 else offset.seq_num)
            known = found.setdefault(source, first)
            known.ends.append(offset.seq_num)
            known.times.append((began, datetime.fromtimestamp(microseconds / 1e6, UTC)))
    return found


def _offsets_of(checkpoint: str, batch: int) -> tuple[datetime, dict[str, Offset]]:
    text = filesystem.read_bytes(f"{filesystem.canonical(checkpoint)}/offsets/{batch}").decode()
    _, metadata, *lines = text.splitlines()
    found = {}
    for number, line in enumerate(lines):
        try:
            found[str(number)] = Offset.from_json(json.loads(line))
        except (ValueError, StateLost):
            continue
    began = json.loads(metadata).get("batchTimestampMs", 0)
    return datetime.fromtimestamp(began / 1e3, UTC), found


def _numbers(checkpoint: str, kind: str) -> list[int]:
    directory = f"{filesystem.canonical(checkpoint)}/{kind}"
    return sorted(int(name) for name in filesystem.names(directory) if name.isdecimal())


SOURCE_VERSION = 1


@dataclass(frozen=True)
class Offset:
    """A position in a file log.

    ``num_bytes`` is the size of the ``seq_num`` files before it.  ``log`` is the URL of the log's directory, whose last
    part is a unique id, and ``path`` the source's, for reports.  The first ``existing`` files of the log are skipped,
    because they were there before the stream (``cloudFiles.includeExistingFiles``); -1 before the first listing.
    """

    seq_num: int
    num_bytes: int
    log: str
    path: str
    existing: int = 0

    def to_json(self) -> dict:
        return {
            "seqNum": self.seq_num,
            "sourceVersion": SOURCE_VERSION,
            "numBytes": self.num_bytes,
            "existing": self.existing,
            "log": self.log,
            "path": self.path,
        }

    @staticmethod
    def from_json(content: dict) -> Offset:
        """Return the offset of a checkpoint; raise StateLost for the one of another source."""
        try:
            return Offset(content["seqNum"], content["numBytes"], content["log"], content["path"], content["existing"])
        except (KeyError, TypeError) as error:
            raise StateLost(
                f"The checkpoint was written by another source (its offset is {content}). Use a new checkpointLocation."
            ) from error


_COMMITS = pa.schema([("end", pa.int64()), ("time", pa.int64())])
_NUMBERS = pa.list_(pa.int64())
_CLEANINGS = pa.schema(
    [
        ("end", pa.int64()),
        ("time", pa.int64()),
        ("mode", pa.string()),
        ("destination", pa.string()),
        ("failed", _NUMBERS),
        ("changed", _NUMBERS),
        ("again", _NUMBERS),
    ]
)


class Commits:
    """The times when batches were committed, for the cleaning of files a given time afterwards, and for
    ``cloud_files_state``.

    Correctness does not depend on them; an entry lost in a crash only makes its files seem a little younger.  So they
    may be written many batches ``together``.  The first of a process is written at once: it covers the batches before
    it, and a stream may be run for one batch at a time.
    """

    def __init__(self, log: str, together: int = 1) -> None:
        self._together = together
        self._unwritten = together - 1
        self._segments = Segments(f"{log}/commits")
        self._ends: list[int] = []
        self._times: list[int] = []
        for table in self._segments.tables():
            self._ends += table["end"].to_pylist()
            self._times += table["time"].to_pylist()

    @property
    def end(self) -> int:
        """The number of files of the log that are known to be committed."""
        return self._ends[-1] if self._ends else 0

    def add(self, end: int) -> None:
        if end <= self.end:
            return
        self._ends.append(end)
        self._times.append(time.time_ns() // 1000)
        self._unwritten += 1
        if self._unwritten >= self._together:
            written = len(self._segments)
            self._segments.append(pa.table([self._ends[written:], self._times[written:]], schema=_COMMITS))
            self._unwritten = 0

    def time_of(self, number: int) -> datetime | None:
        position = bisect_right(self._ends, number)
        return None if position == len(self._ends) else datetime.fromtimestamp(self._times[position] / 1e6, UTC)

    def done_before(self, moment: float) -> int:
        """Return the number of files committed before a moment in seconds since the epoch."""
        position = bisect_right(self._times, int(moment * 1e6))
        return self._ends[position - 1] if position else 0


class CleanedFiles:
    """The cleaned files of a log: the runs of the cleaner, each from the end of the last one."""

    def __init__(self, log: str) -> None:
        self._segments = Segments(f"{log}/cleaned")
        self._runs: list[dict[str, Any]] = []
        self._ends: list[int] = []
        self._failed: set[int] = set()
        self._changed: set[int] = set()
        self._again: dict[int, dict[str, Any]] = {}
        for table in self._segments.tables():
            for run in table.to_pylist():
                self._apply(run)

    @property
    def end(self) -> int:
        """The number of processed files of the log."""
        return self._ends[-1] if self._ends else 0

    @property
    def failed(self) -> list[int]:
        """The numbers of the files before the end that could not be cleaned up yet."""
        return sorted(self._failed)

    def add(
        self,
        end: int,
        mode: str,
        destination: str | None,
        failed: Sequence[int] = (),
        changed: Sequence[int] = (),
        again: Sequence[int] = (),
    ) -> None:
        """Record that all files before ``end`` were processed.

        ``failed`` could not be cleaned up, ``changed`` were overwritten and stay; the earlier failures in ``again``
        were cleaned up now.
        """
        run = {"end": end, "time": time.time_ns() // 1000, "mode": mode, "destination": destination}
        run |= {"failed": list(failed), "changed": list(changed), "again": list(again)}
        self._segments.append(pa.Table.from_pylist([run], schema=_CLEANINGS))
        self._apply(run)

    def cleaning_of(self, number: int) -> tuple[datetime | None, str | None, str | None]:
        """Return the time, kind and destination of a file's cleaning, if any."""
        position = bisect_right(self._ends, number)
        if position == len(self._ends) or number in self._failed or number in self._changed:
            return None, None, None
        run = self._again.get(number) or self._runs[position]
        return datetime.fromtimestamp(run["time"] / 1e6, UTC), run["mode"], run["destination"]

    def _apply(self, run: dict[str, Any]) -> None:
        self._runs.append(run)
        self._ends.append(run["end"])
        self._failed.update(run["failed"])
        self._changed.update(run["changed"])
        for number in run["again"]:
            self._failed.discard(number)
            self._again[number] = run


COLUMNS = (
    "path STRING, size BIGINT, create_time TIMESTAMP, discovery_time TIMESTAMP, processed_time TIMESTAMP, "
    "commit_time TIMESTAMP, archive_time TIMESTAMP, archive_mode STRING, move_location STRING, source_id STRING"
)


class FileState(NamedTuple):
    """One file of a stream, as a row of ``cloud_files_state``.

    ``processed_time`` and ``commit_time`` are those of its batch, None until it is committed.  For batches before the
    hundred that the checkpoint keeps, both are the moment at which a later batch, up to fifty later, recorded the
    commit.
    """

    path: str
    size: int
    create_time: datetime
    discovery_time: datetime
    processed_time: datetime | None
    commit_time: datetime | None
    archive_time: datetime | None
    archive_mode: str | None
    move_location: str | None
    source_id: str


def file_states(checkpoint: str) -> Iterator[FileState]:
    """Yield the files of a query's cloudFiles sources, by the checkpoint that it has begun."""
    batches, sources = committed_batches(checkpoint), newest_offsets(checkpoint)
    if not sources and filesystem.names(f"{filesystem.canonical(checkpoint)}/offsets"):
        raise InvalidOption(f"The stream of {checkpoint} does not read cloudFiles, so it has no file state.")
    if not sources:
        raise InvalidOption(
            f"{checkpoint} is no checkpoint of a stream that has begun a batch. Give the stream's checkpointLocation."
        )
    for source_id, offset in sources.items():
        log = log_of(checkpoint, offset.log)
        commits, cleaned = Commits(log), CleanedFiles(log)
        in_checkpoint = batches.get(source_id, Committed())
        number = 0
        for table in file_segments(log).tables():
            for row in table.to_pylist():
                times = None if number < offset.existing else in_checkpoint.times_of(number)
                if times is None and number >= offset.existing:
                    times = (commits.time_of(number),) * 2
                yield FileState(
                    row["path"],
                    row["size"],
                    _moment(row["modified"]),
                    _moment(row["discovered"]),
                    *(times or (None, None)),
                    *cleaned.cleaning_of(number),
                    source_id,
                )
                number += 1


def _moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)
