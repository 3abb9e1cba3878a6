"""The state of each file of a stream, for ``cloud_files_state``."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.log.file_log import file_segments, log_of
from pyspark_cloudfiles.log.history import CleanedFiles, Commits
from pyspark_cloudfiles.log.offsets import Committed, Offset, committed, newest_offsets

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
        When the batch it belongs to began, and when it was done; None while it is not.  Of the batches before those
        that the checkpoint keeps, which are a hundred, both are the moment at which a later batch has noted them as
        done: at the next, or up to fifty later.
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
    batches = committed(checkpoint)
    for source_id, offset in _sources(checkpoint).items():
        log = log_of(checkpoint, offset.log)  # which may have been moved together with the checkpoint
        noted, cleaned = Commits(log), CleanedFiles(log)
        in_checkpoint = batches.get(source_id, Committed())
        number = 0
        for table in file_segments(log).tables():
            for row in table.to_pylist():
                times = None if number < offset.existing else in_checkpoint.times_of(number)
                if times is None and number >= offset.existing:
                    times = (noted.time_of(number),) * 2
                yield FileState(
                    row["path"],
                    row["size"],
                    _moment(row["modified"]),
                    _moment(row["discovered"]),
                    *(times or (None, None)),
                    *cleaned.of(number),
                    source_id,
                )
                number += 1


def _sources(checkpoint: str) -> dict[str, Offset]:
    found = newest_offsets(checkpoint)
    if found:
        return found
    if filesystem.names(f"{filesystem.canonical(checkpoint)}/offsets"):
        raise InvalidOption(f"The stream of {checkpoint} does not read cloudFiles, so it has no file state.")
    raise InvalidOption(
        f"{checkpoint} is no checkpoint of a stream that has begun a batch. Give the stream's checkpointLocation."
    )


def _moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)
