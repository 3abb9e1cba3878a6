"""What is wrong with definitions, a selection or a flow is said in words, at the line where it stands."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.definitions.model import (
    Dataset,
    DatasetKind,
    Definitions,
    Expectation,
    SourceLocation,
    Violation,
)
from declarative_pipelines.errors import BadArgument
from declarative_pipelines.updates.expectations import apply_expectations
from declarative_pipelines.updates.flow_nodes import FlowNode, Selection, explain_failure, failed

from ..conftest import Pipeline

Wrong = Callable[..., str]

READS = "@dlt.table\ndef {}():\n    return spark.read.table({!r})\n"


def test_datasets_that_read_each_other_in_a_circle(wrong: Wrong) -> None:
    said = wrong(READS.format("a", "b") + READS.format("b", "c") + READS.format("c", "a"))
    assert "a reads b reads c reads a" in said and "pipeline.py, line" in said


def test_a_dataset_that_is_not_there_and_the_name_that_was_meant(wrong: Wrong) -> None:
    said = wrong(READS.format("orders", "source") + READS.format("total", "ordes"))
    assert said.startswith("pipeline.py, line 8: total reads ") and said.endswith("Did you mean orders?")


def test_a_name_that_is_taken(wrong: Wrong) -> None:
    said = wrong(READS.format("a", "source") + READS.format("a", "source"))
    assert said.startswith("pipeline.py, line 6: the name a is taken, by ")


@pytest.mark.parametrize(
    ("condition", "words"),
    [("v >", "no condition over its rows"), ("w > 1", "`w` cannot be resolved"), ("v + 1", "is int, and must be TRUE")],
)
def test_an_expectation_that_is_no_condition(wrong: Wrong, condition: str, words: str) -> None:
    said = wrong(f"@dlt.table\n@dlt.expect('bad', {condition!r})\ndef a():\n    return spark.read.table('source')\n")
    assert "the expectation 'bad' of a" in said and words in said and said.startswith("pipeline.py, line 3")


@pytest.mark.slow
@pytest.mark.parametrize(
    "action",
    ["collect()", "write.saveAsTable('x')", "writeStream.start()"],
)
def test_a_definition_that_runs_a_query(wrong: Wrong, action: str) -> None:
    said = wrong(f"@dlt.table\ndef a():\n    return spark.read.table('source').{action}\n")
    assert said.startswith(f"{action.partition('.')[0]} inside a definition") or "pipeline.py, line 5" in said
    assert "only describes its query" in said


def test_a_definition_that_runs_a_statement(wrong: Wrong) -> None:
    assert "inside a definition" in wrong("@dlt.table\ndef a():\n    return spark.sql('DROP TABLE source')\n")


def test_a_definition_without_a_return(wrong: Wrong) -> None:
    assert "a return is missing" in wrong("@dlt.table\ndef a():\n    spark.read.table('source')\n")


def test_an_error_of_python_is_shown_at_its_line(wrong: Wrong) -> None:
    said = wrong("@dlt.table\ndef a():\n    frame = spark.read.table('source')\n    return frame.where(nothing > 1)\n")
    assert said.startswith("pipeline.py, line 6: ") and "NameError" in said


def test_a_query_that_is_no_stream_into_a_streaming_table(wrong: Wrong) -> None:
    said = wrong(
        "dlt.create_streaming_table('a')\n@dlt.append_flow(target='a')\ndef f():\n    return spark.read.table('source')"
    )
    assert "is no stream" in said


def test_a_stream_into_a_materialized_view(wrong: Wrong) -> None:
    text = "@dp.materialized_view\ndef a():\n    return spark.readStream.table('source')"
    assert "its query is a stream" in wrong(f"from pyspark import pipelines as dp\n{text}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dlt.create_streaming_table('a')", "nothing writes to a"),
        ("@dlt.append_flow(target='b')\ndef f(): ...\n@dlt.table\ndef bb(): ...", "Did you mean bb?"),
        (
            "dlt.create_sink('a', 'noop')\n@dlt.append_flow(target='a', once=True)\ndef f(): ...",
            "is a sink, which cannot tell whether it did",
        ),
        ("@dlt.table(path='/x')\ndef a(): ...", "leave path= out"),
        ("@dlt.table(colour='red')\ndef a(): ...", "no argument 'colour'"),
        ("dlt.on_event_hook", "event hooks are not here"),
        ("1 / 0", "ZeroDivisionError"),
        ("def", "this is no Python"),
        ("spark.conf.get('shop.day')", "run_pipeline(..., configuration={'shop.day': ...})"),
        ("@dlt.table\ndef a(): return spark.range(int(spark.conf.get('n')))", "configuration={'n': ...}"),
    ],
)
def test_what_cannot_be_meant_or_had(wrong: Wrong, text: str, words: str) -> None:
    said = wrong(text)
    assert words in said and said.startswith("pipeline.py, line ")


def test_names_that_are_refreshed_must_be_there(pipeline: Pipeline) -> None:
    pipeline.land(1)
    pipeline.write(READS.format("orders", "source"))
    with pytest.raises(BadArgument, match=r"Did you mean orders\?"):
        pipeline.run(refresh=["ordrs"])


def test_frames_of_many_kinds_are_planned_on_a_first_update(pipeline: Pipeline) -> None:
    pipeline.land(1)
    pipeline.write("""
        from pyspark.sql.window import Window
        def define(name, make):
            dlt.table(name=name)(make)
        base = lambda: spark.readStream.table("source")
        whole = lambda: spark.read.table("base")
        define("base", base)
        define("dropped", lambda: dlt.read_stream("base").drop("v"))
        define("deduplicated", lambda: dlt.read_stream("base").dropDuplicates(["n"]))
        define("filled", lambda: whole().fillna(0).na.drop(subset=["n"]))
        define("by_columns", lambda: whole().select([F.col(c).alias(c.upper()) for c in whole().columns]))
        define("by_udf", lambda: whole().select(F.udf(lambda x: str(x), "string")("n").alias("text")))
        define("joined", lambda: whole().alias("a").join(whole().alias("b"), "n").select("a.n"))
        define("ranked", lambda: whole().withColumn("r", F.row_number().over(Window.orderBy("n"))))
        define("local", lambda: spark.createDataFrame([(1,)], "n INT").join(whole(), "n"))
        define("by_sql", lambda: spark.sql("WITH t AS (SELECT * FROM LIVE.base) SELECT count(*) AS n FROM t"))
        define("by_sql_stream", lambda: spark.sql("SELECT n FROM STREAM(base)"))
        define("qualified", lambda: spark.table("spark_catalog." + spark.catalog.currentDatabase() + ".base"))
    """)
    update = pipeline.run(dry_run=True)
    assert update.error is None and len(update.datasets) == 12


@pytest.mark.slow
def test_names_of_catalogs_that_are_mapped_are_databases_with_the_catalogs_prefix(pipeline: Pipeline) -> None:
    pipeline.land(1, 2)
    pipeline.write(f"""
        @dlt.table(name="shop.{pipeline.database}.orders")
        def orders():
            return spark.readStream.table("samples.{pipeline.database}.source")
        @dlt.table
        def total():
            return spark.sql("SELECT sum(v) AS v FROM shop.{pipeline.database}.orders")
    """)
    pipeline.write(
        f"""
        USE CATALOG shop;
        USE SCHEMA {pipeline.database};
        CREATE MATERIALIZED VIEW largest AS SELECT max(v) AS v FROM hive_metastore.{pipeline.database}.source;
        """,
        "more.sql",
    )
    mapped = {"pipelines.catalogs.shop": "shop_", "pipelines.catalogs.samples": ""}
    try:
        update = pipeline.run(configuration=mapped)
        assert update.error is None and pipeline.values("total") == [3]
        tables = {table.name for table in pipeline.spark.catalog.listTables(f"shop_{pipeline.database}")}
        assert tables == {"orders", "largest"}
    finally:
        pipeline.spark.sql(f"DROP SCHEMA IF EXISTS shop_{pipeline.database} CASCADE")


@pytest.mark.parametrize(
    "text",
    [
        "@dlt.table\ndef a():\n    return spark.read.table('samples.nyctaxi.trips')\n",
        "@dlt.table(name='samples.nyctaxi.trips')\ndef a():\n    return spark.read.table('source')\n",
    ],
)
def test_a_catalog_that_is_not_there_is_said_with_how_to_map_it(wrong: Wrong, text: str) -> None:
    said = wrong(text)
    assert "There is no catalog samples here" in said and "'pipelines.catalogs.samples': 'samples_'" in said


def test_conditions_are_kept_apart_however_they_are_written(spark: SparkSession) -> None:
    small = Expectation("small", "v = 1 OR v = 2 -- not more", Violation.DROP)
    large = Expectation("large", "v = 2 /* OR */ OR v = 3", Violation.DROP)
    kept = apply_expectations(spark.range(5).toDF("v"), "d", "f", [small, large])
    assert [row.v for row in kept.collect()] == [2]


ORDERS = Dataset("orders", DatasetKind.TABLE, SourceLocation("p.py", 7))
FLOW = FlowNode("orders", ORDERS, None, ORDERS)


def test_the_last_cause_in_the_jvm_is_the_reason() -> None:
    stack = "\n\tat x.Y(Z:1)\n"
    text = f"An error\n: a.B: [TASK_WRITE_FAILED] no{stack}Caused by: c.D: [BAD] the reason{stack}"
    assert str(failed(RuntimeError(text), FLOW)) == "orders was not updated: [BAD] the reason"


def test_workers_of_another_python_say_which_one_to_use() -> None:
    def text(module: str) -> str:
        return (
            f"[PYTHON_EXCEPTION] Traceback:\n  File 'x.py', line 1\nModuleNotFoundError: No module named '{module}'\n"
        )

    error = RuntimeError(text("pyarrow"))
    for said in (str(failed(error, FLOW)), str(explain_failure(error, FLOW))):
        assert "a Python that has no pyarrow" in said and f"PYSPARK_PYTHON={sys.executable}" in said
    # A module that nobody has is a mistake of the definition's.
    assert "PYSPARK_PYTHON" not in str(failed(RuntimeError(text("no_such_module")), FLOW))


def table(name: str, **properties: str) -> Dataset:
    location = SourceLocation("p.py", 1)
    return Dataset(name, DatasetKind.STREAMING_TABLE, location, properties=properties)


@pytest.fixture
def definitions() -> Definitions:
    view = Dataset("view", DatasetKind.TEMPORARY_VIEW, SourceLocation("p.py", 9))
    kept = table("kept", **{"pipelines.reset.allowed": "FALSE"})
    return Definitions(datasets=[table("a", **{"pipelines.reset.allowed": "true"}), table("b"), kept, view])


def test_names_are_read_from_the_beginning_and_all_but_what_may_not_be_reset(definitions: Definitions) -> None:
    assert Selection.of((), (), False).emptied(definitions) == frozenset()
    assert Selection.of("kept", (), False).emptied(definitions) == frozenset()
    assert Selection.of((), "LIVE.a", False).emptied(definitions) == {"a"}
    assert Selection.of((), (), True).emptied(definitions) == {"a", "b", "view"}


@pytest.mark.parametrize(
    ("name", "words"),
    [("kept", "pipelines.reset.allowed = false"), ("c", "no dataset c"), ("view", "is a view")],
)
def test_a_name_that_cannot_be_refreshed_in_full_is_refused(definitions: Definitions, name: str, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        Selection.of((), name, False).emptied(definitions)
