from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

from stream_view import late_rows
from stream_view.late_data.counts import NoLateRows

from . import queries

FIRST = 1_748_858_400_000  # 2025-06-02 10:00:00 UTC
# Each seventh row is twenty minutes late.
LATE = "timestamp - make_dt_interval(0, 0, CASE WHEN value % 7 = 3 THEN 20 ELSE 0 END)"
MINUTES = [["10:00"], ["10:50"], ["10:20"], ["10:01", "10:39", "10:44"], ["11:00"]]


def deduplicated(rows: DataFrame, delay: str = "10 minutes") -> DataFrame:
    return rows.withWatermark("time", delay).dropDuplicates(["time"])


def run_for(frame: DataFrame, folder: Path, batches: int) -> StreamingQuery:
    """Run a query whose source never ends for so many batches."""
    writer = frame.writeStream.format("noop").option("checkpointLocation", (folder / "checkpoint").as_uri())
    query = writer.start()
    deadline = time.monotonic() + 60
    while (query.lastProgress or {"batchId": 0})["batchId"] < batches and time.monotonic() < deadline:
        query.awaitTermination(1)
    query.stop()
    return query


def assert_all_are_found(query: StreamingQuery, is_late: str) -> None:
    """Compare with Spark's counts, batch by batch; and there are some."""
    late = late_rows(query)
    counts = late.counts.collect()
    assert [row.counted for row in counts] == [row.dropped for row in counts] != []
    assert late.count() == sum(row.rows for row in counts)
    assert late.where(is_late).count() == late.count()


@pytest.mark.slow
@pytest.mark.parametrize("source", ["rate", "rate-micro-batch"])
def test_rates_give_their_rows_again(spark: SparkSession, tmp_path: Path, source: str) -> None:
    options = {"rowsPerSecond": 20} if source == "rate" else {"rowsPerBatch": 20, "startTimestamp": FIRST}
    rows = spark.readStream.format(source).options(**options).load().withColumn("time", F.expr(LATE))

    query = run_for(deduplicated(rows, "1 second"), tmp_path, 4)

    assert_all_are_found(query, "row.value % 7 = 3")


def frame_of(spark: SparkSession, minutes: list[str]) -> DataFrame:
    rows = spark.createDataFrame([(f"2025-06-02 {minute}", minute) for minute in minutes], "time STRING, minute STRING")
    return rows.withColumn("time", F.col("time").cast("timestamp")).coalesce(1)


@pytest.mark.slow
def test_a_delta_table_is_read_between_versions(spark: SparkSession, tmp_path: Path) -> None:
    if "delta" not in spark.conf.get("spark.sql.extensions", "").lower():
        pytest.skip("this session has no Delta")
    table = (tmp_path / "table").as_uri()
    for minutes in MINUTES:
        frame_of(spark, minutes).write.format("delta").mode("append").save(table)
    stream = spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(table)

    query = queries.run(deduplicated(stream), tmp_path)

    assert_all_are_found(query, "row.minute IN ('10:01', '10:39')")
    for file in (tmp_path / "table").glob("*.parquet"):  # as VACUUM does
        file.unlink()
    with pytest.raises(NoLateRows, match=r"Batch 3: .*(?i:not found|does not exist)"):
        late_rows(query)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pyspark_cloudfiles") is None, reason="it is another package")
def test_cloudfiles_gives_its_files_again(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "landed"
    folder.mkdir()
    for number, minutes in enumerate(MINUTES):
        lines = [f'{{"time": "2025-06-02T{minute}:00Z", "minute": "{minute}"}}\n' for minute in minutes]
        (folder / f"{number}.json").write_text("".join(lines))
        time.sleep(0.02)  # it reads the older file first
    stream = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    stream = stream.option("cloudFiles.maxFilesPerTrigger", 1).schema("time TIMESTAMP, minute STRING")

    query = queries.run(deduplicated(stream.load(folder.as_uri())), tmp_path)

    assert_all_are_found(query, "row.minute IN ('10:01', '10:39')")


@pytest.fixture
def say() -> Iterator[Callable[[str], None]]:
    """Give lines to whoever has connected; ``say.port`` is where."""
    server = socket.create_server(("localhost", 0))
    connections: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connections.append(server.accept()[0])
            except OSError:  # closed
                return

    threading.Thread(target=accept, daemon=True).start()

    def line(text: str) -> None:
        for connection in connections:
            connection.sendall(f"{text}\n".encode())

    line.port = server.getsockname()[1]  # type: ignore[attr-defined]
    yield line
    server.close()
    for connection in connections:
        connection.close()


@pytest.mark.slow
def test_a_socket_gives_its_rows_only_once_which_is_said(spark: SparkSession, tmp_path: Path, say) -> None:
    lines = spark.readStream.format("socket").option("host", "localhost").option("port", say.port).load()
    rows = deduplicated(lines.select(F.col("value").cast("timestamp").alias("time")))
    query = rows.writeStream.format("noop").option("checkpointLocation", (tmp_path / "checkpoint").as_uri()).start()
    query.processAllAvailable()
    for minute in ("10:00", "10:50", "10:51", "10:01"):
        say(f"2025-06-02 {minute}:00")
        time.sleep(0.5)  # the line is on its way
        query.processAllAvailable()

    with pytest.raises(NoLateRows, match="socket gives its rows only once"):
        late_rows(query)


@pytest.mark.slow
def test_memory_forgets_its_rows_which_is_said(spark: SparkSession, tmp_path: Path) -> None:
    jvm = spark._jvm
    runtime = jvm.org.apache.spark.sql.execution.streaming.runtime
    memory = runtime.MemoryStream(
        1, spark._jsparkSession, jvm.scala.Option.empty(), jvm.org.apache.spark.sql.Encoders.STRING()
    )
    rows = deduplicated(DataFrame(memory.toDF(), spark).select(F.col("value").cast("timestamp").alias("time")))
    query = rows.writeStream.format("noop").option("checkpointLocation", (tmp_path / "checkpoint").as_uri()).start()
    for minute in ("10:00", "10:50", "10:51", "10:01"):
        memory.addData(jvm.PythonUtils.toSeq([f"2025-06-02 {minute}:00"]))
        query.processAllAvailable()

    with pytest.raises(NoLateRows, match="memory source forgets its rows"):
        late_rows(query)
