"""The stream reader: offsets, and the tasks of each batch.

Spark asks one process for offsets and partitions, and others to read.  The log is appended to by the first alone, and
an offset is given out only after the files before it are safe in the log; so a batch that Spark has planned can be
planned again, identically, after any crash.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow

from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile, digest_of
from pyspark_cloudfiles.filesystems.urls import iterated, mounted
from pyspark_cloudfiles.log.file_log import FileLog, files_between, log_of, new_log
from pyspark_cloudfiles.log.history import Commits
from pyspark_cloudfiles.log.offsets import Offset
from pyspark_cloudfiles.planning.plan import FilePartition, Plan, tasks, with_partitions_of
from pyspark_cloudfiles.reading.task import read_partition
from pyspark_cloudfiles.shipping import shipped

if TYPE_CHECKING:
    from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache
    from pyspark_cloudfiles.planning.cleaning import Cleaner
    from pyspark_cloudfiles.planning.discovery import KnownFiles

LOCK_TIMEOUT = 15
# Looking at a batch of this size costs a tenth of a second at most; larger ones are only read by the tasks.
LOOKED_AT_FIRST = 16 * 1024**2
# An idle stream asks a hundred times a second; listing should take a quarter of a core at most.
REST_AFTER_LISTING = 3
LONGEST_REST = 1.0
# Of a stream that is behind; a directory of millions of files takes minutes to list, and a batch need not wait for it.
SHARE_OF_BACKLOG_LISTINGS = 0.1
Method = TypeVar("Method", bound=Callable[..., Any])
# Each note costs a flush to disk, and nobody waits for it; the checkpoint tells of the last hundred batches itself.
NOTED_TOGETHER = 50


def _with_mounts(method: Method) -> Method:
    """Have the source's mounts hold while a method of its reader runs."""

    @wraps(method)
    def holding(self: CloudFilesStreamReader, *arguments: Any) -> Any:
        with mounted(self._plan.options.mounts):
            return method(self, *arguments)

    return holding  # type: ignore[return-value]


class CloudFilesStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The reader of one query.

    Parameters
    ----------
    plan : Plan
        What to read and how.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._initial: Offset | None = None
        self._only_once = self._has_found = False
        self._listings: ListingCache | None = None
        self._incremental: IncrementalListing | None = None
        self._newest: Offset | None = None
        self._log: FileLog | None = None
        self._log_url = ""
        self._commits: Commits | None = None
        self._cleaner: Cleaner | None = None
        self._open = ExitStack()
        self._listed_until = 0.0
        self._listing_took = 0.0

    def __reduce__(self) -> tuple:
        # The planning process keeps its log; tasks are given the plan.
        return shipped(type(self), {"_plan": self._plan})

    # What Spark asks of the planning process.

    @_with_mounts
    def initialOffset(self) -> dict:
        spare_pandas()
        if self._initial is None:  # Spark asks twice, and must hear the same
            existing = 0 if self._plan.options.include_existing_files else -1
            options = self._plan.options
            log = new_log(options.log_location)
            self._initial = Offset(0, 0, log, filesystem.canonical(options.path), existing)
        return self._initial.to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        # Both limits are applied in latestOffset; Spark can only carry one.
        return ReadMaxFiles(self._plan.options.max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        self._only_once = True

    @_with_mounts
    def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
        spare_pandas()
        offset = self._newest = Offset.from_json(start)
        log = self._opened(offset)
        if offset.existing < 0:
            log.add(self._found())
            return replace(offset.at(len(log), log.total_bytes), existing=len(log)).to_json()
        self._done(offset)
        options = self._plan.options
        unlimited = isinstance(limit, ReadAllAvailable)
        max_files, max_bytes = (None, None) if unlimited else (options.max_files, options.max_bytes)
        if unlimited or len(log) - offset.seq_num < max_files or self._may_look_for_more():
            log.add(self._found())
        end = log.end_of_batch(offset.seq_num, max_files, max_bytes)
        if end == offset.seq_num:
            return start
        size = sum(file.size for file in log.files(offset.seq_num, end))
        return offset.at(end, offset.num_bytes + size).to_json()

    def reportLatestOffset(self) -> dict | None:
        if self._log is None:
            return None
        return self._newest.at(len(self._log), self._log.total_bytes).to_json()

    @_with_mounts
    def partitions(self, start: dict, end: dict) -> list[FilePartition]:
        first, last = Offset.from_json(start), Offset.from_json(end)
        # The first batch, planned again after a crash, begins at an initial offset that was made again.
        begin = max(last.existing, first.seq_num if first.log == last.log else 0)
        url = self._located(last)
        files = self._files(url, begin, last.seq_num)
        layout = with_partitions_of(files, self._plan)
        if self._should_look_at(files):
            self._look_at(FilePartition(files, layout, url, begin, last.seq_num))
        groups = tasks(files, self._plan)
        return [FilePartition(group, layout, url, begin, last.seq_num) for group in groups]

    @_with_mounts
    def commit(self, end: dict) -> None:
        offset = Offset.from_json(end)
        self._opened(offset)
        self._done(offset)

    @_with_mounts
    def stop(self) -> None:
        if self._cleaner is not None:
            self._cleaner.stop()
        self._open.close()

    # What Spark asks of a task.

    def read(self, partition: FilePartition) -> Iterator[pa.RecordBatch]:
        return iterated(self._plan.options.mounts, read_partition(partition, self._plan))

    def _opened(self, offset: Offset) -> FileLog:
        """Return the log, opened for appending, by this process alone."""
        if self._log is None:
            self._log_url = self._located(offset)
            self._open.enter_context(filesystem.lock(self._log_url, LOCK_TIMEOUT))
            self._log = FileLog(
                self._log_url, tracks_changes=self._plan.options.allow_overwrites, acknowledged=offset.seq_num
            )
        self._log.require(offset.seq_num)
        return self._log

    def _done(self, offset: Offset) -> None:
        """Note that all before ``offset`` is in the sink, and clean up.

        Spark commits a batch only when it plans the next, so the beginning of a next batch says the same.
        """
        if self._plan.options.clean_source == "OFF":
            self._commits = self._commits or Commits(self._log_url, NOTED_TOGETHER)
            self._commits.add(offset.seq_num)
            return
        from pyspark_cloudfiles.planning.cleaning import Cleaner  # few streams clean

        self._cleaner = self._cleaner or Cleaner(self._log_url, self._plan.options, offset.existing)
        self._cleaner.clean(offset.seq_num)

    def _located(self, offset: Offset) -> str:
        return log_of(self._plan.options.log_location, offset.log)

    def _files(self, url: str, begin: int, end: int) -> list[SourceFile]:
        if self._log is not None and url == self._log_url:
            return self._log.files(begin, end)
        return files_between(url, begin, end)

    def _found(self) -> Iterator[SourceFile]:
        """List what is new in the source, unless a run of what is available has done so at its start."""
        if self._only_once and self._has_found:
            return
        from pyspark_cloudfiles.planning.discovery import discover_files  # tasks list nothing

        time.sleep(max(0.0, self._listed_until + self._rest() - time.monotonic()))
        began = time.monotonic()
        yield from discover_files(self._plan.options, self._known())
        self._has_found = True
        self._listed_until = time.monotonic()
        self._listing_took = self._listed_until - began

    def _known(self) -> KnownFiles | None:
        """Return which files need not be looked at; where a change makes a file a new one, each must be."""
        if self._plan.options.allow_overwrites:
            return None
        # As above.
        from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache
        from pyspark_cloudfiles.planning.discovery import KnownFiles  # as above

        self._listings = self._listings or ListingCache()
        self._incremental = self._incremental or IncrementalListing(self._plan.options.incremental_listing)
        return KnownFiles(self._log.new_urls, self._listings, self._incremental)

    def _may_look_for_more(self) -> bool:
        """Tell whether to list although enough for a batch is known, for the backlog to have what came since."""
        since = time.monotonic() - self._listed_until
        return not self._only_once and since > self._listing_took / SHARE_OF_BACKLOG_LISTINGS

    def _rest(self) -> float:
        return min(LONGEST_REST, REST_AFTER_LISTING * self._listing_took)

    def _should_look_at(self, files: list[SourceFile]) -> bool:
        """Tell whether a small batch may have what ends the query: not if the schema was just made of its files."""
        plan = self._plan
        if not plan.may_refuse or sum(file.size for file in files) > LOOKED_AT_FIRST:
            return False
        return plan.options.mode == "FAILFAST" or plan.inferred_from is None or digest_of(files) != plan.inferred_from

    def _look_at(self, partition: FilePartition) -> None:
        """Look whether a small batch will end the query; if that cannot be told from its names, read it here first."""
        from pyspark_cloudfiles.reading.columns import is_plainly_known  # tasks do not look

        if is_plainly_known(partition, self._plan):
            return
        # What is bad is for the tasks to note.
        for _ in read_partition(partition, replace(self._plan, bad_records=None)):
            pass


class _NoPandas:
    """An importer that knows no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name)


@cache
def spare_pandas() -> None:
    """Keep pyarrow from importing pandas, which it does with its first array, and which costs a start 0.4 s.

    Only for the process that plans: it is the query's own, ends with it and has no use for pandas.
    """
    sys.meta_path.insert(0, _NoPandas)  # type: ignore[arg-type]
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_NoPandas)  # type: ignore[arg-type]
