"""The offset of a stream: how many files of its log it has read; and the committed batches in a checkpoint.

An offset stays small, whatever the number of files.  It names its log, because a checkpoint and its log belong
together: with a new checkpoint the stream begins a new log and reads everything again.

Spark writes the end and the start time of each batch to ``offsets``, and a file per committed batch to ``commits``.  It
keeps the last hundred batches.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.filesystems import filesystem


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
