from __future__ import annotations

from importlib import import_module

import pytest
from IPython.core.interactiveshell import InteractiveShell
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from notebook_dialect.kernel import python_advice
from notebook_dialect.kernel.spark_advice import advice

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


UNKNOWN = "Correct the name, or install the package that has it."


@pytest.fixture
def shell() -> InteractiveShell:
    return InteractiveShell()


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("pandsa", "Did you mean `pandas`?"),
        ("datetme", "Did you mean `datetime`?"),
        ("pyspark.sql.functons", "Did you mean `pyspark.sql.functions`?"),
        ("nobody_knows_this", UNKNOWN),
        ("notebook_dialekt_of_mine", UNKNOWN),
        ("json.nobody_knows_this", UNKNOWN),
    ],
)
def test_a_module_that_is_not_there_is_never_installed_by_the_name_that_was_typed(
    shell: InteractiveShell, name: str, advice: str
) -> None:
    with pytest.raises(ModuleNotFoundError) as caught:
        import_module(name)
    assert python_advice.advice(shell, caught.value, caught.value.__traceback__, ()) == advice


TOLD = "numbers is a stream: a loop goes over its columns"


def test_a_loop_over_a_stream_says_what_it_goes_over(notebook) -> None:
    notebook.ok("numbers = spark.readStream.format('rate').load()")
    assert TOLD in notebook.ok("for row in numbers:\n    print(row)").text
    assert TOLD in notebook.ok("kept = [row for row in numbers]").text
    assert TOLD not in notebook.ok("def show(frame):\n    for row in numbers:\n        print(row)").text
    assert TOLD not in notebook.run("for row in numbers:\n    raise ValueError").text
    assert TOLD not in notebook.ok("for column in numbers.columns:\n    print(column)").text
    assert "is a stream" not in notebook.ok("few = spark.range(2)\nfor row in few.collect():\n    print(row)").text
    assert "is a stream" not in notebook.ok("for column in few:\n    print(column)").text


def test_a_writer_that_is_not_started_says_so_and_a_query_shows_itself(notebook) -> None:
    cell = notebook.ok("spark.readStream.format('rate').load().writeStream.format('memory').queryName('lost')")
    assert cell.text.strip() == "This stream is not started: add .start(), or .toTable(name)."
    shown = notebook.ok("spark.readStream.format('rate').load().writeStream.format('noop').start()").text
    assert "StreamingQuery" in shown and "not started" not in shown
    notebook.ok("[query.stop() for query in spark.streams.active]")
