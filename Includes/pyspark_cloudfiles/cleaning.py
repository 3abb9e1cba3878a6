"""Removing or moving files some time after they were ingested (``cloudFiles.cleanSource``).

Only files of batches that are done are touched, and never one that has changed since it was read: what is there then
has been ingested by nobody.  The position is kept, so that a restart goes on where it was; a file that is gone already
is as good as cleaned.
"""

from __future__ import annotations

import time
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pyarrow as pa

from pyspark_cloudfiles import filesystem, globs
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.log.commits import Commits
from pyspark_cloudfiles.log.file_log import files_between
from pyspark_cloudfiles.log.segments import Segments
from pyspark_cloudfiles.options import Options

_SCHEMA = pa.schema([("end", pa.int64()), ("time", pa.int64()), ("mode", pa.string()), ("destination", pa.string())])
# Cleaning happens between batches: a long backlog of it should not hold up the stream.
FILES_AT_A_TIME = 1000


class CleanedFiles:
    """Which files of a log were cleaned: all up to a position, by one run of the cleaner after another."""

    def __init__(self, log: str) -> None:
        self._segments = Segments(f"{log}/cleaned")
        self._runs = [row for table in self._segments.tables() for row in table.to_pylist()]
        self._ends = [run["end"] for run in self._runs]

    @property
    def end(self) -> int:
        """How many files of the log were dealt with."""
        return self._ends[-1] if self._ends else 0

    def add(self, end: int, mode: str, destination: str | None) -> None:
        """Note that all files before ``end`` were dealt with."""
        run = {"end": end, "time": time.time_ns() // 1000, "mode": mode, "destination": destination}
        self._segments.append(pa.Table.from_pylist([run], schema=_SCHEMA))
        self._runs.append(run)
        self._ends.append(end)

    def of(self, number: int) -> tuple[datetime | None, str | None, str | None]:
        """Return when, how and whereto a file was cleaned."""
        position = bisect_right(self._ends, number)
        if position == len(self._ends):
            return None, None, None
        run = self._runs[position]
        return datetime.fromtimestamp(run["time"] / 1e6, UTC), run["mode"], run["destination"]


class Cleaner:
    """Cleans up after one stream.

    Parameters
    ----------
    log : str
        URL of the stream's log.
    options : Options
        Of the stream.
    existing : int
        How many files at the log's beginning were not ingested, and stay.
    """

    def __init__(self, log: str, options: Options, existing: int) -> None:
        self._log, self._options, self._existing = log, options, existing
        self._source, self._destination = _source_and_destination(options)
        self._commits, self._cleaned = Commits(log), CleanedFiles(log)

    def clean(self, done: int) -> None:
        """Note that all files before ``done`` are done, and clean those whose time has come."""
        if self._options.clean_source == "OFF":
            return  # nobody asks when batches were done, and each note costs a flush to disk
        self._commits.add(done)
        start = max(self._cleaned.end, self._existing)
        due = self._commits.done_before(time.time() - self._options.retention)
        end = min(due, start + FILES_AT_A_TIME)
        if end <= start:
            return
        for file in files_between(self._log, start, end):
            self._clean(file)
        self._cleaned.add(end, self._options.clean_source, self._options.move_destination)

    def _clean(self, file: SourceFile) -> None:
        with warned_of(file):
            self._remove(file)

    def _remove(self, file: SourceFile) -> None:
        try:
            if filesystem.modified(file.url) != (file.size, file.modified):
                return
            if self._options.clean_source == "DELETE":
                filesystem.delete(file.url)
            else:
                filesystem.move(file.url, f"{self._destination}/{file.url.removeprefix(f'{self._source}/')}")
        except FileNotFoundError:
            return


def refuse_destination_in_source(options: Options) -> None:
    """Raise InvalidOption where cleaned files would be moved to a place in which they are found again."""
    source, destination = _source_and_destination(options)
    if destination is not None and f"{destination}/".startswith(f"{source}/"):
        raise InvalidOption(
            f"cloudFiles.cleanSource.moveDestination {options.move_destination} lies in the source directory, "
            "where its files would be found again. Choose a directory outside."
        )


def _source_and_destination(options: Options) -> tuple[str, str | None]:
    """Return the directory that the path is, begins with or is in, and whereto files are moved."""
    path = filesystem.canonical(options.path)
    source = globs.base_of(path) if globs.is_glob(path) else path
    if not globs.is_glob(path) and not filesystem.is_directory(path) and filesystem.exists(path):
        source = path.rsplit("/", 1)[0]
    moved = options.clean_source == "MOVE" and options.move_destination
    return source, filesystem.canonical(options.move_destination) if moved else None


@contextmanager
def warned_of(file: SourceFile) -> Iterator[None]:
    """Leave a file that may not be cleaned: it was ingested, which is what the stream is for."""
    try:
        yield
    except OSError as error:
        warnings.warn(f"{file.url} was ingested and could not be cleaned up: {error}.", stacklevel=2)
