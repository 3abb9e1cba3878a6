"""What a pipeline reads by path and by topic is the test's own: Auto Loader, readers of files, SQL, Kafka's source."""

from __future__ import annotations

from pathlib import Path

import pytest

from declarative_pipelines.errors import NotMocked, PipelineError

pytestmark = pytest.mark.slow

AUTO_LOADER = """
    from pyspark import pipelines as dp

    @dp.table
    def orders():
        reader = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
        reader = reader.option("cloudFiles.inferColumnTypes", True)
        reader = reader.option("cloudFiles.schemaLocation", "/Volumes/main/landing/_schemas")
        return reader.load("/Volumes/main/landing/orders").select("id", "amount")
"""


def test_auto_loader_reads_the_files_of_the_test_each_once(under_test) -> None:
    pipeline = under_test(AUTO_LOADER)
    folder = pipeline.mock_files("/Volumes/main/landing/orders", {"1.json": [{"id": 1, "amount": 5}]})
    assert pipeline.run("orders").rows("orders") == [(1, 5)]
    pipeline.mock_files("/Volumes/main/landing/orders", {"new/2.json": '{"id": 2, "amount": 7}\n'})
    (folder / "3.json").write_text('{"id": 3, "amount": 8}')
    result = pipeline.run("orders")
    assert result.rows("orders") == [(1, 5), (2, 7), (3, 8)]
    assert result.dataset("orders").rows == 2


def test_a_folder_that_is_there_may_stand_for_a_path(under_test, tmp_path: Path) -> None:
    (tmp_path / "data" / "orders").mkdir(parents=True)
    (tmp_path / "data" / "orders" / "a.json").write_text('{"id": 1, "amount": 2}\n')
    pipeline = under_test(AUTO_LOADER)
    pipeline.mock_files("/Volumes/main/landing/", tmp_path / "data")
    assert pipeline.run("orders").rows("orders") == [(1, 2)]


@pytest.mark.parametrize(
    "read",
    [
        "spark.read.option('header', True).option('path', 's3://lake/cities').format('csv').load()",
        "spark.read.load(['s3://lake/cities/a.csv', 's3://lake/cities/b.csv'], format='csv', header=True)",
        "spark.readStream.schema('city STRING').option('header', 'true').csv(path='s3://lake/cities/*.csv')",
    ],
)
def test_readers_of_files_read_those_of_the_test(read: str, under_test) -> None:
    pipeline = under_test(f"""
        import dlt
        @dlt.table
        def cities():
            return {read}
    """)
    pipeline.mock_files("s3://lake/cities", {"a.csv": "city\nRome\n", "b.csv": b"city\nOslo\n"})
    assert pipeline.run().rows("cities") == [("Oslo",), ("Rome",)]


@pytest.mark.parametrize("read", ["STREAM read_files('/lake/cities', format => 'json')", "json.`dbfs:/lake/cities`"])
def test_sql_reads_the_files_of_the_test(read: str, under_test) -> None:
    table = "STREAMING TABLE" if "STREAM " in read else "MATERIALIZED VIEW"
    pipeline = under_test(f"CREATE {table} cities AS SELECT city FROM {read};", "cities.sql")
    pipeline.mock_files("/lake/cities", {"a.json": [{"city": "Rome"}]})
    assert pipeline.run().rows("cities") == [("Rome",)]


def test_files_of_production_are_not_read(under_test, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text('{"id": 1}')
    pipeline = under_test(f"""
        import dlt
        @dlt.table
        def real():
            return spark.read.json("{tmp_path}/real.json")
    """)
    with pytest.raises(NotMocked, match=r"real\.json, which this test has not mocked"):
        pipeline.run()


TOPIC = """
    import dlt
    from pyspark.sql import functions as F

    @dlt.table
    def clicks():
        reader = spark.readStream.format("kafka").options(subscribe="clicks", startingOffsets="earliest")
        records = reader.option("kafka.bootstrap.servers", "broker.example:9092").load()
        return records.select("topic", "offset", F.from_json(F.col("value").cast("STRING"), "id INT").id.alias("id"))
"""


def test_records_of_a_topic_are_those_of_the_test(under_test) -> None:
    pipeline = under_test(TOPIC)
    pipeline.mock_topic("views", ['{"id": 9}'])
    with pytest.raises(PipelineError, match="the topic clicks, which this test has not mocked"):
        pipeline.run()
    pipeline.mock_topic("clicks", [{"value": {"id": 1}}, '{"id": 2}'])
    assert pipeline.run().rows("clicks") == [("clicks", 0, 1), ("clicks", 1, 2)]
    pipeline.mock_topic("clicks", [b'{"id": 3}'])
    result = pipeline.run()
    assert result.rows("clicks") == [("clicks", 0, 1), ("clicks", 1, 2), ("clicks", 2, 3)]
    assert result.dataset("clicks").rows == 1
