"""How fast files are ingested: ``cloudFiles`` against Spark's own file source, both with a schema.

All sides read the same generated files, each side in fresh processes; before a measurement, twenty small batches warm
the JVM up.

=========  =============================================================================================
part       what it measures
=========  =============================================================================================
small      many small files: the first batch, and a later one
large      few large files: 200 MB of each format
huge       2 GB of lines
known      a trigger that finds nothing new among 100,000 known files, and one that finds a file
million    the same among 1,000,000
first      from ``load`` to the first rows of a small folder, in a new session of a lesson
=========  =============================================================================================

All of it takes hours; ``CLASSROOM_BENCH_PARTS=small,first`` runs two parts.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import _files
from benchmarks._measuring import TIMEOUT, medians_in_turn, print_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

ROUNDS = 3
NATIVE, TUNED, OURS = "Spark, default settings", "Spark, no listing jobs", "cloudFiles"
SMALL_FILES, ROWS_PER_FILE, SMALL_BATCHES = 20_000, 5, 6
FIRST_FILES, FIRST_ROWS = 300, 20
IDLE_TRIGGERS = 5
RESCUED = "_rescued_data"  # a column of cloudFiles alone: Spark's source drops fields that the schema does not name
# The kind of the files, and settings of the job.
LARGE: dict[str, tuple[str, dict[str, Any]]] = {
    "JSON, strings": ("json", {"schema": _files.STRINGS}),
    "JSON, typed": ("json", {}),
    "JSON, typed, a field unknown in 1 %": ("json unknown", {"rescued": RESCUED}),
    "CSV, strings": ("csv", {"schema": _files.STRINGS}),
    "CSV, typed": ("csv", {}),
    "CSV, quoted, strings": ("csv quoted", {"schema": _files.STRINGS}),
    "CSV, quoted, typed": ("csv quoted", {}),
    "Parquet": ("parquet", {}),
    "Parquet, a column rescued": ("parquet", {"schema": _files.WITHOUT_STATUS, "rescued": RESCUED}),
}
HUGE = ("JSON, strings", "JSON, typed", "CSV, strings", "CSV, typed", "CSV, quoted, typed")
_LISTING = "spark.sql.sources.parallelPartitionDiscovery.threshold"
# Stock settings where the classroom's differ, and a report of each trigger, even of one without new files.
_SETTINGS = {
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "10000",
    _LISTING: "32",
    "spark.sql.streaming.noDataProgressEventInterval": "0",
    "spark.sql.streaming.numRecentProgressUpdates": "1000000",
}


def main() -> None:
    """Run the parts, print a table for each, and as the last line the figures as JSON."""
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "small": measure_small,
        "large": lambda: measure_large(tuple(LARGE), 200, 8, ROUNDS),
        "huge": lambda: measure_large(HUGE, 2000, 16, 1),
        "known": lambda: measure_known(100_000),
        "million": lambda: measure_known(1_000_000),
        "first": measure_first,
    }
    chosen = os.environ.get("CLASSROOM_BENCH_PARTS", ",".join(parts)).split(",")
    figures: dict[str, Any] = {name: parts[name]() for name in chosen}
    # The case that a file source is worst at.
    print(json.dumps(figures | {"ratio": figures.get("small", {}).get("into delta, later", {}).get("ratio")}))


def measure_small() -> dict[str, Any]:
    """Measure batches of small files into noop and Delta."""
    rows = {}
    with scratch_folder() as files:
        _files.write_small(files, SMALL_FILES, ROWS_PER_FILE)
        for sink in ("noop", "delta"):
            job = {"work": "batches", "files": str(files), "sink": sink, "batches": SMALL_BATCHES}
            names = (f"into {sink}, first", f"into {sink}, later")
            rows |= transpose(measure_sides((NATIVE, TUNED, OURS), job, ROUNDS), *names)
    title = f"{SMALL_FILES:,} JSON files of {ROWS_PER_FILE} rows, 1,000 per trigger; seconds of a batch"
    return compare(title, rows)


def measure_large(names: tuple[str, ...], megabytes: int, count: int, rounds: int) -> dict[str, Any]:
    """Measure one batch of large files of each format."""
    rows = {}
    for name in names:
        kind, settings = LARGE[name]
        with scratch_folder() as files:
            records = _files.write_large(files, kind, megabytes, count)
            job = {"work": "batches", "files": str(files), "format": kind.split()[0], "records": records, **settings}
            rows |= transpose(measure_sides((NATIVE, OURS), job, rounds), name)
    return compare(f"{megabytes:,} MB in {count} files, into noop; seconds from load to the end", rows)


def measure_known(count: int) -> dict[str, Any]:
    """Measure triggers among known files; each process takes the median of its idle triggers."""
    with scratch_folder() as files:
        _files.write_empty(files, count)
        found = measure_sides((NATIVE, OURS), {"work": "known", "files": str(files), "limit": count + 1}, 1)
    return compare(f"{count:,} files; seconds", transpose(found, "until all are known", "nothing new", "one file more"))


def measure_first() -> dict[str, Any]:
    """Measure the time to the first rows, with a schema and with inferred types."""
    with scratch_folder() as files:
        _files.write_small(files, FIRST_FILES, FIRST_ROWS)
        job = {"work": "first", "files": str(files)}
        found = measure_sides((NATIVE, OURS), job, ROUNDS)
        found |= measure_sides((OURS,), job | {"schema": ""}, ROUNDS, ", types inferred")
    rows = [(side, *(f"{seconds:.2f}" for seconds in figures)) for side, figures in found.items()]
    title = f"Seconds to the first rows of {FIRST_FILES} JSON files, medians of {ROUNDS}"
    print_table(title, ("source", "load", "first rows", "again, in the same session"), rows)
    return {side: [round(seconds, 2) for seconds in figures] for side, figures in found.items()}


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Create a folder for files, and remove it afterwards."""
    scratch = Path(tempfile.mkdtemp(prefix="bench-autoloader-", dir=os.environ.get("CLASSROOM_BENCH_DIRECTORY")))
    try:
        yield scratch / "files"
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def measure_sides(sides: tuple[str, ...], job: dict[str, Any], rounds: int, suffix: str = "") -> dict[str, list[float]]:
    """Measure a job with each reader; return the medians of its figures."""
    arguments = {f"{side}{suffix}": [json.dumps(job | {"reader": side})] for side in sides}
    return medians_in_turn(__spec__.name, arguments, rounds)


def transpose(found: Mapping[str, list[float]], *names: str) -> dict[str, dict[str, float]]:
    """Return a row for each figure from the figures of each side."""
    return {name: {side: figures[number] for side, figures in found.items()} for number, name in enumerate(names)}


def compare(title: str, rows: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Print the rows with the ratio of each other side to cloudFiles; return them rounded."""
    others = [side for side in next(iter(rows.values())) if side != OURS]
    headings = ("", *others, OURS, *(f"{side} / ours" for side in others))
    shown = [
        (name, *(f"{row[side]:.3g}" for side in (*others, OURS)), *(f"{row[side] / row[OURS]:.2f}" for side in others))
        for name, row in rows.items()
    ]
    print_table(title, headings, shown)
    rounded = {name: {side: round(seconds, 4) for side, seconds in row.items()} for name, row in rows.items()}
    return {name: row | {"ratio": round(row[others[0]] / row[OURS], 2)} for name, row in rounded.items()}


# --- In the process of a measurement ----------------------------------------------------------------------------------


def work(job: dict[str, Any]) -> list[float]:
    """Do a job; return its figures in seconds."""
    from streaming_classroom.session.spark_session import classic_session

    # A lesson's JVM saves compiling, which is wrong for long work.
    spark = classic_session() if job["work"] == "first" else classic_session(java_options="")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        if job["work"] != "first":
            _files.write_small(Path(scratch, "warm"), 20, 5)
            warm = {"reader": job["reader"], "files": f"{scratch}/warm", "limit": 1, "batches": 20}
            run_batches(spark, warm | {"sink": job.get("sink", "noop")}, Path(scratch, "warm-up"))
        figures = {"batches": run_batches, "known": run_known, "first": run_first}[job["work"]](
            spark, job, Path(scratch)
        )
    spark.stop()
    return figures


def run_batches(spark: SparkSession, job: dict[str, Any], scratch: Path) -> list[float]:
    """Return the seconds from ``load`` to the end of the first batch, and the median of the later ones."""
    begin = time.perf_counter()
    query = start_stream(spark, job, scratch)
    wait_for_reports(query, 1)
    first = time.perf_counter() - begin
    reports = wait_for_reports(query, job.get("batches", 1))[: job.get("batches", 1)]
    query.stop()
    read = sum(rows for rows, _ in reports)
    assert "records" not in job or read == job["records"], f"{read} rows of {job['records']}"
    later = [seconds for _, seconds in reports[1:]]
    return [first, statistics.median(later)] if later else [first]


def run_known(spark: SparkSession, job: dict[str, Any], scratch: Path) -> list[float]:
    """Return the seconds until all files are known, of a trigger that finds nothing, and of one that finds a file."""
    begin = time.perf_counter()
    query = start_stream(spark, job, scratch, processingTime="200 milliseconds")
    wait_for_records(query, 1)
    known = time.perf_counter() - begin
    before = len(read_reports(query))
    idle = statistics.median(seconds for _, seconds in wait_for_reports(query, before + IDLE_TRIGGERS)[before:])
    time.sleep(2)  # the file system's clock may be coarse
    later = Path(job["files"], "zz-later.json")
    _files.write_record(later)
    one_more = wait_for_records(query, 2)
    query.stop()
    later.unlink()
    return [known, idle, one_more]


def run_first(spark: SparkSession, job: dict[str, Any], scratch: Path) -> list[float]:
    """Return the seconds of ``load``, to the first rows, and to those of a second stream in the session."""
    figures = []
    for name in ("one", "two"):
        begin = time.perf_counter()
        frame = load(spark, job, scratch / name)
        figures.append(time.perf_counter() - begin)
        query = write(frame, job, scratch / name)
        wait_for_records(query, FIRST_FILES * FIRST_ROWS)
        figures.append(time.perf_counter() - begin)
        query.stop()
    return [*figures[:2], figures[3]]


def start_stream(spark: SparkSession, job: dict[str, Any], scratch: Path, **trigger: str) -> StreamingQuery:
    """Start the stream of a job, with stock settings."""
    return write(load(spark, job, scratch), job, scratch, **trigger)


def load(spark: SparkSession, job: dict[str, Any], scratch: Path) -> Any:
    """Return the frame that a job reads."""
    if job.get("work") != "first":
        settings = _SETTINGS | ({_LISTING: "10000000"} if job["reader"] == TUNED else {})
        for key, value in settings.items():
            spark.conf.set(key, value)
    limit, file_format, schema = (
        str(job.get("limit", 1000)),
        job.get("format", "json"),
        job.get("schema", _files.SCHEMA),
    )
    if job["reader"] == OURS:
        reader = spark.readStream.format("cloudFiles").option("cloudFiles.format", file_format)
        reader = reader.option("cloudFiles.maxFilesPerTrigger", limit)
        reader = reader.option("cloudFiles.schemaLocation", (scratch / "checkpoint").as_uri())
        reader = reader.option("rescuedDataColumn", job["rescued"]) if "rescued" in job else reader
        reader = reader if schema else reader.option("cloudFiles.inferColumnTypes", "true")
    else:
        reader = spark.readStream.format(file_format).option("maxFilesPerTrigger", limit)
    reader = reader.schema(schema) if schema else reader
    return reader.option("header", "true").load(Path(job["files"]).as_uri())


def write(frame: Any, job: dict[str, Any], scratch: Path, **trigger: str) -> StreamingQuery:
    """Start the stream that writes a frame into a job's sink."""
    sink = job.get("sink", "noop")
    writer = frame.writeStream.format(sink).option("checkpointLocation", (scratch / "checkpoint").as_uri())
    writer = writer.option("path", (scratch / "table").as_uri()) if sink == "delta" else writer
    return writer.trigger(**trigger or {"processingTime": "0 seconds"}).start()


def wait_for_records(query: StreamingQuery, wanted: int) -> float:
    """Wait until a stream has read records; return the seconds of the trigger that read the last of them."""
    count = 1
    while True:
        reports = wait_for_reports(query, count)
        read = 0
        for rows, seconds in reports:
            read += rows
            if read >= wanted:
                return seconds
        count = len(reports) + 1


def wait_for_reports(query: StreamingQuery, wanted: int) -> list[tuple[int, float]]:
    """Wait until a stream has made reports; return the rows and the seconds of their triggers."""
    deadline = time.monotonic() + TIMEOUT
    while len(reports := read_reports(query)) < wanted:
        assert query.isActive, query.exception()
        assert time.monotonic() < deadline, query.status
        time.sleep(0.01)
    return reports


def read_reports(query: StreamingQuery) -> list[tuple[int, float]]:
    """Return the rows and the seconds of all triggers, from the JVM: PySpark takes milliseconds for its reports."""
    reports = query._jsq.recentProgress()
    return [(report.numInputRows(), report.durationMs().get("triggerExecution") / 1000) for report in reports]


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(work(json.loads(sys.argv[1]))))
