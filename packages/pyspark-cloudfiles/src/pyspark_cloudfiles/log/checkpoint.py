"""The commit times of batches, read from the checkpoint of the query.

Spark notes in ``offsets`` where a batch ends and when it began, and in ``commits``, with a file for each batch, that it
is done.  It keeps the notes of the last hundred batches.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.log.offsets import Offset


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
