"""One side of a comparison of file sources: a process with a warm session, which ingests when it is told to."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._files_to_ingest import SCHEMA, one_record, small_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

TIMEOUT = 3600.0  # seconds for one run
NATIVE, TUNED, OURS = "Spark, default settings", "Spark, no listing jobs", "cloudFiles"
_LISTING = "spark.sql.sources.parallelPartitionDiscovery.threshold"
# The classroom lowers it for VACUUM; what is compared with is a stock session.
_STOCK = {"spark.sql.sources.parallelPartitionDiscovery.parallelism": "10000", _LISTING: "32"}
# Each trigger has its report, also where nothing is new, and all are kept.
_ALL_REPORTS = {
    "spark.sql.streaming.noDataProgressEventInterval": "0",
    "spark.sql.streaming.numRecentProgressUpdates": "1000000",
}


@dataclass(frozen=True)
class Files:
    """What is read, and how.

    Attributes
    ----------
    reader
        One of `NATIVE`, `TUNED` and `OURS`.
    directory, file_format, schema
        As given to a reader of streams.
    files_a_trigger
        The limit of a batch.
    options
        More options of the reader.
    """

    reader: str
    directory: Path
    file_format: str = "json"
    schema: str = SCHEMA
    files_a_trigger: int = 1000
    options: dict[str, str] = field(default_factory=dict)


@contextmanager
def sides(*names: str) -> Iterator[dict[str, Callable[..., Any]]]:
    """Give each side a process of its own with a warm session; call a side to have it run a function here."""
    with tempfile.TemporaryDirectory(prefix="bench-ingesting-", ignore_cleanup_errors=True) as scratch:
        fresh = multiprocessing.get_context("spawn")
        pools = {
            name: ProcessPoolExecutor(1, fresh, _begin, (str(Path(scratch, str(number))),))
            for number, name in enumerate(names)
        }
        try:
            for name, pool in pools.items():
                _call(pool, _warm_up, name)
            yield {name: partial(_call, pool) for name, pool in pools.items()}
        finally:
            for pool in pools.values():
                pool.submit(_end).result(TIMEOUT)
                pool.shutdown()


def _call(pool: ProcessPoolExecutor, run: Callable[..., Any], *given: Any) -> Any:
    return pool.submit(_run, run, given).result(TIMEOUT)


def _run(run: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    try:
        return run(*given)
    except Exception as error:
        # Those of PySpark cannot be sent to another process.
        raise RuntimeError("".join(traceback.format_exception(error))) from None


def _begin(home: str) -> None:
    os.environ["CLASSROOM_HOME"] = home
    if "CLASSROOM_BENCH_VERBOSE" not in os.environ:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


@cache
def _session() -> SparkSession:
    from streaming_classroom.session.spark_session import classic_session

    # The lessons' JVM saves compiling, which is wrong where there is much to do.
    return classic_session(java_options="")


def _end() -> None:
    _session().stop()


def _warm_up(reader: str) -> None:
    """Have the JVM compile what a run needs, by twenty batches of a small file into either sink."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        small_files(Path(scratch, "files"), 20, 5)
        for sink in ("noop", "delta"):
            batches(Files(reader, Path(scratch, "files"), files_a_trigger=1), sink, 20)


def batches(files: Files, sink: str, wanted: int, rows: int | None = None) -> tuple[float, float]:
    """Run a stream for some batches; return the seconds from ``load`` to the first one's end, and of a later one.

    The later one is the median of all; not a number where there is none.  Given `rows`, so many must have been read.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        begin = time.perf_counter()
        query = _start(files, sink, Path(scratch))
        try:
            _reports(query, 1)
            first = time.perf_counter() - begin
            reports = _reports(query, wanted)[:wanted]
        finally:
            query.stop()
    read = sum(rows for rows, _ in reports)
    assert rows is None or read == rows, f"{read} rows of {rows}"
    return first, statistics.median([seconds for _, seconds in reports[1:]] or [float("nan")])


def known_files(files: Files, triggers: int) -> tuple[float, float, float]:
    """Read what :func:`empty_files` has written, and then one file more.

    Returns
    -------
    tuple of float
        The seconds until all files are known, of a later trigger that finds nothing, of the one that finds a file.
    """
    spark = _session()
    for key, value in _ALL_REPORTS.items():
        spark.conf.set(key, value)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        begin = time.perf_counter()
        query = _start(files, "noop", Path(scratch), processingTime="200 milliseconds")
        try:
            _records(query, 1)
            known = time.perf_counter() - begin
            before = len(_all_reports(query))
            idle = statistics.median(seconds for _, seconds in _reports(query, before + triggers)[before:])
            # A clock may be coarser than what comes after it.
            time.sleep(2)
            one_record(files.directory / "zz-later.json")
            one_more = _records(query, 2)
        finally:
            query.stop()
            (files.directory / "zz-later.json").unlink(missing_ok=True)
            for key in _ALL_REPORTS:
                spark.conf.unset(key)
    return known, idle, one_more


def _start(files: Files, sink: str, scratch: Path, **trigger: str) -> StreamingQuery:
    spark = _session()
    for key, value in _STOCK.items():
        spark.conf.set(key, value)
    if files.reader == TUNED:
        spark.conf.set(_LISTING, 10_000_000)
    options = {"header": "true"} | files.options
    if files.reader == OURS:
        options |= {"cloudFiles.format": files.file_format, "cloudFiles.maxFilesPerTrigger": str(files.files_a_trigger)}
        options["cloudFiles.schemaLocation"] = (scratch / "checkpoint").as_uri()
        reader = spark.readStream.format("cloudFiles")
    else:
        options["maxFilesPerTrigger"] = str(files.files_a_trigger)
        reader = spark.readStream.format(files.file_format)
    frame = reader.schema(files.schema).options(**options).load(files.directory.as_uri())
    writer = frame.writeStream.format(sink).option("checkpointLocation", (scratch / "checkpoint").as_uri())
    if sink == "delta":
        writer = writer.option("path", (scratch / "table").as_uri())
    return writer.trigger(**trigger or {"processingTime": "0 seconds"}).start()


def _records(query: StreamingQuery, wanted: int) -> float:
    """Wait until a stream has read so many records; return the seconds of the trigger that read the last of them."""
    for count in itertools.count(1):
        reports = _reports(query, count)
        for number, (_, seconds) in enumerate(reports, start=1):
            if sum(rows for rows, _ in reports[:number]) >= wanted:
                return seconds
    raise AssertionError


def _reports(query: StreamingQuery, wanted: int) -> list[tuple[int, float]]:
    """Wait until a stream has made so many reports; return their rows and the seconds of their triggers."""
    deadline = time.monotonic() + TIMEOUT
    while len(reports := _all_reports(query)) < wanted:
        assert query.isActive, query.exception()
        assert time.monotonic() < deadline, query.status
        time.sleep(0.01)
    return reports


def _all_reports(query: StreamingQuery) -> list[tuple[int, float]]:
    # The JVM's own: PySpark's take a few milliseconds to make.
    return [
        (report.numInputRows(), report.durationMs().get("triggerExecution") / 1000)
        for report in query._jsq.recentProgress()
    ]
