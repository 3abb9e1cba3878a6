"""The cleaning of the source: ingested files are deleted or moved later (``cloudFiles.cleanSource``).

Only files of committed batches are cleaned, and never one that has changed since it was read, because its new content
has not been ingested.  The position is stored, so that a restart continues from it; a missing file counts as cleaned,
and a file that could not be cleaned is retried.

Cleaning runs in a thread beside the planning: a backlog of a million files does not delay a batch.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterable
from contextvars import copy_context
from enum import Enum

from pyspark_cloudfiles import paths
from pyspark_cloudfiles.errors import CloudFilesWarning, InvalidOption
from pyspark_cloudfiles.file_log import files_between
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.history import CleanedFiles, Commits
from pyspark_cloudfiles.options import Options

# Progress is stored after so many files; a crash before that processes them again.
FILES_PER_RUN = 1000
# The planner waits this long for the thread, which is usually enough for all of its work.
JOIN_TIMEOUT = 0.5  # seconds
# Before failed files are retried; doubled each time.
RETRY_INTERVAL, RETRY_INTERVAL_LIMIT = 60.0, 3600.0
# A stream that ends waits this long for the file that is being moved.
STOP_TIMEOUT = 30.0


class CleaningOutcome(Enum):
    """The outcome of cleaning a file."""

    CLEANED = "cleaned"
    CHANGED = "changed"
    FAILED = "failed"


class Cleaner:
    """Cleans up after one stream; ``existing`` files at the log's beginning were not ingested, and stay."""

    def __init__(self, log: str, options: Options, existing: int) -> None:
        self._log, self._options, self._existing = log, options, existing
        self._source, self._destination = _source_and_destination(options)
        self._commits, self._cleaned = Commits(log), CleanedFiles(log)
        self._thread: threading.Thread | None = None
        self._stopped, self._error = threading.Event(), None
        self._warned: set[str] = set()
        self._interval, self._retry_at = RETRY_INTERVAL, 0.0

    def clean(self, done: int) -> None:
        """Record that all files before ``done`` are committed, and clean those whose retention is over."""
        self._commits.add(done)
        if self._thread is None or not self._thread.is_alive():
            self._raise_error_of_thread()
            start = max(self._cleaned.end, self._existing)
            due = self._commits.done_before(time.time() - self._options.retention)
            failed = self._cleaned.failed if time.monotonic() >= self._retry_at else []
            if due <= start and not failed:
                return
            # In a copy of the context, which has the source's mounts.
            work = (self._work, start, due, failed)
            self._thread = threading.Thread(target=copy_context().run, args=work, daemon=True)
            self._thread.start()
        self._thread.join(JOIN_TIMEOUT)
        self._raise_error_of_thread()

    def stop(self) -> None:
        """Stop after the file that is being cleaned."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(STOP_TIMEOUT)

    def _work(self, start: int, due: int, failed: list[int]) -> None:
        try:
            if failed:
                self._retry(failed[:FILES_PER_RUN])
            while start < due and not self._stopped.is_set():
                end = min(due, start + FILES_PER_RUN)
                outcomes = self._outcomes(enumerate(files_between(self._log, start, end), start))
                if outcomes:
                    start += len(outcomes)
                    numbers: dict[CleaningOutcome, list[int]] = {outcome: [] for outcome in CleaningOutcome}
                    for number, outcome in outcomes.items():
                        numbers[outcome].append(number)
                    self._store(start, failed=numbers[CleaningOutcome.FAILED], changed=numbers[CleaningOutcome.CHANGED])
        except Exception as error:
            self._error = error

    def _retry(self, numbers: list[int]) -> None:
        outcomes = self._outcomes((number, *files_between(self._log, number, number + 1)) for number in numbers)
        if cleaned := [number for number, outcome in outcomes.items() if outcome is not CleaningOutcome.FAILED]:
            self._store(self._cleaned.end, again=cleaned)
        self._interval = RETRY_INTERVAL if cleaned else min(RETRY_INTERVAL_LIMIT, 2 * self._interval)
        self._retry_at = time.monotonic() + self._interval

    def _outcomes(self, files: Iterable[tuple[int, SourceFile]]) -> dict[int, CleaningOutcome]:
        outcomes = {}
        for number, file in files:
            if self._stopped.is_set():
                break
            outcomes[number] = self._clean_file(file)
        return outcomes

    def _clean_file(self, file: SourceFile) -> CleaningOutcome:
        try:
            if filesystem.file_status(file.url) != (file.size, file.modified):
                return CleaningOutcome.CHANGED
            if self._options.clean_source == "DELETE":
                filesystem.delete(file.url)
            else:
                filesystem.move(file.url, f"{self._destination}/{file.url.removeprefix(f'{self._source}/')}")
        except FileNotFoundError:
            pass
        except OSError as error:  # the file was ingested, so the stream continues
            if file.url not in self._warned:
                self._warned.add(file.url)
                text = f"{file.url} was ingested and could not be cleaned up: {error}."
                warnings.warn(text, CloudFilesWarning, stacklevel=2)
            self._retry_at = max(self._retry_at, time.monotonic() + self._interval)
            return CleaningOutcome.FAILED
        return CleaningOutcome.CLEANED

    def _store(self, end: int, **numbers: list[int]) -> None:
        self._cleaned.add(end, self._options.clean_source, self._options.move_destination, **numbers)

    def _raise_error_of_thread(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error


def refuse_destination_in_source(options: Options) -> None:
    """Raise InvalidOption if cleaned files would be moved to a place in which they are found again."""
    source, destination = _source_and_destination(options)
    if destination is not None and f"{destination}/".startswith(f"{source}/"):
        raise InvalidOption(
            f"cloudFiles.cleanSource.moveDestination {options.move_destination} is in the source directory, "
            "where its files would be found again. Choose a directory outside."
        )


def _source_and_destination(options: Options) -> tuple[str, str | None]:
    """Return the directory that the path is, begins with or is in, and the destination of moved files."""
    path = filesystem.canonical(options.path)
    source = paths.base_of(path)
    if not paths.is_glob(path) and not filesystem.is_directory(path) and filesystem.exists(path):
        source = path.rsplit("/", 1)[0]
    moved = options.clean_source == "MOVE" and options.move_destination
    return source, filesystem.canonical(options.move_destination) if moved else None
