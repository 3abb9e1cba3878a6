"""``%sql`` in a real kernel (row 4 of the dialect)."""

from __future__ import annotations

import pytest


def test_the_last_result_is_shown_and_kept(notebook) -> None:
    result = notebook.ok("\n%sql SELECT 1 AS first;\nSELECT 'a;b' AS second -- ;\n;")
    assert result.text == "second\n   a;b\n(1 row)\n"
    assert "<td" in result.html and [out.get("name") for out in result.outputs] == [None]
    assert notebook.value("_sqldf.columns") == ["second"]


def test_statements_run_in_order_and_one_without_a_result_shows_nothing(notebook) -> None:
    views = "%sql\nCREATE OR REPLACE TEMP VIEW a AS SELECT 1 AS x;\nCREATE OR REPLACE TEMP VIEW b AS SELECT x + 1 AS y FROM a"
    assert notebook.ok(views).outputs == []
    assert notebook.value("spark.table('b').first().y") == 2


def test_settings_of_spark_are_put_in(notebook) -> None:
    notebook.ok("spark.conf.set('da.paths.mine', 'dbfs:/mnt/mine')")
    assert "dbfs:/mnt/mine" in notebook.ok("%sql SELECT '${da.paths.mine}' AS path").text


def test_widgets_are_put_in(notebook) -> None:
    notebook.ok("dbutils.widgets.text('day', '3')\ndbutils.widgets.text('word', \"it's\")")
    assert "4" in notebook.ok("%sql SELECT ${day} + 1 AS n").text
    assert "3$.day $dayx" in notebook.ok("%sql SELECT '$day' || '$.day $dayx' AS text").text
    assert (
        "it's!"
        in notebook.ok("%sql SELECT :word || '!' AS text, m.a::string FROM (SELECT named_struct('a', 1) AS m)").text
    )
    notebook.ok("dbutils.widgets.removeAll()")


def test_braces_and_dollars_are_not_pythons(notebook) -> None:
    notebook.ok("x = 'from Python'")
    assert "{x} $x" in notebook.ok("%sql SELECT '{x} $x' AS text").text


def test_a_block_of_sql_scripting_is_one_statement(notebook) -> None:
    script = "%sql\nBEGIN\n  DECLARE total INT DEFAULT 1;\n  SET total = total + 41;\n  SELECT total;\nEND;"
    assert "42" in notebook.ok(script).text


@pytest.mark.slow
def test_a_streaming_result_is_a_live_query(notebook) -> None:
    notebook.ok(
        "spark.readStream.format('rate').option('rowsPerSecond', 100).load().createOrReplaceTempView('rows_view')"
    )
    assert "(display_query_1: 1 row)" in notebook.ok("%sql SELECT count(*) AS n FROM rows_view").text
    assert notebook.value("[query.name for query in spark.streams.active]") == ["display_query_1"]


@pytest.mark.parametrize("cell", ["%sql", "%sql\n\n", "%sql\n-- only a comment", "%%sql\n;"])
def test_a_cell_without_a_statement_does_nothing(notebook, cell: str) -> None:
    assert notebook.ok(cell).outputs == []


def test_the_double_percent_sign_and_the_line_magic_work_too(notebook) -> None:
    assert "one" in notebook.ok("%%sql\nSELECT 1 AS one").text
    assert "uno" in notebook.ok("x = 1\n%sql SELECT 1 AS uno").text


def test_a_parse_error_is_short_and_marks_the_place(notebook) -> None:
    result = notebook.run(
        "%sql\nCREATE OR REPLACE TEMP VIEW before_it AS SELECT 1;\n\n  SELECT *\n   FROM a LIMIT BY 2;\nDROP VIEW before_it"
    )
    assert result.ename == "ParseException"
    assert result.error.splitlines() == [
        "line 5:    FROM a LIMIT BY 2",
        "                        ^",
        "ParseException: [PARSE_SYNTAX_ERROR] Syntax error at or near 'BY'. SQLSTATE: 42601",
        "Correct the statement there: a keyword, a comma or a parenthesis before it.",
    ]
    assert notebook.value("spark.catalog.tableExists('before_it')") is True


def test_an_analysis_error_is_short_and_marks_the_place(notebook) -> None:
    result = notebook.run("%sql SELECT 1;  SELECT nothing\nFROM range(3)")
    assert result.ename == "AnalysisException"
    assert result.error.splitlines()[:2] == ["line 1:            SELECT nothing", "                          ^"]
    assert "UNRESOLVED_COLUMN" in result.error and len(result.error.splitlines()) < 8
    assert "Project" not in result.error


def test_what_stands_for_nothing_is_said(notebook) -> None:
    error = notebook.run("%sql SELECT * FROM json.`${da.paths.nowhere}`").error
    assert (
        "${da.paths.nowhere} stands for nothing: this session has no such setting, and the notebook no such widget."
        in error
    )


def test_a_string_that_never_ends_is_said(notebook) -> None:
    result = notebook.run("%sql\nSELECT 1;\nSELECT 'abc")
    assert result.ename == "BadSql"
    assert "Line 3: what begins with ' never ends: 'abc" in result.error


def test_an_error_while_it_runs_is_short_too(notebook) -> None:
    result = notebook.run("%sql\nSELECT 1;\nSELECT id / 0 AS x\nFROM range(2)")
    assert "DIVIDE_BY_ZERO" in result.error and len(result.error.splitlines()) < 25


@pytest.mark.parametrize(
    ("statement", "columns"),
    [("SHOW DATABASES", ["databaseName"]), ("SHOW TABLES", ["database", "tableName", "isTemporary"])],
)
def test_listings_have_the_columns_that_databricks_has(notebook, statement: str, columns: list[str]) -> None:
    notebook.ok(f"%sql {statement}")
    assert notebook.value("_sqldf.columns") == columns


def test_widgets_are_created_read_and_removed_by_statements(notebook) -> None:
    notebook.ok("%sql\nCREATE WIDGET TEXT region DEFAULT 'north';\nSELECT :region AS region")
    assert notebook.value("(_sqldf.first()[0], dbutils.widgets.get('region'))") == ("north", "north")
    notebook.ok('%sql\nCREATE WIDGET DROPDOWN n DEFAULT "2" CHOICES SELECT id FROM range(3)')
    assert notebook.value("dbutils.widgets.get('n')") == "2"
    notebook.ok("%sql\nREMOVE WIDGET region;\nREMOVE WIDGET n")
    assert notebook.run("dbutils.widgets.get('region')").ename == "InputWidgetNotDefined"
    assert "Write CREATE WIDGET TEXT" in notebook.run("%sql\nCREATE WIDGET region DEFAULT 'north'").error
