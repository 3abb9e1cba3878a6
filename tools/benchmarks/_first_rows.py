"""What a person waits for: from ``load`` to the first rows of a small folder, in a lesson's session that is new."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmarks._files_to_ingest import SCHEMA, small_files
from benchmarks._fresh_process import measured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILES, ROWS_A_FILE, ROUNDS = 300, 20, 3
TIMEOUT = 600  # seconds for one process
READERS = {
    "native": "json, schema given",
    "given": "cloudFiles, schema given",
    "inferred": "cloudFiles, types inferred",
}


def measure(scratch: Path) -> dict[str, Any]:
    """Run each reader in fresh processes, in turn; print a table of medians and return them."""
    small_files(scratch / "files", FILES, ROWS_A_FILE)
    runs: dict[str, list[list[float]]] = {reader: [] for reader in READERS}
    for _ in range(ROUNDS):
        for reader, taken in runs.items():
            taken.append(measured(__spec__.name, reader, str(scratch / "files"), timeout=TIMEOUT))
    title = f"Seconds to the first rows of {FILES} JSON files, medians of {ROUNDS} runs in turn"
    table = Table(title=title, title_justify="left")
    for heading in ("source", "load", "first rows", "worst", "again, in the same session"):
        table.add_column(heading, justify="left" if heading == "source" else "right")
    figures = {}
    for reader, name in READERS.items():
        load, rows, again = (statistics.median(column) for column in zip(*runs[reader], strict=True))
        worst = max(run[1] for run in runs[reader])
        table.add_row(name, f"{load:.2f}", f"{rows:.2f}", f"{worst:.2f}", f"{again:.2f}")
        figures[reader] = {"load_s": round(load, 2), "rows_s": round(rows, 2), "again_s": round(again, 2)}
    Console().print(table)
    return figures


def _wait(reader: str, source: Path) -> tuple[float, float, float]:
    """Return the seconds to the frame, to its first rows, and to those of a second stream in the same session."""
    from streaming_classroom.session.spark_session import classic_session

    spark = classic_session()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        load, rows = _first_of(spark, reader, source, Path(scratch) / "one")
        _, again = _first_of(spark, reader, source, Path(scratch) / "two")
    spark.stop()
    return load, rows, again


def _first_of(spark: SparkSession, reader: str, source: Path, target: Path) -> tuple[float, float]:
    begin = time.perf_counter()
    frame = _frame(spark, reader, source, (target / "checkpoint").as_uri())
    loaded = time.perf_counter()
    query = frame.writeStream.format("noop").option("checkpointLocation", (target / "checkpoint").as_uri()).start()
    # The JVM's own report: PySpark's takes a few milliseconds to make.
    while (progress := query._jsq.lastProgress()) is None or progress.numInputRows() == 0:
        assert query.isActive, query.exception()
        time.sleep(0.01)
    taken = loaded - begin, time.perf_counter() - begin
    assert progress.numInputRows() == FILES * ROWS_A_FILE, progress.numInputRows()
    query.stop()
    return taken


def _frame(spark: SparkSession, reader: str, source: Path, schema_location: str) -> DataFrame:
    if reader == "native":
        return spark.readStream.schema(SCHEMA).json(source.as_uri())
    files = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    files = files.option("cloudFiles.schemaLocation", schema_location)
    if reader == "given":
        return files.schema(SCHEMA).load(source.as_uri())
    return files.option("cloudFiles.inferColumnTypes", "true").load(source.as_uri())


if __name__ == "__main__":
    print(json.dumps(_wait(sys.argv[1], Path(sys.argv[2]))))
