"""Intervals and VARIANT in Parquet files that Spark wrote, compared with Spark's own reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InferenceFailed, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import find_format
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.source.plan import discover

if TYPE_CHECKING:
    from conftest import Ingestion

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")
SHREDDING = "spark.sql.variant.writeShredding.enabled"
INTERVALS = """SELECT INTERVAL '3' DAY AS d, INTERVAL '1 02:03:04.5' DAY TO SECOND AS s,
    named_struct('h', INTERVAL '5' HOUR) AS n, array(INTERVAL '-1' SECOND) AS a
    UNION ALL SELECT NULL, NULL, NULL, NULL"""


def read(file_format: str, files: list[SourceFile], schema: StructType | str) -> list[dict[str, Any]]:
    struct = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    found = find_format(file_format).read(files, ReadRequest(struct))
    return pa.Table.from_batches([rows.batch for rows in found]).to_pylist()


def test_intervals_of_parquet(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(INTERVALS).coalesce(1).write.parquet(f"file:{tmp_path}/written")
    files, frame = list(discover(f"file:{tmp_path}/written")), spark.read.parquet(f"file:{tmp_path}/written")
    schema = find_format("parquet").infer(files, InferRequest())
    assert schema == frame.schema
    assert read("parquet", files, schema) == frame.toArrow().to_pylist()
    numbers = spark.read.schema("d BIGINT").parquet(f"file:{tmp_path}/written")
    assert read("parquet", files, "d BIGINT") == numbers.toArrow().to_pylist()


def test_intervals_of_orc(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(INTERVALS).coalesce(1).write.orc(f"file:{tmp_path}/written")
    frame = spark.read.orc(f"file:{tmp_path}/written")
    found = read("orc", list(discover(f"file:{tmp_path}/written")), frame.schema)
    assert found == frame.toArrow().to_pylist()


def test_intervals_of_avro(tmp_path: Path) -> None:
    path = tmp_path / "a.avro"
    kind = {"type": "long", "spark.sql.catalyst.type": "interval day to second"}
    with path.open("wb") as file:
        schema = {"type": "record", "name": "r", "fields": [{"name": "i", "type": kind}]}
        fastavro.writer(file, schema, [{"i": 1_500_000}])
    files = [SourceFile(f"file:{path}", path.stat().st_size, 0)]
    inferred = find_format("avro").infer(files, InferRequest())
    assert inferred == StructType.fromDDL("i INTERVAL DAY TO SECOND")
    [row] = read("avro", files, inferred)
    assert row["i"].total_seconds() == 1.5


def test_an_interval_of_months_is_refused_and_read_as_a_number(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("SELECT INTERVAL '2' YEAR AS y").write.parquet(f"file:{tmp_path}/written")
    files = list(discover(f"file:{tmp_path}/written"))
    with pytest.raises(InferenceFailed, match=r"column y is INTERVAL YEAR.*cloudFiles\.schemaHints, 'y INT'"):
        find_format("parquet").infer(files, InferRequest())
    assert find_format("parquet").infer(files, InferRequest(hinted=frozenset({"y"}))).names == ["y"]
    assert read("parquet", files, "y INT") == [{"y": 24}]


@pytest.mark.parametrize("shredded", ["false", "true"])
def test_variants_are_those_that_were_written_or_refused(ingestion: Ingestion, shredded: str) -> None:
    spark, ingestion.format = ingestion.spark, "parquet"
    before = spark.conf.get(SHREDDING)
    spark.conf.set(SHREDDING, shredded)
    try:
        value = 'parse_json(\'{"a":[1,null,{"b":"x"}]}\')'
        frame = spark.sql(
            f"SELECT {value} AS v, array(parse_json('1.5'), NULL) AS n, 1 AS id UNION ALL SELECT NULL, NULL, 2"
        )
        frame.coalesce(1).write.mode("append").parquet(ingestion.url("in"))
    finally:
        spark.conf.set(SHREDDING, before)
    call = f"read_files('{ingestion.url('in')}', format => 'parquet')"
    if shredded == "true":
        with pytest.raises(PySparkException, match=r"column v has a shredded VARIANT.*to_json"):
            spark.sql(f"SELECT v FROM {call}").collect()
        with pytest.raises(UnreadableFile, match="shredded"):
            read("parquet", list(discover(ingestion.url("in"))), "v VARIANT")
        return
    columns = ["id", "CAST(v AS STRING)", "CAST(n AS ARRAY<STRING>)"]
    assert spark.sql(f"SELECT * FROM {call}").selectExpr(*columns).collect() == (
        spark.read.parquet(ingestion.url("in")).selectExpr(*columns).collect()
    )
