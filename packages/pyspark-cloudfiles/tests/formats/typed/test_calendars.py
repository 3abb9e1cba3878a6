"""Ancient dates and timestamps in files of the hybrid calendar, compared with Spark's own readers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InvalidOption, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import find_format
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.source.plan import discover

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")

DAYS = ["0001-01-01", "0400-02-29", "1500-02-28", "1500-06-01", "1582-10-04", "1582-10-15", "1850-01-01", "2020-02-29"]
MODES = ("LEGACY", "CORRECTED")


@contextmanager
def settings(spark: SparkSession, **given: str) -> Iterator[None]:
    """Set what Spark's writers follow, for a while; an underline stands for a dot."""
    names = {name.replace("__", "."): value for name, value in given.items()}
    before = {name: spark.conf.get(name, None) for name in names}
    for name, value in names.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def numbers(table: pa.Table) -> dict[str, Any]:
    """Return columns as days and microseconds: Python has no dates before the year 1."""

    def plain(array: pa.Array) -> Any:
        if pa.types.is_nested(array.type):
            return [array.is_null().to_pylist(), [plain(child) for child in _children(array)]]
        return array.cast(pa.int32() if pa.types.is_date(array.type) else pa.int64()).to_pylist()

    return {name: plain(pa.concat_arrays(table.column(name).chunks)) for name in table.schema.names}


def _children(array: pa.Array) -> list[pa.Array]:
    if pa.types.is_struct(array.type):
        return array.flatten()
    return [array.keys, array.items] if pa.types.is_map(array.type) else [array.flatten()]


def read(file_format: str, files: list[SourceFile], schema: StructType | str, **options: str) -> dict[str, Any]:
    struct = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    found = list(find_format(file_format).read(files, ReadRequest(struct, rescue=False, options=options)))
    return numbers(pa.Table.from_batches([rows.batch for rows in found]))


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"])
@pytest.mark.parametrize("mode", MODES)
def test_parquet_that_spark_wrote(spark: SparkSession, tmp_path: Path, mode: str, kind: str) -> None:
    columns = ["d", "CAST(d AS TIMESTAMP) + INTERVAL '1' HOUR AS t", "CAST(d AS TIMESTAMP_NTZ) AS n"]
    columns += ["named_struct('d', d) AS s", "IF(d < DATE'1000-01-01', NULL, array(d, NULL)) AS a", "map(1, d) AS m"]
    parquet = "spark__sql__parquet__"
    modes = dict.fromkeys((f"{parquet}datetimeRebaseModeInWrite", f"{parquet}int96RebaseModeInWrite"), mode)
    with settings(spark, **modes, **{f"{parquet}outputTimestampType": kind}):
        rows = spark.createDataFrame([(day,) for day in DAYS], "d STRING").selectExpr("CAST(d AS DATE) AS d")
        rows.coalesce(1).selectExpr(*columns).write.parquet(f"file:{tmp_path}/written")
    frame = spark.read.parquet(f"file:{tmp_path}/written")
    assert read("parquet", list(discover(f"file:{tmp_path}/written")), frame.schema) == numbers(frame.toArrow())


@pytest.mark.parametrize(("option", "int96"), [("datetimeRebaseMode", False), ("int96RebaseMode", True)])
@pytest.mark.parametrize("mode", MODES)
def test_parquet_that_says_nothing_is_read_by_the_option(
    spark: SparkSession, tmp_path: Path, mode: str, option: str, int96: bool
) -> None:
    path = tmp_path / "a.parquet"
    moments = pa.array([-(10**16) - 1, -(10**15), 0], pa.timestamp("us", "UTC"))
    pq.write_table(pa.table({"t": moments}), path, use_deprecated_int96_timestamps=int96)
    frame = spark.read.option(option, mode).schema("t TIMESTAMP").parquet(f"file:{path}")
    file = SourceFile(f"file:{path}", path.stat().st_size, 0)
    assert read("parquet", [file], "t TIMESTAMP", **{option.lower(): mode}) == numbers(frame.toArrow())
    with pytest.raises(UnreadableFile, match=f"Set the option {option} to LEGACY"):
        read("parquet", [file], "t TIMESTAMP", **{option.lower(): "exception"})
    with pytest.raises(InvalidOption, match=f"{option} is 'OLD'"):
        read("parquet", [file], "t TIMESTAMP", **{option.lower(): "old"})


def test_hybrid_timestamps_of_another_zone_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    modes = {"spark__sql__parquet__int96RebaseModeInWrite": "LEGACY"}
    with settings(spark, spark__sql__session__timeZone="Asia/Shanghai", **modes):
        frame = spark.sql("SELECT TIMESTAMP'1500-06-01 10:00:00' AS t UNION ALL SELECT TIMESTAMP'2020-01-01 10:00:00'")
        frame.coalesce(1).write.parquet(f"file:{tmp_path}/written")
    with pytest.raises(UnreadableFile, match="hybrid calendar in the time zone Asia/Shanghai"):
        read("parquet", list(discover(f"file:{tmp_path}/written")), "t TIMESTAMP")


def test_dates_of_orc_are_hybrid(spark: SparkSession, tmp_path: Path) -> None:
    days = " UNION ALL ".join(f"SELECT DATE'{day}' AS d, array(DATE'{day}') AS a" for day in DAYS)
    spark.sql(days).coalesce(1).write.orc(f"file:{tmp_path}/written")
    frame = spark.read.orc(f"file:{tmp_path}/written")
    assert read("orc", list(discover(f"file:{tmp_path}/written")), frame.schema) == numbers(frame.toArrow())


@pytest.mark.parametrize(
    ("metadata", "option", "day"),
    [
        ({}, {}, -171_503),
        ({}, {"datetimerebasemode": "LEGACY"}, -171_513),
        ({"org.apache.spark.version": "2.4.8"}, {}, -171_513),
        ({"org.apache.spark.version": "4.2.0"}, {"datetimerebasemode": "LEGACY"}, -171_503),
        ({"org.apache.spark.version": "4.2.0", "org.apache.spark.legacyDateTime": ""}, {}, -171_513),
    ],
)
def test_avro_is_read_by_its_metadata_or_the_option(
    tmp_path: Path, metadata: dict[str, str], option: dict[str, str], day: int
) -> None:
    path = tmp_path / "a.avro"
    types = {"d": {"type": "int", "logicalType": "date"}, "t": {"type": "long", "logicalType": "timestamp-micros"}}
    schema = {"type": "record", "name": "r", "fields": [{"name": name, "type": kind} for name, kind in types.items()]}
    with path.open("wb") as file:
        fastavro.writer(file, schema, [{"d": -171_503, "t": -171_503 * 86_400_000_000}], metadata=metadata)
    found = read("avro", [SourceFile(f"file:{path}", path.stat().st_size, 0)], "d DATE, t TIMESTAMP", **option)
    assert found == {"d": [day], "t": [day * 86_400_000_000]}


def test_avro_has_times_beyond_python_s(tmp_path: Path) -> None:
    path = tmp_path / "a.avro"
    kinds = {"d": ("int", "date"), "t": ("long", "timestamp-micros"), "n": ("long", "local-timestamp-millis")}
    fields = [{"name": name, "type": {"type": avro, "logicalType": kind}} for name, (avro, kind) in kinds.items()]
    with path.open("wb") as file:
        row = {"d": 4_000_000, "t": -(2**62), "n": 10**15}
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, [row])
    found = read("avro", [SourceFile(f"file:{path}", path.stat().st_size, 0)], "d DATE, t TIMESTAMP, n TIMESTAMP_NTZ")
    assert found == {"d": [4_000_000], "t": [-(2**62)], "n": [10**18]}
