"""A worker is warm before the first batch, and batches get workers of its kind."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import psutil
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader

from pyspark_cloudfiles import classic
from pyspark_cloudfiles.formats import find_format


def source_of_its_daemon() -> type:
    """Return a data source with one row: the process that its worker was forked from."""

    class Reader(DataSourceReader):
        def read(self, partition):
            import os

            yield pa.record_batch({"daemon": pa.array([os.getppid()], pa.int32())})

    class Source(DataSource):
        @classmethod
        def name(cls) -> str:
            return "daemon"

        def schema(self) -> str:
            return "daemon INT"

        def reader(self, schema):
            return Reader()

    return Source


def test_what_is_warm_comes_from_the_daemon_that_data_sources_use(spark: SparkSession, tmp_path: Path):
    note = str(tmp_path / "daemon")

    def tell():
        import os
        from pathlib import Path

        Path(note).write_text(f"{os.getppid()} {os.getpid()}")

    classic.run_in_worker(spark, tell)
    daemon, worker = map(int, Path(note).read_text().split())
    spark.dataSource.register(source_of_its_daemon())
    assert [row["daemon"] for row in spark.read.format("daemon").load().collect()] == [daemon]
    assert psutil.pid_exists(worker)  # for whoever reads next


@pytest.mark.parametrize("file_format", ["json", "csv", "parquet", "binaryFile"])
def test_the_worker_can_import_what_it_is_told_to(file_format: str):
    assert type(classic._importing(file_format)()) is type(find_format(file_format))


def test_it_is_done_once_a_session_and_ends_quietly_with_it():
    ended = SimpleNamespace()  # a session whose context is gone
    classic.warm_worker(ended, "json").join(10)
    assert classic.warm_worker(ended, "json") is None
