from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from notebook_dialect.kernel.spark_advice import advice
from notebook_dialect.session.spark_methods import FORMATS

PLACE = "Correct the statement there: a keyword, a comma or a parenthesis before it."
NO_FORMAT = "[DATA_SOURCE_NOT_FOUND] Failed to find the data source: {}. Make sure the provider name is correct."


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELEC id FROM orders", "Did you mean `SELECT`?"),
        ("-- all of them\nSELCET id FROM orders", "Did you mean `SELECT`?"),
        ("SELECT id FRM orders", "Did you mean `FROM`?"),
        ("SELECT * FORM orders", "Did you mean `FROM`?"),
        ("SELECT id\nFROM orders WHER id = 1", "Did you mean `WHERE`?"),
        ("SELECT id FROM orders GRUP BY id", "Did you mean `GROUP`?"),
        ("SELECT id FROM orders o LIMT 5", "Did you mean `LIMIT`?"),
        ("CREATE TABL orders (id INT)", "Did you mean `TABLE`?"),
        ("SELECT id FROM o orders tables", PLACE),
        ("SELECT id orders tables", PLACE),
        ("SELECT key value selected FROM t", PLACE),
        ("SELECT count(* FROM orders", PLACE),
        ("orders", PLACE),
    ],
)
def test_a_keyword_is_proposed_for_a_keyword_and_never_for_a_name(
    spark: SparkSession, statement: str, said: str
) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql(statement)
    text = str(caught.value)
    assert advice(text.strip().splitlines()[0], "", {}, text) == said


def test_a_table_is_proposed_where_it_is_nearly_the_same(spark: SparkSession) -> None:
    spark.range(1).createOrReplaceTempView("orders")
    message = "[TABLE_OR_VIEW_NOT_FOUND] The table or view `{}` cannot be found."
    assert advice(message.format("oders"), "", {"spark": spark}) == "Did you mean `orders`?"
    assert "SHOW TABLES" in str(advice(message.format("others"), "", {"spark": spark}))
    spark.catalog.dropTempView("orders")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kafkaa", "Did you mean `kafka`?"),
        ("rate-micro-bach", "Did you mean `rate-micro-batch`?"),
        ("binaryfile2", "Did you mean `binaryFile`?"),
        ("snowflake", "Write a format that is there: json, csv, "),
        ("delta", "The package that has the format `delta` is not in this session"),
    ],
)
def test_a_format_that_is_not_there(name: str, said: str) -> None:
    assert said in str(advice(NO_FORMAT.format(name), "", {}))


@pytest.mark.parametrize(
    ("name", "package"), [("kafka", "spark-sql-kafka-0-10_2.13:4."), ("avro", "spark-avro_2.13:4.")]
)
def test_a_package_of_sparks_that_is_missing_is_named(name: str, package: str) -> None:
    said = advice(f"Failed to find data source: {name}. Please deploy the application as per the guide.", "", {})
    assert package in str(said) and "spark.jars.packages" in str(said)


def test_an_internal_error_has_advice_where_its_cause_is_time_travel_of_a_stream() -> None:
    message = "[INTERNAL_ERROR] The Spark SQL phase analysis failed with an internal error."
    cause = "Caused by: java.lang.AssertionError: assertion failed: time travel is not allowed in streaming"
    assert "startingVersion" in str(advice(message, "", {}, f"{message}\n\tat org.apache.X\n{cause}\n"))
    assert advice(message, "", {}, f"{message}\n\tat org.apache.X\n") is None


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "[STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION] Invalid streaming output mode: update. This output mode is "
            "not supported for session window streaming aggregations on streaming DataFrames/DataSets.",
            "sessions have no update mode",
        ),
        (
            "Distinct aggregations are not supported on streaming DataFrames/Datasets. Consider using "
            "approx_count_distinct() instead.",
            "`approx_count_distinct`",
        ),
    ],
)
def test_an_aggregation_that_no_output_mode_or_not_this_one_can_run(message: str, said: str) -> None:
    assert said in str(advice(message, "", {}))


def test_every_format_of_spark_is_known(spark: SparkSession) -> None:
    jvm = spark._jvm
    loader = jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()
    register = loader.loadClass("org.apache.spark.sql.sources.DataSourceRegister")
    providers, names = jvm.java.util.ServiceLoader.load(register, loader).iterator(), []
    while providers.hasNext():
        names.append(providers.next().shortName())
    assert "kafka" in names and "delta" in names
    assert [name for name in names if name not in FORMATS] == []
