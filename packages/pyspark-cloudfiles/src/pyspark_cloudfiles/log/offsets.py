"""The offset of a stream: how many files of its log it has read.

It stays small, whatever the number of files.  It names its log, because a checkpoint and its log belong together: with
a new checkpoint the stream begins a new log and reads everything again.

Spark notes in ``offsets`` where a batch ends and when it began, and in ``commits``, with a file for each batch, that it
is done.  It keeps the notes of the last hundred batches.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.filesystems import filesystem


@dataclass
class Committed:
    """The batches of one source that are done.

    Parameters
    ----------
    begin : int
        The number of the first file that they tell of.
    ends : list of int
        Where each ends, in order.
    times : list of tuple of datetime
        When each began to be processed, and when it was committed.
    """

    begin: int = 0
    ends: list[int] = field(default_factory=list)
    times: list[tuple[datetime, datetime]] = field(default_factory=list)

    def times_of(self, number: int) -> tuple[datetime, datetime] | None:
        """Return when a file was processed and committed; None where the checkpoint does not tell."""
        position = bisect_right(self.ends, number)
        return None if number < self.begin or position == len(self.ends) else self.times[position]


def newest_offsets(checkpoint: str) -> dict[str, Offset]:
    """Return the newest offset of each source of ours, by its number in the query; none where there is no batch."""
    batches = _numbers(checkpoint, "offsets")
    return _offsets_of(checkpoint, batches[-1])[1] if batches else {}


def committed(checkpoint: str) -> dict[str, Committed]:
    """Return what is done, by the source's number in the query."""
    found: dict[str, Committed] = {}
    done = set(_numbers(checkpoint, "commits"))
    batches = [number for number in _numbers(checkpoint, "offsets") if number in done]
    for batch in batches:
        _, microseconds = filesystem.modified(f"{filesystem.canonical(checkpoint)}/commits/{batch}")
        began, offsets = _offsets_of(checkpoint, batch)
        for source, offset in offsets.items():
            # Where the batch before is not known, neither is where this one begins.
            first = Committed(0 if batch == 0 else offset.seq_num)
            known = found.setdefault(source, first)
            known.ends.append(offset.seq_num)
            known.times.append((began, datetime.fromtimestamp(microseconds / 1e6, UTC)))
    return found


def _offsets_of(checkpoint: str, batch: int) -> tuple[datetime, dict[str, Offset]]:
    """Return when a batch began, and where it ends in each source of ours."""
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
    """A position.

    Parameters
    ----------
    seq_num : int
        Files of the log before it.
    num_bytes : int
        The size of those files.
    log : str
        URL of the log's directory; its last part is an id that no other stream has.
    path : str
        What the stream reads, for reports.
    existing : int
        How many files at the log's beginning are passed over, because they were there before the stream
        (``cloudFiles.includeExistingFiles``); -1 before the stream has looked.
    """

    seq_num: int
    num_bytes: int
    log: str
    path: str
    existing: int = 0

    def to_json(self) -> dict:
        """Return what Spark keeps in the checkpoint."""
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
        """Return the offset that :meth:`to_json` made.

        Raises
        ------
        StateLost
            It is another source's.
        """
        try:
            return Offset(content["seqNum"], content["numBytes"], content["log"], content["path"], content["existing"])
        except (KeyError, TypeError) as error:
            raise StateLost(
                f"The checkpoint was written by another source (its offset is {content}). Use a new checkpointLocation."
            ) from error

    def at(self, seq_num: int, num_bytes: int) -> Offset:
        """Return another position in the same log."""
        return replace(self, seq_num=seq_num, num_bytes=num_bytes)
