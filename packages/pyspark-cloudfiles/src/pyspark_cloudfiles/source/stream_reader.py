"""The stream reader: offsets, and the tasks of each batch.

Spark asks one process for offsets and partitions, and others to read.  Only the first appends to the log, and it
returns an offset only after the files before it are safe in the log; so a batch that Spark has planned can be planned
again, identically, after any crash.
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

from pyspark_cloudfiles.file_log import FileLog, files_between, log_of, new_log
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile, digest_of
from pyspark_cloudfiles.filesystems.filesystem import iterate_mounted, mounted
from pyspark_cloudfiles.history import Commits, Offset
from pyspark_cloudfiles.shipping import reduce_with_package
from pyspark_cloudfiles.source.plan import FilePartition, Plan
from pyspark_cloudfiles.source.task import has_known_names, read_partition

if TYPE_CHECKING:
    from pyspark_cloudfiles.source.cleaning import Cleaner
    from pyspark_cloudfiles.source.plan import KnownFiles

LOCK_TIMEOUT = 15
# Checking a batch of this size costs a tenth of a second at most; larger ones are only read by the tasks.
PRECHECK_LIMIT = 16 * 1024**2
# Spark polls an idle stream a hundred times a second; listing should take a quarter of a core at most.
LISTING_PAUSE_FACTOR = 3
LISTING_PAUSE_LIMIT = 1.0
# The share of listing in a stream with a backlog; a directory of millions of files takes minutes to list.
BACKLOG_LISTING_SHARE = 0.1
Method = TypeVar("Method", bound=Callable[..., Any])
# Each write costs a flush to disk, and nothing waits for it; the checkpoint has the last hundred batches itself.
COMMITS_PER_WRITE = 50


def _with_mounts(method: Method) -> Method:
    @wraps(method)
    def run_mounted(self: CloudFilesStreamReader, *arguments: Any) -> Any:
        with mounted(self._plan.options.mounts):
            return method(self, *arguments)

    return run_mounted  # type: ignore[return-value]


class CloudFilesStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The reader of one query."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._initial: Offset | None = None
        self._is_available_now = self._has_listed = False
        self._known: KnownFiles | None = None
        self._newest: Offset | None = None
        self._log: FileLog | None = None
        self._log_url = ""
        self._commits: Commits | None = None
        self._cleaner: Cleaner | None = None
        self._open = ExitStack()
        self._listed_at = 0.0
        self._listing_seconds = 0.0

    def __reduce__(self) -> tuple:
        # The planning process keeps its log; tasks get the plan only.
        return reduce_with_package(type(self), {"_plan": self._plan})

    # Methods for the planning process.

    @_with_mounts
    def initialOffset(self) -> dict:
        block_pandas_import()
        if self._initial is None:  # Spark asks twice, and must get the same offset
            options = self._plan.options
            existing = 0 if options.include_existing_files else -1
            self._initial = Offset(0, 0, new_log(options.log_location), filesystem.canonical(options.path), existing)
        return self._initial.to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        # Both limits are applied in latestOffset; Spark can only carry one.
        return ReadMaxFiles(self._plan.options.max_files)

    def prepareForTriggerAvailableNow(self) -> None:
        self._is_available_now = True

    @_with_mounts
    def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
        block_pandas_import()
        offset = self._newest = Offset.from_json(start)
        log = self._opened_log(offset)
        if offset.existing < 0:
            log.add(self._new_files())
            return replace(offset, seq_num=len(log), num_bytes=log.total_bytes, existing=len(log)).to_json()
        self._commit(offset)
        options = self._plan.options
        unlimited = isinstance(limit, ReadAllAvailable)
        max_files, max_bytes = (None, None) if unlimited else (options.max_files, options.max_bytes)
        if unlimited or len(log) - offset.seq_num < max_files or self._should_list_in_backlog():
            log.add(self._new_files())
        end = log.end_of_batch(offset.seq_num, max_files, max_bytes)
        if end == offset.seq_num:
            return start
        size = sum(file.size for file in log.files(offset.seq_num, end))
        return replace(offset, seq_num=end, num_bytes=offset.num_bytes + size).to_json()

    def reportLatestOffset(self) -> dict | None:
        if self._log is None:
            return None
        return replace(self._newest, seq_num=len(self._log), num_bytes=self._log.total_bytes).to_json()

    @_with_mounts
    def partitions(self, start: dict, end: dict) -> list[FilePartition]:
        first, last = Offset.from_json(start), Offset.from_json(end)
        # The first batch, planned again after a crash, begins at a new initial offset with another log.
        begin = max(last.existing, first.seq_num if first.log == last.log else 0)
        url = log_of(self._plan.options.log_location, last.log)
        if self._log is not None and url == self._log_url:
            files = self._log.files(begin, last.seq_num)
        else:
            files = files_between(url, begin, last.seq_num)
        layout = self._plan.batch_layout(files)
        if self._needs_precheck(files):
            self._precheck(FilePartition(files, layout, url, begin, last.seq_num))
        return [FilePartition(group, layout, url, begin, last.seq_num) for group in self._plan.divide(files)]

    @_with_mounts
    def commit(self, end: dict) -> None:
        offset = Offset.from_json(end)
        self._opened_log(offset)
        self._commit(offset)

    @_with_mounts
    def stop(self) -> None:
        if self._cleaner is not None:
            self._cleaner.stop()
        self._open.close()

    # The method for tasks.

    def read(self, partition: FilePartition) -> Iterator[pa.RecordBatch]:
        return iterate_mounted(self._plan.options.mounts, read_partition(partition, self._plan))

    def _opened_log(self, offset: Offset) -> FileLog:
        """Return the log, locked and opened for appending, with all files before the offset."""
        if self._log is None:
            self._log_url = log_of(self._plan.options.log_location, offset.log)
            self._open.enter_context(filesystem.lock(self._log_url, LOCK_TIMEOUT))
            self._log = FileLog(
                self._log_url, tracks_changes=self._plan.options.allow_overwrites, acknowledged=offset.seq_num
            )
        self._log.require(offset.seq_num)
        return self._log

    def _commit(self, offset: Offset) -> None:
        """Record that all files before an offset are in the sink, also at the start of the next batch, and clean up."""
        if self._plan.options.clean_source == "OFF":
            self._commits = self._commits or Commits(self._log_url, COMMITS_PER_WRITE)
            self._commits.add(offset.seq_num)
            return
        from pyspark_cloudfiles.source.cleaning import Cleaner  # few streams clean

        self._cleaner = self._cleaner or Cleaner(self._log_url, self._plan.options, offset.existing)
        self._cleaner.clean(offset.seq_num)

    def _new_files(self) -> Iterator[SourceFile]:
        if self._is_available_now and self._has_listed:
            return
        # Tasks list nothing.
        from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache
        from pyspark_cloudfiles.source.plan import KnownFiles, discover_files

        options = self._plan.options
        if self._known is None and not options.allow_overwrites:  # with which a known file may be new again
            incremental = IncrementalListing(options.incremental_listing)
            self._known = KnownFiles(self._log.new_urls, ListingCache(), incremental)
        pause = min(LISTING_PAUSE_LIMIT, LISTING_PAUSE_FACTOR * self._listing_seconds)
        time.sleep(max(0.0, self._listed_at + pause - time.monotonic()))
        began = time.monotonic()
        yield from discover_files(options, self._known)
        self._has_listed = True
        self._listed_at = time.monotonic()
        self._listing_seconds = self._listed_at - began

    def _should_list_in_backlog(self) -> bool:
        """Whether to list although enough files for a batch are known, so that the reported backlog is current."""
        since = time.monotonic() - self._listed_at
        return not self._is_available_now and since > self._listing_seconds / BACKLOG_LISTING_SHARE

    def _needs_precheck(self, files: list[SourceFile]) -> bool:
        """Whether a small batch may end the query: not if the schema was just inferred from its files."""
        plan = self._plan
        if not plan.can_reject_data or sum(file.size for file in files) > PRECHECK_LIMIT:
            return False
        return plan.options.mode == "FAILFAST" or plan.inferred_from is None or digest_of(files) != plan.inferred_from

    def _precheck(self, partition: FilePartition) -> None:
        """Raise the error with which a small batch will end the query; if its names are not enough, read it here."""
        if has_known_names(partition, self._plan):
            return
        # The tasks write the bad records.
        for _ in read_partition(partition, replace(self._plan, bad_records=None)):
            pass


class _NoPandas:
    """An importer that does not find pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name)


@cache
def block_pandas_import() -> None:
    """Keep pyarrow from importing pandas, which it does with its first array, and which costs a start 0.4 s.

    Only for the process that plans: it is the query's own, ends with it and does not use pandas.
    """
    sys.meta_path.insert(0, _NoPandas)  # type: ignore[arg-type]
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_NoPandas)  # type: ignore[arg-type]
