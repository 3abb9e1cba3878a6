from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from pyspark.errors import ParseException
from pyspark.sql import SparkSession

from streaming_classroom import sql_magic
from streaming_classroom.sql_magic import _sql_cell_to_cell_magic as transform
from streaming_classroom.sql_magic import _statements

Run = Callable[[str], ExecutionResult]


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """Have a real IPython shell with the magic, installed twice as by a setup cell that is run again."""
    shell = InteractiveShell.instance()
    sql_magic.install(shell)
    sql_magic.install(shell)
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def run(spark: SparkSession, shell: InteractiveShell) -> Run:
    """Run a cell as a learner would."""
    return lambda cell: shell.run_cell(cell, store_history=True)


@pytest.mark.parametrize(
    ("cell", "transformed"),
    [
        ("%sql\nSELECT 1\n", "%%sql\nSELECT 1\n"),
        ("%sql SELECT 1", "%%sql\nSELECT 1\n"),
        ("\n  \n%sql\nSELECT 1\n", "%%sql\nSELECT 1\n"),
        ("%sql SELECT\n  1\n", "%%sql\nSELECT\n  1\n"),
        ("%sql\t SELECT 1  \n", "%%sql\nSELECT 1\n"),
        ("  %sql\n  SELECT 1\n", "%%sql\n  SELECT 1\n"),
        ("%sql", "%sql\n"),
        ("%sql\n\n \n", "%sql\n"),
    ],
)
def test_a_cell_that_begins_so_is_sql_to_its_end(cell: str, transformed: str) -> None:
    assert "".join(transform(cell.splitlines(keepends=True))) == transformed


@pytest.mark.parametrize(
    "cell", ["", "\n", "%sqlx\nSELECT 1", "%%sql\nSELECT 1", "x = 1\n%sql SELECT 1", "# %sql", "'%sql'", "%md sql", "%"]
)
def test_any_other_cell_is_left_alone(cell: str) -> None:
    lines = cell.splitlines(keepends=True)
    assert transform(lines) == lines


@given(st.text(alphabet=" \t\n\r%sqlx;'é\x0b\x0c\u2028"))
@example("%sql\x0cSELECT 1")
def test_no_cell_breaks_the_transform_and_twice_is_once(cell: str) -> None:
    lines = cell.splitlines(keepends=True)
    once = transform(list(lines))
    assert transform(once) == once or once == ["%sql\n"]
    is_sql = cell.split(None, 1)[:1] == ["%sql"]
    assert is_sql or once == lines


@given(st.lists(st.text(alphabet="SELECT 1;'\"`-/*é\\", min_size=1).map(str.strip).filter(bool), min_size=1))
def test_the_lines_below_the_first_are_sql_as_they_are(lines: list[str]) -> None:
    below = [line + "\n" for line in lines]
    assert transform(["%sql\n", *below]) == ["%%sql\n", *below]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;\nSELECT 2;\n", ["SELECT 1", "SELECT 2"]),
        ("SELECT 'a;b'; SELECT \"c;d\"", ["SELECT 'a;b'", 'SELECT "c;d"']),
        ("SELECT `a;b`; SELECT 2", ["SELECT `a;b`", "SELECT 2"]),
        (r"SELECT 'it\'s; one'; SELECT 2", [r"SELECT 'it\'s; one'", "SELECT 2"]),
        ("/* a; b */ SELECT 1; SELECT 2", ["/* a; b */ SELECT 1", "SELECT 2"]),
        ("SELECT 1 -- it's; one\n; SELECT 2", ["SELECT 1 -- it's; one", "SELECT 2"]),
        ("SELECT 1;;; SELECT 2", ["SELECT 1", "SELECT 2"]),
        ("SELECT CASE WHEN true THEN 1 END; SELECT 2", ["SELECT CASE WHEN true THEN 1 END", "SELECT 2"]),
        ("SELECT 1;\n-- the end", ["SELECT 1"]),
        ("-- nothing but a comment", []),
        (";", []),
        (" \n", []),
    ],
)
def test_statements_end_at_semicolons_outside_of_strings_and_comments(text: str, statements: list[str]) -> None:
    assert [statement for statement in _statements(text)] == statements


def test_installing_again_changes_nothing(shell: InteractiveShell) -> None:
    assert shell.input_transformer_manager.cleanup_transforms.count(transform) == 1


def test_the_last_result_is_shown_and_kept(run: Run, shell: InteractiveShell, capsys) -> None:
    assert run("\n%sql SELECT 1 AS first;\nSELECT 'a;b' AS second -- ;\n;").success
    assert capsys.readouterr().out == "second\n   a;b\n(1 row)\n"
    assert shell.user_ns["_sqldf"].columns == ["second"]


def test_statements_run_in_order_and_one_without_a_result_shows_nothing(run: Run, spark: SparkSession, capsys) -> None:
    assert run("%sql\nCREATE TEMP VIEW a AS SELECT 1 AS x;\nCREATE TEMP VIEW b AS SELECT x + 1 AS y FROM a").success
    assert capsys.readouterr().out == ""
    assert spark.table("b").first()["y"] == 2


def test_settings_of_spark_are_put_in(run: Run, spark: SparkSession, capsys) -> None:
    spark.conf.set("da.paths.mine", "dbfs:/mnt/mine")
    run("%sql SELECT '${da.paths.mine}' AS path")
    assert "dbfs:/mnt/mine" in capsys.readouterr().out


def test_braces_and_dollars_are_not_pythons(run: Run, shell: InteractiveShell, capsys) -> None:
    shell.user_ns["x"] = "from Python"
    run("%sql SELECT '{x} $x' AS text")
    assert "{x} $x" in capsys.readouterr().out


def test_a_streaming_result_is_a_live_query(run: Run, spark: SparkSession, capsys) -> None:
    rows = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    rows.createOrReplaceTempView("rows_view")
    assert run("%sql SELECT count(*) AS n FROM rows_view").success
    assert "(display_query_1: 1 row)" in capsys.readouterr().out
    assert [query.name for query in spark.streams.active] == ["display_query_1"]


@pytest.mark.parametrize("cell", ["%sql", "%sql\n\n", "%sql\n-- only a comment"])
def test_a_cell_without_a_statement_does_nothing(run: Run, cell: str, capsys) -> None:
    assert run(cell).success
    assert capsys.readouterr() == ("", "")


def test_an_error_in_the_sql_is_sparks_and_stops_the_cell(run: Run, spark: SparkSession, capsys) -> None:
    result = run("%sql\nCREATE TEMP VIEW before AS SELECT 1;\nSELEC 2;\nCREATE TEMP VIEW after AS SELECT 1")
    assert isinstance(result.error_in_exec, ParseException)
    assert [table.name for table in spark.catalog.listTables() if table.isTemporary] == ["before"]


def test_the_double_percent_sign_works_too(run: Run, capsys) -> None:
    assert run("%%sql\nSELECT 1 AS one").success
    assert "one" in capsys.readouterr().out
