"""What the tests of streams share: a directory of files, and streams that ingest it into a Delta table."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

DEADLINE = 90  # seconds for one run of a stream


@dataclass
class Ingestion:
    """A directory, and a stream of its files into a table; one checkpoint unless a test makes another."""

    spark: SparkSession
    root: Path
    format: str = "json"
    checkpoint: str = "checkpoint"
    table: str = "table"
    options: dict[str, str] = field(default_factory=dict)
    schema: str | None = None
    query: StreamingQuery | None = None

    @property
    def source(self) -> Path:
        return self.root / "in"

    def url(self, name: str) -> str:
        return f"file:{self.root / name}"

    def put(self, name: str, *rows: dict | str, modified: float | None = None) -> Path:
        """Land a file with a row for each; text is written as it is."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        hidden = path.with_name(f".{path.name}")
        hidden.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        if modified is not None:
            os.utime(hidden, (modified, modified))
        hidden.rename(path)
        return path

    def frame(self, **options: Any) -> DataFrame:
        """Load the source; options without a dot are Auto Loader's."""
        reader = self.spark.readStream.format("cloudFiles").option("cloudFiles.format", self.format)
        if self.schema is None:
            reader = reader.option("cloudFiles.schemaLocation", self.url(self.checkpoint))
        else:
            reader = reader.schema(self.schema)
        for key, value in (self.options | options).items():
            reader = reader.option(key if key in PLAIN else f"cloudFiles.{key}", value)
        return reader.load(self.url("in"))

    def start(self, frame: DataFrame | None = None, merge: bool = True, **options: Any) -> StreamingQuery:
        """Start a run of all that is there."""
        frame = self.frame(**options) if frame is None else frame
        writer = frame.writeStream.option("checkpointLocation", self.url(self.checkpoint))
        writer = writer.option("mergeSchema", str(merge).lower()).trigger(availableNow=True)
        self.query = writer.start(self.url(self.table))
        return self.query

    def run(self, frame: DataFrame | None = None, merge: bool = True, **options: Any) -> StreamingQuery:
        """Run over all that is there, to the end."""
        query = self.start(frame, merge, **options)
        if not query.awaitTermination(DEADLINE):
            query.stop()
            raise TimeoutError(query.status)
        return query

    def rows(self, *columns: str) -> list[Row]:
        """Return the table's rows, sorted."""
        table = self.spark.read.load(self.url(self.table))
        return sorted(table.select(*columns).collect() if columns else table.collect(), key=str)

    def ids(self) -> list[int]:
        return sorted(int(row["id"]) for row in self.rows("id"))

    def batches(self) -> list[int]:
        """Return how many rows each batch of the last run had."""
        assert self.query is not None
        return [p["numInputRows"] for p in self.query.recentProgress if "addBatch" in p["durationMs"]]


PLAIN = {
    "pathGlobFilter", "modifiedAfter", "modifiedBefore", "ignoreMissingFiles", "ignoreCorruptFiles", "multiLine",
    "rescuedDataColumn", "readerCaseSensitive", "recursiveFileLookup", "mode", "header", "rowTag",
    "columnNameOfCorruptRecord", "badRecordsPath",
}  # fmt: skip


@pytest.fixture
def ingestion(spark: SparkSession, tmp_path: Path) -> Iterator[Ingestion]:
    made = Ingestion(spark, tmp_path)
    made.source.mkdir()
    yield made


@pytest.fixture
def landed(ingestion: Ingestion) -> Callable[..., Ingestion]:
    """Land rows with these ids in a file of their own."""

    def land(*ids: int) -> Ingestion:
        ingestion.put(f"{'-'.join(map(str, ids))}.json", *({"id": number} for number in ids))
        return ingestion

    return land
