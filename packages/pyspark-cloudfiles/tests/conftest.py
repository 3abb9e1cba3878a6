"""What tests share: streams that ingest a directory into a Delta table, and the agreement of both paths of a format.

The row reader decides what the rows are, and the fast path must give the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from pyspark_cloudfiles.filesystems import filesystem, object_store

if find_spec("suite") is None:  # by itself, without the repository around it
    from .plain_session import *  # noqa: F403
    from .plain_session import _session  # noqa: F401

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
        table = self.spark.read.option("mergeSchema", "true").load(self.url(self.table))
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
def delta(spark: SparkSession) -> None:
    """Leave out a test whose table must be Delta's: a plain session writes Parquet."""
    if spark.conf.get("spark.sql.sources.default") != "delta":
        pytest.skip("needs Delta, which a plain session has not")


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


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """Give the URL of an empty bucket; the endpoint and the credentials are in the environment, as with any S3."""
    from moto.server import ThreadedMotoServer
    from pyarrow.fs import FileSystem

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        object_store._store.cache_clear()
        system, bucket = FileSystem.from_uri("s3://bucket/?allow_bucket_creation=true")
        system.create_dir(bucket)
        yield "s3://bucket"
        object_store._store.cache_clear()
    server.stop()


@pytest.fixture
def one_of_many_writes() -> Callable[[str, int], None]:
    """Give a function that has several write one new file at once, and looks whether one of them did."""

    def race(url: str, writers: int) -> None:
        def write(number: int) -> bool:
            try:
                filesystem.write_atomically(url, str(number).encode(), overwrite=False)
            except FileExistsError:
                return False
            return True

        with ThreadPoolExecutor(writers) as pool:
            won = [number for number, wrote in enumerate(pool.map(write, range(writers))) if wrote]
        assert len(won) == 1
        assert filesystem.read_bytes(url) == str(won[0]).encode()

    return race
