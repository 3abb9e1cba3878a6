"""Epochs: of two planners of one list the later takes over, where a store does not refuse the second of two writers.

A planner that begins writes a *claim*, a file whose name is its epoch, which is above all that it sees.  Then it lists
the segments, and writes the names of those that it goes on from: its *base*.  Each segment that it writes has its epoch
in its name, so that no planner ever writes over another's.

After each file that it writes it lists the directory, and gives nothing out, and removes nothing, once it sees a claim
above its own.  So what an earlier planner has acknowledged was there before the later one claimed, and is in its base.
What the earlier one writes afterwards has an epoch below that base and is not in it: it does not count.

All of this needs a store whose listings have what was written before, which those in use have.
"""

from __future__ import annotations

import os
import re
import socket
import uuid
import zlib
from collections.abc import Iterable

from pyspark_cloudfiles.errors import StateInUse
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.log.segment import Segment

_FILE = re.compile(r"(\d{10}-[0-9a-f]{12})\.(claim|base)")


class Fence:
    """The claim of a planner that begins.

    Parameters
    ----------
    directory : str
        URL of the list.

    Raises
    ------
    StateInUse
        Another began at the same moment.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        latest = max((_epoch(name) for name in filesystem.names(directory)), default="")
        self.epoch = f"{int(latest[:10] or 0) + 1:010d}-{uuid.uuid4().hex[:12]}"
        who = f"process {os.getpid()} of {socket.gethostname()}"
        filesystem.write_atomically(f"{directory}/{self.epoch}.claim", who.encode())
        self.check()

    def adopt(self, segments: Iterable[Segment]) -> None:
        """Go on from these segments, and remove what is none of them: what counts no more, or never has.

        Raises
        ------
        StateInUse
            Another has taken over.
        """
        base = {segment.name for segment in segments}
        filesystem.write_atomically(f"{self._directory}/{self.epoch}.base", _sealed(base))
        for name in self.check():
            if name not in base and (_FILE.fullmatch(name) or Segment.of_name(name)) and _epoch(name) < self.epoch:
                filesystem.delete(f"{self._directory}/{name}")

    def check(self) -> list[str]:
        """Return the names in the directory, where there is no claim above this one.

        Raises
        ------
        StateInUse
            Another has taken over.
        """
        names = filesystem.names(self._directory)
        if any(epoch > self.epoch for epoch in claims(names)):
            raise StateInUse(
                f"{self._directory} was taken over by another stream while this one went on. "
                "Stop the other stream, or give this one its own checkpoint and schema location."
            )
        return names


def claims(names: Iterable[str]) -> list[str]:
    """Return the epochs that are claimed in a directory with these names."""
    return _epochs(names, "claim")


def counting(directory: str, names: list[str]) -> list[Segment]:
    """Return the segments that count, which may replace each other.

    Raises
    ------
    FileNotFoundError
        Another has taken over since the directory was listed.
    """
    segments = [segment for name in names if (segment := Segment.of_name(name))]
    bases = sorted(
        (match[1] for name in names if (match := _FILE.fullmatch(name)) and match[2] == "base"), reverse=True
    )
    for epoch in bases:
        base = _unsealed(filesystem.read_bytes(f"{directory}/{epoch}.base"))
        if base is not None:  # else its planner was killed before it wrote anything
            return [segment for segment in segments if segment.epoch == epoch or segment.name in base]
    return [segment for segment in segments if not segment.epoch]


def _epochs(names: Iterable[str], kind: str) -> list[str]:
    return [match[1] for name in names if (match := _FILE.fullmatch(name)) and match[2] == kind]


def _epoch(name: str) -> str:
    match = _FILE.fullmatch(name)
    if match:
        return match[1]
    segment = Segment.of_name(name)
    return segment.epoch if segment else ""


def _sealed(names: Iterable[str]) -> bytes:
    text = "".join(f"{name}\n" for name in sorted(names)).encode()
    return text + f"{zlib.crc32(text):08x}".encode()


def _unsealed(data: bytes) -> set[str] | None:
    """Return the names in a base; None where a part of it is missing."""
    text, checksum = data[:-8], data[-8:]
    if len(checksum) < 8 or f"{zlib.crc32(text):08x}".encode() != checksum:
        return None
    return set(text.decode().splitlines())
