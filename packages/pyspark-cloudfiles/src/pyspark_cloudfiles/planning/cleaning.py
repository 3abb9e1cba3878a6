"""The cleaning of the source: ingested files are deleted or moved later (``cloudFiles.cleanSource``).

Only files of batches that are done are touched, and never one that has changed since it was read: what is there then
has been ingested by nobody.  The position is kept, so that a restart continues where it was; a file that is gone
already is as good as cleaned, and one that could not be cleaned is tried again.

Cleaning happens beside the planning: a backlog of a million files does not hold up a batch.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterable
from contextvars import copy_context
from enum import Enum

from pyspark_cloudfiles.errors import CloudFilesWarning, InvalidOption
from pyspark_cloudfiles.filesystems import filesystem, globs
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.log.file_log import files_between
from pyspark_cloudfiles.log.history import CleanedFiles, Commits
from pyspark_cloudfiles.options import Options

# After so many it is noted what was done; a crash before that looks at them once more.
FILES_AT_A_TIME = 1000
# The planner waits so long for what is cleaned beside it: usually that is all there is.
PATIENCE = 0.5  # seconds
# Before what has failed is tried again; each time twice as long, up to an hour.
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0
# What a stream that ends waits for: the file that is just being moved.
LAST_PATIENCE = 30.0


class CleaningOutcome(Enum):
    """What became of a file."""

    CLEANED = "cleaned"
    CHANGED = "changed"
    FAILED = "failed"


class Cleaner:
    """Cleans up after one stream, whose options say how.

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
        self._thread: threading.Thread | None = None
        self._ends, self._error = threading.Event(), None
        self._warned: set[str] = set()
        self._pause, self._try_again_at = FIRST_PAUSE, 0.0

    def clean(self, done: int) -> None:
        """Note that all files before ``done`` are done, and have those cleaned whose time has come.

        Raises
        ------
        CloudFilesError
            What was done could not be noted.
        """
        self._commits.add(done)
        if self._thread is None or not self._thread.is_alive():
            self._raise_what_ended_it()
            start = max(self._cleaned.end, self._existing)
            due = self._commits.done_before(time.time() - self._options.retention)
            again = self._cleaned.failed if time.monotonic() >= self._try_again_at else []
            if due <= start and not again:
                return
            # The source's mounts hold there as they do here.
            work = (self._work, start, due, again)
            self._thread = threading.Thread(target=copy_context().run, args=work, daemon=True)
            self._thread.start()
        self._thread.join(PATIENCE)
        self._raise_what_ended_it()

    def stop(self) -> None:
        """End after the file that is being cleaned."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join(LAST_PATIENCE)

    def _work(self, start: int, due: int, again: list[int]) -> None:
        try:
            if again:
                self._try_again(again)
            while start < due and not self._ends.is_set():
                start = self._clean_some(start, min(due, start + FILES_AT_A_TIME))
        except Exception as error:
            self._error = error

    def _clean_some(self, start: int, end: int) -> int:
        """Clean the files from ``start`` on; return up to which it was done."""
        outcomes = self._outcomes(enumerate(files_between(self._log, start, end), start))
        done = start + len(outcomes)
        if done > start:
            failed, changed = (
                [number for number, outcome in outcomes.items() if outcome is wanted]
                for wanted in (CleaningOutcome.FAILED, CleaningOutcome.CHANGED)
            )
            self._note(done, failed=failed, changed=changed)
        return done

    def _try_again(self, numbers: list[int]) -> None:
        some = numbers[:FILES_AT_A_TIME]
        outcomes = self._outcomes((number, *files_between(self._log, number, number + 1)) for number in some)
        if cleaned := [number for number, outcome in outcomes.items() if outcome is not CleaningOutcome.FAILED]:
            self._note(self._cleaned.end, again=cleaned)
        self._pause = FIRST_PAUSE if cleaned else min(LONGEST_PAUSE, 2 * self._pause)
        self._try_again_at = time.monotonic() + self._pause

    def _outcomes(self, files: Iterable[tuple[int, SourceFile]]) -> dict[int, CleaningOutcome]:
        outcomes = {}
        for number, file in files:
            if self._ends.is_set():
                break
            outcomes[number] = self._outcome(file)
        return outcomes

    def _outcome(self, file: SourceFile) -> CleaningOutcome:
        try:
            return self._remove(file)
        except FileNotFoundError:
            return CleaningOutcome.CLEANED
        except OSError as error:  # it was ingested, which is what the stream is for
            if file.url not in self._warned:
                self._warned.add(file.url)
                text = f"{file.url} was ingested and could not be cleaned up: {error}."
                warnings.warn(text, CloudFilesWarning, stacklevel=2)
            self._try_again_at = max(self._try_again_at, time.monotonic() + self._pause)
            return CleaningOutcome.FAILED

    def _remove(self, file: SourceFile) -> CleaningOutcome:
        if filesystem.modified(file.url) != (file.size, file.modified):
            return CleaningOutcome.CHANGED
        if self._options.clean_source == "DELETE":
            filesystem.delete(file.url)
        else:
            filesystem.move(file.url, f"{self._destination}/{file.url.removeprefix(f'{self._source}/')}")
        return CleaningOutcome.CLEANED

    def _note(self, end: int, **numbers: list[int]) -> None:
        self._cleaned.add(end, self._options.clean_source, self._options.move_destination, **numbers)

    def _raise_what_ended_it(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error


def refuse_destination_in_source(options: Options) -> None:
    """Raise InvalidOption where cleaned files would be moved to a place in which they are found again."""
    source, destination = _source_and_destination(options)
    if destination is not None and f"{destination}/".startswith(f"{source}/"):
        raise InvalidOption(
            f"cloudFiles.cleanSource.moveDestination {options.move_destination} is in the source directory, "
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
