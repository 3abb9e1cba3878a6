"""How fast files are ingested: ``cloudFiles`` against Spark's own file source, into Delta.

The same generated files for all sides, each side in a fresh process with an ordinary JVM, timed after a stream of
twenty small batches has warmed it up.  The first scenario is where a file source hurts, many small files; the second
where it is good, few large ones.  ``CLASSROOM_BENCH_FILES=200000,1000000`` adds runs of ours with as many files, which
take minutes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TIMEOUT = 3600  # seconds for one side
SCHEMA = "id BIGINT, device STRING, recorded STRING, temperature DOUBLE, status STRING"
MANY_FILES, ROWS_A_FILE, FILES_A_TRIGGER = 20_000, 5, 1000
LARGE_FILES, ROWS_A_LARGE_FILE = 40, 5000
LISTING = "spark.sql.sources.parallelPartitionDiscovery.threshold"
# The classroom lowers it for VACUUM; what is compared with is a stock session.
STOCK = {"spark.sql.sources.parallelPartitionDiscovery.parallelism": "10000"}
NAMES = {
    "native": "json, default settings",
    "tuned": "json, no listing jobs",
    "ours": "cloudFiles",
}


def main() -> None:
    """Run all sides, print tables, and as the last line the figures as JSON."""
    scratch = Path(os.environ.get("CLASSROOM_BENCH_DIRECTORY") or tempfile.mkdtemp(prefix="bench-autoloader-"))
    try:
        figures = _many_small_files(scratch)
        figures |= _few_large_files(scratch)
        figures |= _scale(scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(json.dumps(figures))


def _many_small_files(scratch: Path) -> dict[str, Any]:
    source = scratch / "many"
    make_files(source, MANY_FILES, ROWS_A_FILE)
    runs = {side: _run(side, "json", source, MANY_FILES * ROWS_A_FILE) for side in NAMES}
    table = _table(f"{MANY_FILES:,} JSON files of {ROWS_A_FILE} rows, {FILES_A_TRIGGER:,} files a trigger")
    for side, (first, second, _) in runs.items():
        table.add_row(NAMES[side], f"{first:.1f}", f"{second:.2f}")
    Console().print(table)
    shutil.rmtree(source)
    ours = runs["ours"]
    return {
        "native_s": round(runs["native"][0], 2),
        "tuned_s": round(runs["tuned"][0], 2),
        "cloudfiles_s": round(ours[0], 2),
        "ratio": round(runs["native"][0] / ours[0], 2),
        "ratio_tuned": round(runs["tuned"][0] / ours[0], 2),
        "nothing_new_of_native": round(ours[1] / runs["native"][1], 3),
    }


def _few_large_files(scratch: Path) -> dict[str, Any]:
    figures = {}
    rows = LARGE_FILES * ROWS_A_LARGE_FILE
    table = _table(f"{rows:,} rows in {LARGE_FILES} files")
    for file_format in ("json", "csv", "parquet"):
        source = scratch / f"large-{file_format}"
        make_files(source, LARGE_FILES, ROWS_A_LARGE_FILE, file_format)
        native, ours = (_run(side, file_format, source, rows) for side in ("native", "ours"))
        for name, run in (
            (f"{file_format}, schema given", native),
            (f"cloudFiles {file_format}, types inferred", ours),
        ):
            table.add_row(name, f"{run[0]:.2f}", f"{run[1]:.2f}")
        figures[f"large_{file_format}_ratio"] = round(native[0] / ours[0], 2)
        shutil.rmtree(source)
    Console().print(table)
    return figures


def _scale(scratch: Path) -> dict[str, Any]:
    """Ingest as many files as the environment asks for, of a row each, with ours alone."""
    sizes = [int(size) for size in os.environ.get("CLASSROOM_BENCH_FILES", "").split(",") if size]
    if not sizes:
        return {}
    table = _table("cloudFiles, files of one row", "microseconds a file", "peak MB of Python")
    figures = {}
    for size in (MANY_FILES, *sizes):
        source = scratch / f"scale-{size}"
        make_files(source, size, 1)
        first, second, peak = _run("ours", "json", source, size)
        table.add_row(f"{size:,}", f"{first:.1f}", f"{second:.2f}", f"{first / size * 1e6:.0f}", f"{peak:.0f}")
        figures[f"files_{size}"] = {"s": round(first, 1), "again_s": round(second, 2), "peak_mb": round(peak)}
        shutil.rmtree(source)
    Console().print(table)
    return {"scale": figures}


def _table(title: str, *more: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("source")
    for heading in ("seconds", "again, nothing new", *more):
        table.add_column(heading, justify="right")
    return table


def make_files(directory: Path, files: int, rows: int, file_format: str = "json") -> None:
    """Write the files of one scenario; the same numbers always give the same files."""
    directory.mkdir(parents=True)
    draw = random.Random(7)
    for number in range(files):
        records = [_record(number * rows + i, draw) for i in range(rows)]
        path = directory / f"{number:07d}.{file_format}"
        if file_format == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.Table.from_pylist(records), path)
        elif file_format == "csv":
            lines = [",".join(records[0]), *(",".join(map(str, record.values())) for record in records)]
            path.write_text("\n".join(lines) + "\n")
        else:
            path.write_text("".join(json.dumps(record) + "\n" for record in records))


def _record(number: int, draw: random.Random) -> dict[str, Any]:
    return {
        "id": number,
        "device": f"device-{draw.randrange(500):03d}",
        "recorded": f"2026-03-{draw.randrange(1, 29):02d} at {draw.randrange(24):02d}",
        "temperature": round(draw.gauss(20, 5), 2) + 0.001,
        "status": draw.choice(("ok", "ok", "ok", "low battery")),
    }


def _run(side: str, file_format: str, source: Path, rows: int) -> tuple[float, float, float]:
    """Ingest in a fresh process: seconds, seconds of a second run with nothing new, peak memory of Python in MB."""
    command = [sys.executable, "-m", __spec__.name, side, file_format, str(source), str(rows)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        done = subprocess.run(
            command,
            env=os.environ | {"CLASSROOM_HOME": home},
            stdout=subprocess.PIPE,
            stderr=None if "CLASSROOM_BENCH_VERBOSE" in os.environ else subprocess.DEVNULL,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def _work(side: str, file_format: str, source: Path, rows: int) -> tuple[float, float, float]:
    from streaming_classroom.session import classic_session

    # The lessons' JVM saves compiling, which is wrong where there is much to do.
    spark = classic_session(java_options="")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        place = Path(scratch)
        make_files(place / "warm", 20, 5, file_format)
        _ingest(spark, side, file_format, place / "warm", place / "warmed", files_a_trigger=1)
        for key, value in STOCK.items():
            spark.conf.set(key, value)
        if side == "tuned":
            spark.conf.set(LISTING, 10_000_000)
        with _peak_of_workers() as peak:
            seconds = [_ingest(spark, side, file_format, source, place / "timed") for _ in range(2)]
        counted = spark.read.load((place / "timed" / "table").as_uri()).count()
        assert counted == rows, f"{counted} rows of {rows}"
    spark.stop()
    return *seconds, peak[0]


def _ingest(
    spark: SparkSession, side: str, file_format: str, source: Path, target: Path, files_a_trigger: int = FILES_A_TRIGGER
) -> float:
    """Ingest all that is there into a Delta table; return the seconds."""
    begin = time.perf_counter()
    if side == "ours":
        frame = _ours(spark, file_format, source, target, files_a_trigger)
    else:
        frame = _native(spark, file_format, source, files_a_trigger)
    stream = frame.writeStream.option("checkpointLocation", (target / "checkpoint").as_uri())
    stream.trigger(availableNow=True).start((target / "table").as_uri()).awaitTermination()
    return time.perf_counter() - begin


def _native(spark: SparkSession, file_format: str, source: Path, files_a_trigger: int) -> DataFrame:
    reader = spark.readStream.format(file_format).schema(SCHEMA).option("maxFilesPerTrigger", files_a_trigger)
    return reader.option("header", "true").load(source.as_uri())


def _ours(spark: SparkSession, file_format: str, source: Path, target: Path, files_a_trigger: int) -> DataFrame:
    options = {
        "cloudFiles.format": file_format,
        "cloudFiles.schemaLocation": (target / "checkpoint").as_uri(),
        "cloudFiles.inferColumnTypes": "true",
        "cloudFiles.maxFilesPerTrigger": str(files_a_trigger),
    }
    return spark.readStream.format("cloudFiles").options(**options).load(source.as_uri())


@contextmanager
def _peak_of_workers() -> Iterator[list[float]]:
    """Watch the largest of the Python processes that Spark has started; MB."""
    peak, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            for process in psutil.Process().children(recursive=True):
                try:
                    if "python" in process.name():
                        peak[0] = max(peak[0], process.memory_info().rss / 1e6)
                except psutil.Error:
                    continue

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(_work(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))))
