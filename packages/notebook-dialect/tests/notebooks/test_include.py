"""``%run`` in a real kernel (row 1 of the dialect): names, parameters, kinds of notebooks, errors."""

from __future__ import annotations

import json

import pytest

HEADER = "# Databricks notebook source\n"


@pytest.fixture
def included(notebook):
    """Have a notebook to include under several names, which counts how often it ran."""
    text = HEADER + "runs = globals().get('runs', 0) + 1\nlast = {name!r}\n"
    for name in ("Plain.py", "With Space.py", "Classroom-Setup-06.1.py", "deep/er/Plain.py"):
        notebook.write(name, text.format(name=name))
    notebook.ok("runs = 0; last = None")
    return notebook


@pytest.mark.parametrize(
    ("line", "ran"),
    [
        ("%run ./Plain", "Plain.py"),
        ("%run Plain", "Plain.py"),
        ('%run "./Plain"', "Plain.py"),
        ("%run './Plain'", "Plain.py"),
        ("%run ./Plain.py", "Plain.py"),
        ("%run ./deep/../Plain", "Plain.py"),
        ("%run ../notebooks/Plain", "Plain.py"),
        ("%run   ./Plain   ", "Plain.py"),
        ("\n\n%run ./Plain", "Plain.py"),
        ("%run ./deep/er/Plain", "deep/er/Plain.py"),
        ("%run ./With Space", "With Space.py"),
        ('%run "./With Space"', "With Space.py"),
        ("%run ./Classroom-Setup-06.1", "Classroom-Setup-06.1.py"),
    ],
)
def test_each_spelling_of_a_name_finds_the_notebook(included, line: str, ran: str) -> None:
    included.ok(line)
    assert included.value("(runs, last)") == (1, ran)


def test_it_runs_in_the_callers_namespace(notebook) -> None:
    notebook.write("Adds.py", HEADER + "total = start + 1\ndef double(x):\n    return 2 * total\n")
    notebook.ok("start = 20")
    notebook.ok("%run ./Adds")
    assert notebook.value("(total, double(0))") == (21, 42)


@pytest.mark.slow
def test_a_function_of_an_include_works_in_a_udf(notebook) -> None:
    notebook.write("Udf.py", HEADER + "offset = 5\ndef shifted(x):\n    return x + offset\n")
    notebook.ok("%run ./Udf")
    notebook.ok("from pyspark.sql.functions import udf")
    assert notebook.value("spark.range(2).select(udf(shifted, 'long')('id')).toPandas().iloc[:, 0].tolist()") == [5, 6]


def test_parameters_are_read_through_widgets(notebook) -> None:
    notebook.write(
        "Params.py",
        HEADER + "dbutils.widgets.text('mode', 'none')\nmode = dbutils.widgets.get('mode')\n"
        "lesson = dbutils.widgets.get('lesson')\n",
    )
    notebook.ok("mode = 'a variable of that name'")
    notebook.ok('%run ./Params $mode="reset" $lesson="a b"')
    assert notebook.value("(mode, lesson)") == ("reset", "a b")
    notebook.ok("dbutils.widgets.removeAll()")


def test_nested_names_are_relative_to_the_including_notebook(notebook) -> None:
    notebook.write("outer.py", HEADER + "# MAGIC %run ./sub/middle\n")
    notebook.write(
        "sub/middle.py", HEADER + "# MAGIC %run ../other/inner\n\n# COMMAND ----------\n\nmiddle = inner + 1\n"
    )
    notebook.write("other/inner.py", HEADER + "inner = 41\n")
    notebook.ok("%run ./outer")
    assert notebook.value("(inner, middle)") == (41, 42)


def test_names_stay_relative_to_the_notebook_when_a_cell_changes_the_directory(included) -> None:
    included.ok("import os; here = os.getcwd(); os.chdir('/')")
    included.ok("%run ./Plain")
    included.ok("os.chdir(here)")
    assert included.value("runs") == 1


EVERY_LANGUAGE = (
    HEADER
    + """
# MAGIC %md
# MAGIC ## A *heading*

# COMMAND ----------

# DBTITLE 1,A title
# MAGIC %sql
# MAGIC CREATE OR REPLACE TEMP VIEW from_include AS SELECT 'a;b' AS text;
# MAGIC
# MAGIC SELECT * FROM from_include

# COMMAND ----------

# MAGIC %python
# MAGIC from_python = 1

# COMMAND ----------

# MAGIC %sh
# MAGIC echo from the $((1 + 1))nd shell

# COMMAND ----------

# MAGIC %fs mkdirs /mnt/made-by-include

# COMMAND ----------

# MAGIC %pip --version

# COMMAND ----------

# MAGIC %run ./Innermost

# COMMAND ----------

from_python + from_innermost
"""
)


def test_each_cell_of_an_include_does_what_it_would_as_a_cell(notebook) -> None:
    notebook.write("Every.py", EVERY_LANGUAGE)
    notebook.write("Innermost.py", HEADER + "from_innermost = 1\n")
    result = notebook.ok("%run ./Every")
    assert "## A *heading*" in json.dumps(result.outputs)
    assert "a;b" in result.html
    assert "from the 2nd shell" in result.text
    assert "pip " in result.text
    assert result.outputs[-1]["data"]["text/plain"] == "2"
    assert notebook.value("dbutils.fs.ls('/mnt/made-by-include')") == []


def test_a_sql_notebook_is_sql_except_where_it_says(notebook) -> None:
    notebook.write(
        "views.sql",
        "-- Databricks notebook source\nCREATE OR REPLACE TEMP VIEW sevens AS SELECT 7 AS n\n\n-- COMMAND ----------\n\n"
        "-- MAGIC %python\n-- MAGIC seven = spark.table('sevens').first().n\n\n-- COMMAND ----------\n\n"
        "-- a comment first\nSELECT n * 6 AS answer FROM sevens\n",
    )
    result = notebook.ok("%run ./views")
    assert "42" in result.html
    assert notebook.value("seven") == 7


def test_an_ipynb_is_included_with_its_magics(notebook) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title"], "metadata": {}},
        {"cell_type": "code", "source": ["%sql\n", "SELECT 3 AS three"], "metadata": {}},
        {
            "cell_type": "code",
            "source": ["%env OF_IPYNB=5\n", "import os\n", "of_ipynb = int(os.environ['OF_IPYNB'])"],
            "metadata": {},
        },
    ]
    notebook.write("Book.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    assert "three" in notebook.ok("%run ./Book").html
    assert notebook.value("of_ipynb") == 5


def test_a_script_is_still_ipythons_to_run(notebook) -> None:
    notebook.write("script.py", "import sys\nof_script = sys.argv[1:]\n")
    notebook.ok("%run script.py a b")
    assert notebook.value("of_script") == ["a", "b"]
    notebook.ok("x_of_notebook = 3")
    notebook.write("sees.py", "seen = x_of_notebook\n")
    notebook.ok("%run -i sees.py")
    assert notebook.value("seen") == 3


def test_an_error_points_at_the_includes_line(notebook) -> None:
    notebook.write("Broken.py", HEADER + "\nfine = 1\n\n# COMMAND ----------\n\nx = 1\ny = x / 0\n")
    result = notebook.run("%run ./Broken")
    assert result.ename == "ZeroDivisionError"
    assert "Broken.py:8" in result.error and "y = x / 0" in result.error
    assert "include.py" not in result.error


def test_an_error_of_spark_points_at_the_includes_line(notebook) -> None:
    notebook.write("Missing.py", HEADER + "\n# COMMAND ----------\n\nspark.table('no_such_table').count()\n")
    result = notebook.run("%run ./Missing")
    assert "Missing.py, line 5: spark.table('no_such_table').count()" in result.error
    assert "TABLE_OR_VIEW_NOT_FOUND" in result.error and len(result.error.splitlines()) < 8


def test_an_error_in_an_includes_sql_points_at_its_line(notebook) -> None:
    notebook.write("Sql.py", HEADER + "\n# COMMAND ----------\n\n# MAGIC %sql\n# MAGIC SELECT 1;\n# MAGIC SELEC 2\n")
    result = notebook.run("%run ./Sql")
    assert "Sql.py, line 7: SELEC 2\n                ^" in result.error


def test_a_syntax_error_points_at_the_includes_line(notebook) -> None:
    notebook.write("Syntax.py", HEADER + "\n# COMMAND ----------\n\nx = 1\ny = = 2\n")
    result = notebook.run("%run ./Syntax")
    assert result.ename == "SyntaxError" and "Syntax.py:6" in result.error


def test_an_error_in_an_ipynb_points_at_the_cell(notebook) -> None:
    cells = [{"cell_type": "code", "source": source, "metadata": {}} for source in ("a = 1", "b = 2\nc = a / 0")]
    notebook.write("Fails.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    assert "Fails.ipynb, cell 2:2" in notebook.run("%run ./Fails").error


def test_a_missing_notebook_is_named_with_the_nearest(included) -> None:
    result = included.run("%run ./Plane")
    assert result.ename == "NotebookNotFound"
    assert "Did you mean Plain" in result.error
    included.write("deep/Alpha.py", HEADER)
    assert "It has: Alpha." in included.run("%run ./deep/zzz").error
    assert "nowhere does not exist" in included.run("%run ./nowhere/Plain").error


def test_a_circle_is_an_error_that_shows_the_chain(notebook) -> None:
    notebook.write("ring.py", HEADER + "# MAGIC %run ./links/chain\n")
    notebook.write("links/chain.py", HEADER + "# MAGIC %run ../ring\n")
    result = notebook.run("%run ./ring")
    assert result.ename == "IncludeCycle" and "ring -> chain -> ring" in result.error
    assert notebook.run("%run ./ring").ename == "IncludeCycle"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%run ./Plain $mode", "The parameter $mode has no value."),
        ('%run ./Plain $mode="reset', "A quotation mark is not closed"),
        ('%run "./Plain', "A quotation mark is not closed"),
        ("%run ./Plain $1a=3 stray", "'stray' is not a parameter"),
        ('%run $mode="reset"', "The name of a notebook is missing."),
    ],
)
def test_a_line_that_cannot_be_understood_says_why(included, line: str, says: str) -> None:
    result = included.run(line)
    assert result.ename == "BadRunLine" and says in result.error
    assert included.value("runs") == 0


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(notebook) -> None:
    text = "\ufeff# Databricks notebook source\r\n# MAGIC %sql\r\n# MAGIC SELECT 1 AS one\r\n\r\n# COMMAND ----------\r\n\r\nx_crlf = 2\r\n"
    notebook.write("crlf.py", text)
    assert "one" in notebook.ok("%run ./crlf").html
    assert notebook.value("x_crlf") == 2


@pytest.mark.parametrize("cell", ["%run\n./Plain", "%run\n\n  './Plain'\n", "%run\n./Plain\nlater_cell = runs"])
def test_the_name_may_stand_on_the_next_line(included, cell: str) -> None:
    included.ok(cell)
    assert included.value("runs") == 1


def test_a_parameter_hands_the_callers_widget_on(notebook) -> None:
    notebook.write("Reads.py", HEADER + "read = (dbutils.widgets.get('mode'), dbutils.widgets.get('price'))\n")
    notebook.ok("dbutils.widgets.dropdown('mode', 'full', ['full', 'reset'])")
    notebook.ok("%run ./Reads $mode=$mode $price=$5")
    assert notebook.value("read") == ("full", "$5")
    notebook.ok("dbutils.widgets.removeAll()")


def test_await_at_the_top_of_an_include_is_awaited(notebook) -> None:
    cells = "import asyncio\nawait asyncio.sleep(0)\nasync def seven():\n    return 7\nfound = await seven()\n"
    notebook.write("Awaits.py", HEADER + cells + "# COMMAND ----------\n\nawait seven()\n")
    assert "7" in notebook.ok("%run ./Awaits").outputs[-1]["data"]["text/plain"]
    assert notebook.value("found") == 7
    notebook.write("Fails.py", HEADER + "import asyncio\n\nawait asyncio.wait_for(missing, 1)\n")
    assert "Fails.py" in (error := notebook.run("%run ./Fails").error) and "missing" in error
    notebook.ok("await seven()")
