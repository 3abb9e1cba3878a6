"""``input_file_name()`` over streams of ``cloudFiles``, wherever it may stand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

Place = Callable[[DataFrame], DataFrame]


@pytest.fixture
def files(ingestion):
    """Have two files, one with a blank in its name, of two rows each."""
    ingestion.schema = "id INT"
    ingestion.put("one.json", {"id": 1}, {"id": 2})
    ingestion.put("the two.json", {"id": 3}, {"id": 4})
    return ingestion


def with_view(query: str) -> Place:
    def place(frame: DataFrame) -> DataFrame:
        frame.createOrReplaceTempView("files_of")
        frame.sparkSession.sql("CREATE OR REPLACE TEMP VIEW of_a_view AS SELECT * FROM files_of")
        return frame.sparkSession.sql(query)

    return place


PLACES: dict[str, Place] = {
    "select": lambda frame: frame.select("id", F.input_file_name().alias("file")),
    "withColumn": lambda frame: frame.withColumn("file", F.input_file_name()),
    "withColumn later": lambda frame: frame.select("id").where("id > 0").withColumn("file", F.input_file_name()),
    "selectExpr": lambda frame: frame.selectExpr("id", "input_file_name() AS file"),
    "within an expression": lambda frame: frame.select("id", F.concat(F.lit(""), F.input_file_name()).alias("file")),
    "beside _metadata": lambda frame: frame.select("id", F.input_file_name().alias("file"), "_metadata.file_size"),
    "a view": with_view("SELECT id, input_file_name() AS file FROM files_of"),
    "a view of a view": with_view("SELECT id, input_file_name() AS file FROM of_a_view WHERE id > 0"),
    "a subquery": with_view("SELECT id, file FROM (SELECT *, input_file_name() AS file FROM files_of)"),
    "a watermark": lambda frame: (
        frame.withColumn("at", F.current_timestamp())
        .withWatermark("at", "1 second")
        .withColumn("file", F.input_file_name())
    ),
    "a join": lambda frame: frame.withColumn("file", F.input_file_name()).join(frame.sparkSession.range(9), "id"),
}


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_each_row_has_the_path_of_its_file(files, place: str) -> None:
    files.run(PLACES[place](files.frame()))
    found = {row.id: row.file for row in files.rows("id", "file")}
    native = files.spark.read.schema("id INT").json(files.url("in")).select("id", "_metadata.file_path")
    assert found == {row.id: row.file_path for row in native.collect()}
    assert found[3].endswith("/in/the%20two.json")


@pytest.mark.slow
def test_rows_are_filtered_by_their_file(files) -> None:
    files.run(files.frame().where(F.input_file_name().endswith("/one.json")))
    assert sorted(row.id for row in files.rows("id")) == [1, 2]


@pytest.mark.slow
def test_sql_functions_have_it(files, spark: SparkSession) -> None:
    options = "map('cloudFiles.schemaLocation', '{}')".format(files.url("schema"))
    frame = spark.sql(f"SELECT *, input_file_name() AS file FROM cloud_files('{files.url('in')}', 'json', {options})")
    files.run(frame)
    assert {row.file.rpartition("/")[2] for row in files.rows("file")} == {"one.json", "the%20two.json"}


def test_other_frames_know_no_file_afterwards(files) -> None:
    files.run(PLACES["select"](files.frame()))
    assert {row[0] for row in files.spark.range(8).select(F.input_file_name()).collect()} == {""}


@pytest.mark.slow
@pytest.mark.parametrize("file_format", ["json", "parquet"])
@pytest.mark.parametrize("given", [True, False])
def test_a_column_of_the_data_comes_before_that_of_the_file(ingestion, file_format: str, given: bool) -> None:
    own = "named_struct('file_path', 'mine', 'n', 1) AS _metadata"
    ingestion.format = file_format
    ingestion.spark.sql(f"SELECT 1 AS id, {own}").write.format(file_format).mode("append").save(ingestion.url("in"))
    native = ingestion.spark.read.format(file_format).load(ingestion.url("in"))
    if given:
        ingestion.schema = native.schema
    ingestion.run(schemaHints=None if given else "_metadata STRUCT<file_path: STRING, n: INT>, id INT")
    expected = native.selectExpr("CAST(id AS INT)", "_metadata.file_path", "CAST(_metadata.n AS INT)").collect()
    assert ingestion.rows("id", "_metadata.file_path", "_metadata.n") == expected


@pytest.mark.slow
def test_a_column_of_the_data_may_look_like_that_of_the_file(files) -> None:
    kept = files.spark.read.schema("id INT").json(files.url("in")).select("id", "_metadata")
    kept.write.parquet(files.url("kept"))
    frame = files.spark.readStream.format("cloudFiles").option("cloudFiles.format", "parquet")
    frame = frame.option("cloudFiles.schemaLocation", files.url("checkpoint")).load(files.url("kept"))
    assert "_metadata" in frame.columns
    files.run(frame.select("id", "_metadata.file_name"))
    assert {row.file_name for row in files.rows("file_name")} == {"one.json", "the%20two.json"}
