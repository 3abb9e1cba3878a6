"""What became of each file of a stream, for ``cloud_files_state``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from pyspark_cloudfiles import filesystem
from pyspark_cloudfiles.cleaning import CleanedFiles
from pyspark_cloudfiles.errors import InvalidOption, StateLost
from pyspark_cloudfiles.log.commits import Commits
from pyspark_cloudfiles.log.file_log import file_segments
from pyspark_cloudfiles.offsets import Offset
from pyspark_cloudfiles.state import log_of

COLUMNS = (
    "path STRING, size BIGINT, create_time TIMESTAMP, discovery_time TIMESTAMP, processed_time TIMESTAMP, "
    "commit_time TIMESTAMP, archive_time TIMESTAMP, archive_mode STRING, move_location STRING, source_id STRING"
)


class FileState(NamedTuple):
    """One file of a stream.

    Parameters
    ----------
    path : str
        Where it was found.
    size : int
        Bytes.
    create_time : datetime
        When it had last been changed.
    discovery_time : datetime
        When the stream found it.
    processed_time, commit_time : datetime or None
        When the batch it belongs to was noted as done; None while it is not, and always where
        ``cloudFiles.cleanSource`` is off.  A stream may note it only when its next batch begins.
    archive_time, archive_mode, move_location
        When, how and whereto it was cleaned up.
    source_id : str
        Number of the source in its query.
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
    """Iterate over the files of the streaming sources of a query.

    Parameters
    ----------
    checkpoint : str
        Its checkpoint directory.

    Raises
    ------
    InvalidOption
        It is none, or its query has not begun a batch, or reads nothing through ``cloudFiles``.
    """
    offsets = _offsets(checkpoint)
    for source_id, offset in offsets.items():
        log = log_of(checkpoint, offset.log)  # which may have been moved together with the checkpoint
        commits, cleaned = Commits(log), CleanedFiles(log)
        number = 0
        for table in file_segments(log).tables():
            for row in table.to_pylist():
                done = None if number < offset.existing else commits.time_of(number)
                yield FileState(
                    row["path"],
                    row["size"],
                    _moment(row["modified"]),
                    _moment(row["discovered"]),
                    done,
                    done,
                    *cleaned.of(number),
                    source_id,
                )
                number += 1


def _offsets(checkpoint: str) -> dict[str, Offset]:
    """Return the newest offset of each source of ours, by its number in the query."""
    directory = f"{filesystem.canonical(checkpoint)}/offsets"
    batches = [int(name) for name in filesystem.names(directory) if name.isdecimal()]
    if not batches:
        raise InvalidOption(
            f"{checkpoint} is no checkpoint of a stream that has begun a batch. Give the stream's checkpointLocation."
        )
    found = {}
    lines = filesystem.read_bytes(f"{directory}/{max(batches)}").decode().splitlines()[2:]
    for number, line in enumerate(lines):
        try:
            found[str(number)] = Offset.from_json(json.loads(line))
        except (ValueError, StateLost):
            continue
    if not found:
        raise InvalidOption(f"The stream of {checkpoint} does not read cloudFiles, so it has no file state.")
    return found


def _moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)
