"""A pipeline under test: mocked inputs, a part of its datasets, rows, frames and counts, and nothing left behind."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.testing import assertDataFrameEqual

from declarative_pipelines.errors import BadArgument, ExpectationFailed, NotMocked, PipelineError
from declarative_pipelines.testing import PipelineTest

ORDERS = """
    from pyspark import pipelines as dp
    from pyspark.sql import functions as F

    @dp.temporary_view
    def numbered():
        return spark.readStream.table("main.landing.raw_orders").where("order_id IS NOT NULL")

    @dp.table
    @dp.expect_or_drop("valid amount", "amount > 0")
    @dp.expect("known customer", "customer IS NOT NULL")
    def orders():
        return spark.readStream.table("numbered").withColumn("cents", (F.col("amount") * 100).cast("INT"))

    @dp.materialized_view(name="gold.per_customer")
    @dp.expect_or_fail("some orders", "orders > 0")
    def per_customer():
        names = spark.read.table("main.crm.customers")
        counted = spark.read.table("orders").groupBy("customer").agg(F.count("*").alias("orders"))
        return counted.join(names, "customer", "left")

    @dp.materialized_view
    def largest():
        return spark.sql("SELECT max(p.orders) AS orders FROM gold.per_customer p")

    @dp.table
    def elsewhere():
        return spark.readStream.format("cloudFiles").option("cloudFiles.format", "json").load("/Volumes/main/x/y")
"""
RAW = [Row(order_id=1, customer="Ada", amount=5.0), Row(order_id=2, customer=None, amount=-1.0)]


@pytest.mark.slow
def test_only_what_is_asked_for_and_what_it_needs_is_run(under_test) -> None:
    pipeline = under_test(ORDERS)
    pipeline.mock("main.landing.raw_orders", RAW)
    result = pipeline.run("orders")
    assert result.rows("orders") == [Row(order_id=1, customer="Ada", amount=5.0, cents=500)]
    valid = result.expectation("orders", "valid amount")
    assert (valid.passed, valid.failed, valid.dropped) == (1, 1, 1)
    assert result.expectation("orders", "known customer").failed == 1
    assert [one.name for one in result.update.datasets] == ["numbered", "orders"]
    assertDataFrameEqual(result.frame("orders").select("customer", "amount"), [Row(customer="Ada", amount=5.0)])


def test_a_second_run_reads_what_was_appended_and_the_first_result_stays(under_test) -> None:
    pipeline = under_test(ORDERS)
    pipeline.mock("main.landing.raw_orders", RAW)
    first = pipeline.run("orders")
    pipeline.append("main.landing.raw_orders", [{"order_id": 3, "amount": 2.5}])
    second = pipeline.run("orders")
    assert [row.order_id for row in first.rows("orders")] == [1]
    assert second.rows("orders") == [(1, "Ada", 5.0, 500), (3, None, 2.5, 250)]
    assert (second.dataset("orders").rows, second.expectation("orders", "valid amount").failed) == (1, 0)
    again = pipeline.run("orders", full_refresh=True)
    assert again.dataset("orders").rows == 2


@pytest.mark.slow
def test_a_mocked_dataset_is_not_run_and_names_with_databases_are_the_tests_own(under_test, spark) -> None:
    spark.sql("CREATE SCHEMA IF NOT EXISTS gold")
    spark.sql("CREATE OR REPLACE TABLE gold.per_customer USING delta AS SELECT 'production' AS customer")
    try:
        pipeline = under_test(ORDERS)
        pipeline.mock("orders", [{"customer": "Ada"}, {"customer": "Ada"}, {"customer": "Bo"}])
        pipeline.mock("main.crm.customers", [("Ada", "Rome")], schema="customer STRING, city STRING")
        result = pipeline.run("largest", "gold.per_customer")
        assert result.rows("gold.per_customer") == [("Ada", 2, "Rome"), ("Bo", 1, None)]
        assert result.rows("largest") == [(2,)]
        assert [row.customer for row in spark.table("gold.per_customer").collect()] == ["production"]
    finally:
        spark.sql("DROP SCHEMA gold CASCADE")


@pytest.mark.slow
def test_a_view_that_is_asked_for_has_rows(under_test) -> None:
    pipeline = under_test(ORDERS)
    pipeline.mock("main.landing.raw_orders", [*RAW, Row(order_id=None, customer="Di", amount=1.0)])
    assert [row.order_id for row in pipeline.run("numbered").rows("numbered")] == [1, 2]
    with pytest.raises(BadArgument, match="a view has rows where run\\(\\) names it"):
        pipeline.run("orders").rows("numbered")


@pytest.mark.slow
def test_a_record_that_fails_the_update_is_raised_or_told(under_test) -> None:
    pipeline = under_test("""
        import dlt
        @dlt.table
        @dlt.expect_or_fail("small", "n < 2")
        def numbers():
            return spark.read.table("source")
    """)
    pipeline.mock("source", [{"n": 1}, {"n": 2}])
    with pytest.raises(ExpectationFailed, match="'small'"):
        pipeline.run("numbers")
    result = pipeline.run("numbers", check=False)
    assert isinstance(result.error, ExpectationFailed) and result.error.record == '{"n":2}'


@pytest.mark.slow
@pytest.mark.parametrize("read", ["spark.read.table('shop.prices')", "spark.sql('SELECT * FROM shop.prices')"])
def test_a_table_of_production_is_not_read(read: str, under_test, spark: SparkSession) -> None:
    spark.sql("CREATE SCHEMA IF NOT EXISTS shop")
    spark.sql("CREATE OR REPLACE TABLE shop.prices USING delta AS SELECT 1 AS price")
    try:
        pipeline = under_test(f"""
            import dlt
            @dlt.table
            def prices():
                return {read}
        """)
        with pytest.raises(PipelineError, match=r"shop\.prices"):
            pipeline.run("prices")
        pipeline.mock("shop.prices", [{"price": 7}])
        assert pipeline.run("prices").rows("prices") == [(7,)]
    finally:
        spark.sql("DROP SCHEMA shop CASCADE")


@pytest.mark.slow
def test_sql_files_with_their_names_and_change_flows(under_test) -> None:
    pipeline = under_test(
        """
        CREATE TEMPORARY VIEW changes AS SELECT c.* FROM STREAM(raw.feed) AS c WHERE c.id > 0;
        CREATE OR REFRESH STREAMING TABLE people;
        CREATE FLOW f AS AUTO CDC INTO people FROM STREAM(changes) KEYS (id) APPLY AS DELETE WHEN op = 'D'
            SEQUENCE BY at COLUMNS * EXCEPT (op, at) STORED AS SCD TYPE 1;
        """,
        "people.sql",
    )
    feed = [(1, "Ada", "U", 1), (2, "Bo", "U", 1), (1, None, "D", 2)]
    pipeline.mock("raw.feed", feed, "id INT, name STRING, op STRING, at INT")
    assert pipeline.run("people").rows("people") == [(2, "Bo")]
    pipeline.append("raw.feed", [(2, "Bob", "U", 3)])
    assert pipeline.run("people").rows("people") == [(2, "Bob")]


@pytest.mark.slow
def test_what_goes_into_a_sink_is_a_table_of_the_test(under_test, tmp_path: Path) -> None:
    pipeline = under_test(f"""
        import dlt
        dlt.create_sink("out", "delta", {{"path": "{tmp_path}/production"}})
        @dlt.append_flow(target="out")
        def all_of_it():
            return spark.readStream.table("source")
    """)
    pipeline.mock("source", [{"n": 1}])
    assert pipeline.run("out").rows("out") == [(1,)]
    assert not (tmp_path / "production").exists()


@pytest.mark.slow
def test_nothing_is_left(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text(dedent(ORDERS))
    databases = {one.name for one in spark.catalog.listDatabases()}
    before = spark.catalog.currentDatabase()
    with PipelineTest(tmp_path, spark=spark) as pipeline:
        pipeline.mock("main.landing.raw_orders", RAW)
        folder = pipeline.mock_files("/Volumes/a", {"a.txt": "a"}).parents[1]
        pipeline.run("orders")
        assert {one.name for one in spark.catalog.listDatabases()} > databases
    assert {one.name for one in spark.catalog.listDatabases()} == databases
    assert not folder.exists()
    assert spark.catalog.currentDatabase() == before
    spark.sql("SELECT 1").collect()
    assert spark.read.text(tmp_path.as_uri()).count() > 0  # reads are Spark's own again


@pytest.mark.parametrize(
    ("rows", "schema", "words"),
    [
        ([], None, "source is mocked with no rows. Give their types"),
        ([(1,)], None, "rows without names of columns"),
        ([{"n": None}], None, "The types of source are not to be told"),
        ([{"m": 1}], "n INT", "source has no column m, which a mocked row has. It has n"),
    ],
)
def test_rows_that_do_not_say_what_they_are_are_refused(rows, schema, words: str, under_test) -> None:
    with pytest.raises(BadArgument, match=words):
        under_test(ORDERS).mock("source", rows, schema)


@pytest.mark.slow
def test_mistakes_of_a_test_are_named(under_test) -> None:
    pipeline = under_test(ORDERS)
    with pytest.raises(BadArgument, match=r"no dataset order, or the test has mocked it\. Did you mean orders"):
        pipeline.run("order")
    with pytest.raises(BadArgument, match="is not mocked yet"):
        pipeline.append("main.landing.raw_orders", RAW)
    pipeline.mock("main.landing.raw_orders", RAW)
    result = pipeline.run("orders")
    with pytest.raises(BadArgument, match=r"orders has no expectation 'valid'.*'valid amount', 'known customer'"):
        result.expectation("orders", "valid")
    with pytest.raises(BadArgument, match="has made no table largest"):
        result.rows("largest")
    with pytest.raises(NotMocked, match=r"the path /Volumes/main/x/y, .* pipeline.mock_files\('/Volumes/main/x/y'"):
        pipeline.run("elsewhere")
