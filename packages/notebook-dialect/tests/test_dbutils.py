"""``dbutils`` in a real kernel (rows 14, 18 and 21)."""

from __future__ import annotations

import pytest

HEADER = "# Databricks notebook source\n"

# Row 18: widgets


@pytest.fixture
def widgets(notebook):
    yield notebook
    notebook.ok("dbutils.widgets.removeAll()")


def test_a_widget_has_its_default_and_shows_nothing_where_nobody_looks(widgets) -> None:
    assert (
        widgets.ok(
            "dbutils.widgets.text('mode', 'full', 'The mode')\ndbutils.widgets.dropdown('n', '1', ['1', '2'])"
        ).outputs
        == []
    )
    assert widgets.value("(dbutils.widgets.get('mode'), dbutils.widgets.get('n'), getArgument('mode'))") == (
        "full",
        "1",
        "full",
    )


def test_a_widget_asked_for_before_it_was_made_is_an_error(widgets) -> None:
    error = widgets.run("dbutils.widgets.get('mood')").error
    assert "InputWidgetNotDefined: No input widget named mood is defined" in error


# Row 21: notebooks, secrets, the context


CHILD = (
    HEADER
    + """
dbutils.widgets.text("n", "0")
n = int(dbutils.widgets.get("n"))
mode = "of the child"
spark.range(n).createOrReplaceTempView("temporary")
spark.range(n).createOrReplaceGlobalTempView("shared")
spark.range(n).write.mode("overwrite").saveAsTable("made_by_child")
spark.conf.set("child.conf", "set")
spark.readStream.table("made_by_child").writeStream.format("memory").queryName("childs_stream").start()

# COMMAND ----------

# MAGIC %sql
# MAGIC CREATE OR REPLACE TEMP VIEW by_sql AS SELECT * FROM temporary

# COMMAND ----------

assert spark.table("by_sql").count() == n
dbutils.notebook.exit(f"{n} rows")

# COMMAND ----------

raise AssertionError("this cell must not run")
"""
)


@pytest.mark.slow
def test_a_notebook_is_run_for_its_result(notebook) -> None:
    notebook.write("Child.py", CHILD)
    notebook.ok("mode = 'mine'")
    assert notebook.value("dbutils.notebook.run('./Child', 60, {'n': 4})") == "4 rows"
    assert notebook.value("(mode, 'n' in globals(), spark.catalog.tableExists('temporary'))") == ("mine", False, False)
    assert notebook.value("spark.conf.get('child.conf', None)") is None
    assert notebook.value("(spark.table('global_temp.shared').count(), spark.table('made_by_child').count())") == (4, 4)
    assert "No input widget" in notebook.run("dbutils.widgets.get('n')").error
    assert notebook.value("spark.streams.active") == []
    notebook.ok("%sql SELECT 1")


def test_a_notebook_that_is_run_has_only_its_own_parameters(open_notebook) -> None:
    notebook = open_notebook()
    notebook.ok('# Parameters\na = "papermill"\n')
    notebook.ok("%load_ext streaming_classroom")
    asks = "for w in 'abc': dbutils.widgets.text(w, 'default')\ndbutils.notebook.exit(str(sorted(dbutils.widgets.getAll().items())))\n"
    notebook.write("Job.py", HEADER + asks)
    notebook.write("Includes.py", HEADER + "ran = dbutils.notebook.run('Job', 60, {'c': 'job'})\n")
    notebook.ok("%run ./Includes $b=run")
    assert notebook.value("ran") == "[('a', 'default'), ('b', 'default'), ('c', 'job')]"
    notebook.close()


def test_a_notebook_that_fails_fails_the_caller_at_its_line(notebook) -> None:
    notebook.write("bad.py", HEADER + "\nx = 1 / 0\n")
    result = notebook.run("dbutils.notebook.run('bad', 60)")
    assert result.ename == "ZeroDivisionError" and "bad.py:3" in result.error
    assert notebook.value("spark.range(1).count()") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "waits",
    [
        "import time; time.sleep(60)",
        'spark.sql(\'SELECT java_method("java.lang.Thread", "sleep", 60000L)\').collect()',
        "q = spark.readStream.format('rate').load().writeStream.format('memory').queryName('q').start(); q.awaitTermination()",
    ],
)
def test_a_notebook_that_takes_too_long_is_stopped(notebook, waits: str) -> None:
    notebook.write("slow.py", HEADER + waits + "\n")
    result = notebook.run("dbutils.notebook.run('slow', 3)", timeout=40)
    assert result.ename == "NotebookTimeout" and "had not ended after 3 s" in result.error
    assert notebook.value("spark.range(2).count()") == 2


def test_a_missing_notebook_and_one_that_runs_itself_are_errors(notebook) -> None:
    notebook.write("Selfish.py", HEADER + "dbutils.notebook.run('Selfish', 10)\n")
    assert notebook.run("dbutils.notebook.run('Selfih', 10)").ename == "NotebookNotFound"
    assert notebook.run("dbutils.notebook.run('Selfish', 10)").ename == "IncludeCycle"


def test_runs_in_threads_follow_each_other_each_with_its_widgets_and_names(notebook) -> None:
    text = (
        "who = dbutils.widgets.get('who')\nspark.range(9).count()\ndbutils.notebook.exit(who + str('other' in dir()))"
    )
    notebook.write("one.py", HEADER + text)
    notebook.ok("from concurrent.futures import ThreadPoolExecutor\nother = 1")
    notebook.ok(
        "with ThreadPoolExecutor(3) as pool:\n"
        "    runs = [pool.submit(dbutils.notebook.run, './one', 100, {'who': n}) for n in ('a', 'b', 'c')]"
    )
    assert notebook.value("([run.result() for run in runs], 'who' in dir())") == (["aFalse", "bFalse", "cFalse"], False)


def test_task_values_are_those_of_a_notebook_outside_a_job(notebook) -> None:
    notebook.ok("dbutils.jobs.taskValues.set('rows', 3)")
    assert notebook.value("dbutils.jobs.taskValues.get('load', 'rows', default=1, debugValue=7)") == 7
    result = notebook.run("dbutils.jobs.taskValues.get('load', 'rows', default=1)")
    assert result.ename == "TypeError" and "pass debugValue=" in result.error


def test_exit_ends_the_cell_and_says_its_value(notebook) -> None:
    result = notebook.run("before = 1\ndbutils.notebook.exit('all done')\nafter = 1")
    assert result.ename == "NotebookExit"
    assert result.error == "Notebook exited: all done"
    assert notebook.value("'after' in globals()") is False


@pytest.mark.parametrize(
    "expression",
    [
        "dbutils.notebook.entry_point.getDbutils().notebook().getContext().notebookPath().get()",
        "dbutils.notebook.entry_point.getDbutils().notebook().getContext().notebookPath().getOrElse(None)",
        "dbutils.notebook.getContext().notebookPath().get()",
    ],
)
def test_the_notebook_knows_where_it_is(notebook, expression: str) -> None:
    assert notebook.value(expression) == "/Users/learner/notebooks/notebook"


@pytest.mark.slow
def test_an_include_and_a_front_end_that_says_the_name_are_known(open_notebook) -> None:
    notebook = open_notebook(JPY_SESSION_NAME="/somewhere/07-My Lesson.ipynb")
    notebook.ok("%load_ext streaming_classroom")
    assert (
        notebook.value("dbutils.notebook.getContext().notebookPath().get()") == "/Users/learner/notebooks/07-My Lesson"
    )
    notebook.write("sub/Inner.py", HEADER + "inner = dbutils.notebook.getContext().notebookPath().get()\n")
    notebook.ok("%run ./sub/Inner")
    assert notebook.value("inner") == "/Users/learner/sub/Inner"
    notebook.close()


def test_the_ways_to_the_context_that_older_notebooks_take(notebook) -> None:
    context = "dbutils.entry_point.getDbutils().notebook().getContext()"
    assert notebook.value(f"{context}.tags().apply('user')") == "learner"
    assert notebook.value(f"__import__('json').loads({context}.toJson())['tags']['user']") == "learner"
    assert "there is no dbutils.credentials" in notebook.run("dbutils.credentials.showRoles()").error


def test_helper_files_import_what_the_notebook_has(notebook) -> None:
    notebook.write(
        "helper_file.py", "from pyspark.dbutils import DBUtils\nfrom databricks.sdk.runtime import spark, display\n"
    )
    notebook.ok("import helper_file")
    assert notebook.value("(helper_file.DBUtils(spark) is dbutils, helper_file.spark is spark)") == (True, True)


@pytest.mark.parametrize(
    "utility", ["dbutils", "dbutils.fs", "dbutils.widgets", "dbutils.notebook", "dbutils.secrets", "dbutils.library"]
)
def test_each_utility_helps(notebook, utility: str) -> None:
    assert len(notebook.ok(f"{utility}.help()").text.splitlines()) > 2


# Row 14, the rest of it


def test_the_root_cannot_be_removed(notebook) -> None:
    for path in ("/", "dbfs:/", "/dbfs", "/dbfs/", "/mnt"):
        assert notebook.run(f"dbutils.fs.rm('{path}', True)").status == "error"
    assert (notebook.home / "dbfs" / "mnt").is_dir()


def test_a_listing_becomes_a_frame(notebook) -> None:
    notebook.ok("dbutils.fs.put('/mnt/frame/a.txt', 'abc', True); dbutils.fs.mkdirs('/mnt/frame/sub')")
    frame = "spark.createDataFrame(dbutils.fs.ls('/mnt/frame'))"
    assert notebook.value(f"[(r.name, r.size) for r in {frame}.collect()]") == [("a.txt", 3), ("sub/", 0)]
    assert notebook.value("[(f.isDir(), f.isFile()) for f in dbutils.fs.ls('/mnt/frame')]") == [
        (False, True),
        (True, False),
    ]
