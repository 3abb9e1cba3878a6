"""ORC, compared with Spark's own reader over files that Spark and others wrote."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc as orc
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InferenceFailed, UnknownFields, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.columnar import OrcFormat
from pyspark_cloudfiles.source.plan import discover

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")

NOW = dt.datetime(2020, 1, 1, 10, 0, 0, 123456)


def put(path: Path, table: pa.Table, **options: Any) -> SourceFile:
    orc.write_table(table, str(path), **options)
    return SourceFile(f"file:{path}", path.stat().st_size, 0)


def read(files: list[SourceFile], schema: str | StructType, **request: Any) -> list[Rows]:
    struct = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    found = list(OrcFormat().read(files, ReadRequest(struct, **request)))
    assert all(rows.batch.schema == to_arrow_schema(struct, timezone="UTC") for rows in found)
    return found


def test_files_that_spark_wrote_are_read(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(
        """SELECT true AS b, tinyint(1) AS i8, smallint(2) AS i16, 3 AS i32, 4L AS i64, float(0.1) AS f, 0.1D AS d,
        'é' AS s, X'FF' AS bin, DATE'2020-01-01' AS day, TIMESTAMP'2020-01-01 10:00:00.123456' AS ts,
        TIMESTAMP_NTZ'1960-01-01 10:00:00.123456' AS ntz, 1.50BD AS dec, array(1, NULL) AS list, map('a', 1) AS map,
        named_struct('a', 1, 'b', array(named_struct('c', 'x'))) AS struct, NULL AS nothing
        UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        1"""
    ).coalesce(1).write.orc(f"file:{tmp_path}/written")
    frame = spark.read.orc(f"file:{tmp_path}/written")
    [rows] = read(list(discover(f"file:{tmp_path}/written")), frame.schema)
    assert rows.batch.to_pylist() == frame.toArrow().to_pylist()
    assert rows.rescued is None


def test_files_that_arrow_wrote_are_read(spark: SparkSession, tmp_path: Path) -> None:
    given = {
        "x": pa.array([1, None]),
        "ts": pa.array([NOW, None], pa.timestamp("us", "UTC")),
        "dec": pa.array([Decimal("1.5"), None], pa.decimal128(38, 10)),
        "nested": pa.array([[{"a": {"b": 1}}], None]),
    }
    file = put(tmp_path / "a.orc", pa.table(given))
    frame = spark.read.orc(file.url)
    [rows] = read([file], frame.schema)
    assert rows.batch.to_pylist() == frame.toArrow().to_pylist()


def test_timestamps_are_what_the_clock_of_the_machine_showed(tmp_path: Path) -> None:
    given = {"x": pa.array([NOW], pa.timestamp("us")), "y": pa.array([NOW], pa.timestamp("us", "UTC"))}
    given["z"] = pa.array([{"a": [NOW]}], pa.struct([("a", pa.list_(pa.timestamp("us")))]))
    file = put(tmp_path / "a.orc", pa.table(given))
    zones = {"timezone": "America/New_York", "machine_timezone": "Europe/Berlin"}
    [rows] = read([file], "x TIMESTAMP, y TIMESTAMP, z STRUCT<a: ARRAY<TIMESTAMP>>", **zones)
    moment = (NOW - dt.timedelta(hours=1)).replace(tzinfo=dt.UTC)
    assert rows.batch["x"][0].as_py() == moment
    assert rows.batch["y"][0].as_py() == NOW.replace(tzinfo=dt.UTC)
    assert rows.batch["z"][0].as_py() == {"a": [moment]}
    [rows] = read([file], "x TIMESTAMP_NTZ", **zones)
    assert rows.batch["x"][0].as_py() == NOW


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York", "Etc/GMT+3"])
def test_timestamps_are_those_that_were_written_whatever_the_machine_s_zone(ingestion: Any, zone: str) -> None:
    zones = ingestion.spark._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(zone))
    try:
        moments = "SELECT TIMESTAMP'2026-01-01 12:00:00' AS t, array(TIMESTAMP'2026-07-01 00:30:00.123456') AS a"
        ingestion.spark.sql(moments).write.mode("append").orc(ingestion.url("in"))
        call = f"read_files('{ingestion.url('in')}', format => 'orc', schema => 't TIMESTAMP, a ARRAY<TIMESTAMP>')"
        found = ingestion.spark.sql(f"SELECT CAST(t AS STRING), CAST(a[0] AS STRING) FROM {call}").collect()
    finally:
        zones.setDefault(before)
    assert found == [("2026-01-01 12:00:00", "2026-07-01 00:30:00.123456")]


@pytest.mark.parametrize("year", ["0001", "1600", "2300"])
def test_a_timestamp_that_nanoseconds_cannot_count_is_refused(spark: SparkSession, tmp_path: Path, year: str) -> None:
    spark.sql(f"SELECT 1 AS id, TIMESTAMP'{year}-01-01 00:00:00' AS t").write.orc(f"file:{tmp_path}/written")
    files = list(discover(f"file:{tmp_path}/written"))
    with pytest.raises(UnreadableFile, match="timestamp outside of the years 1677 to 2262"):
        read(files, "id INT, t TIMESTAMP", on_unknown="ignore")
    [rows] = read(files, "id INT", on_unknown="ignore")
    assert rows.batch.to_pylist() == [{"id": 1}]


def test_what_does_not_fit_is_rescued_or_an_error(tmp_path: Path) -> None:
    file = put(tmp_path / "a.orc", pa.table({"x": [1], "Y": [2], "z": ["t"]}))
    [rows] = read([file], "x STRING, y LONG, missing INT")
    assert rows.batch.to_pylist() == [{"x": None, "y": None, "missing": None}]
    assert json.loads(rows.rescued[0].as_py()) == {"x": 1, "Y": 2, "z": "t", "_file_path": file.url}
    with pytest.raises(UnknownFields, match=r"\[z\]"):
        read([file], "x LONG, y LONG", on_unknown="error")
    with pytest.raises(UnreadableFile, match="column x is BIGINT"):
        read([file], "x STRING", rescue=False, on_unknown="ignore")


def test_a_large_file_is_read_by_its_stripes(tmp_path: Path) -> None:
    table = pa.table({"x": list(range(200_000)), "y": [str(number) * 20 for number in range(200_000)]})
    file = put(tmp_path / "a.orc", table, stripe_size=1 << 20, batch_size=1024)
    found = read([file], "x LONG, y STRING")
    assert len(found) > 1
    assert [value for rows in found for value in rows.batch["x"].to_pylist()] == list(range(200_000))
    found = read([file], StructType([]), rescue=False, on_unknown="ignore")
    assert sum(count for rows in found for _, count in rows.counts) == 200_000


def test_the_schema_is_not_inferred() -> None:
    with pytest.raises(InferenceFailed, match=r"Give one: \.schema"):
        OrcFormat().infer([], InferRequest())
