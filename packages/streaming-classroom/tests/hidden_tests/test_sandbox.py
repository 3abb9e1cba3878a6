"""A cell runs in a sandbox as in a notebook whose kernel has just started, and touches nothing outside (sandbox.py)."""

from __future__ import annotations

import linecache

import pytest
from pyspark.sql import SparkSession

from streaming_classroom.exercises.sandbox import CannotRunError, CellFailedError, MadeTwiceError, open_sandbox
from streaming_classroom.files.directories import classroom_files

COPY = """
query = (spark.readStream.table("bronze").where("id > 1")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/copy")
    .trigger(availableNow=True)
    .toTable("copy"))
"""


def ids(frame) -> list[int]:
    return sorted(row.id for row in frame.collect())


def test_a_cell_reads_and_writes_tables_of_the_sandbox_and_the_next_run_resumes(open_sandbox, spark) -> None:
    spark.range(100).createOrReplaceTempView("bronze")
    box = open_sandbox()
    box.append("bronze", [(1,), (2,)], "id LONG")
    box.run(COPY)
    assert ids(box.rows("copy")) == [2]
    box.append("bronze", [(3,)], "id LONG")
    box.run(COPY)
    assert ids(box.rows("copy")) == [2, 3]
    assert not spark.catalog.tableExists("copy") and spark.table("bronze").count() == 100


def test_views_of_the_lesson_are_not_there_and_settings_are(open_sandbox, spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("numbers_vw")
    box = open_sandbox()
    assert not box.spark.catalog.tableExists("numbers_vw")
    assert box.spark.conf.get("spark.sql.session.timeZone") == spark.conf.get("spark.sql.session.timeZone")
    with pytest.raises(CannotRunError, match="numbers_vw"):
        box.run('frame = spark.table("numbers_vw")')


@pytest.mark.slow
def test_a_cell_that_makes_a_table_twice_is_told_what_to_do_and_one_that_is_there_before_is_its_mistake(
    open_sandbox,
) -> None:
    box = open_sandbox()
    box.run('spark.range(3).write.saveAsTable("made")')
    with pytest.raises(MadeTwiceError, match=r"makes the table `made`, which is there by then\. Make it only if"):
        box.run('spark.range(3).write.saveAsTable("made")')
    box = open_sandbox()
    box.append("given", [(1,)], "id LONG")
    with pytest.raises(CellFailedError, match="ALREADY_EXISTS"):
        box.run('spark.range(3).write.saveAsTable("given")')


def test_a_name_that_another_cell_made_and_nobody_lends_is_named(open_sandbox, spark: SparkSession) -> None:
    box = open_sandbox(other=spark.range(3))
    with pytest.raises(CannotRunError, match="other"):
        box.run("query = other.count()")
    with pytest.raises(CannotRunError, match=r"DA\.cleanup"):
        box.run("DA.cleanup()")
    with pytest.raises(CellFailedError, match="NameError"):
        box.run("nobody_has_this")


@pytest.mark.slow
def test_a_function_that_another_cell_defines_has_the_session_and_the_paths_of_the_sandbox(open_sandbox) -> None:
    source = "def read():\n    return spark.table('bronze'), DA.paths.checkpoints\n"
    linecache.cache["<read>"] = (len(source), None, source.splitlines(keepends=True), "<read>")
    notebook: dict = {"__name__": "__main__"}
    exec(compile(source, "<read>", "exec"), notebook)
    box = open_sandbox(read=notebook["read"])
    box.append("bronze", [(7,)], "id LONG")
    box.run("frame, checkpoints = read()")
    assert ids(box.value("frame")) == [7] and box.value("checkpoints") == box.paths.checkpoints


@pytest.mark.slow
def test_a_stream_that_goes_on_is_stopped_when_it_has_done_what_is_there(open_sandbox) -> None:
    box = open_sandbox()
    box.append("bronze", [(2,)], "id LONG")
    box.run(COPY.replace("    .trigger(availableNow=True)\n", ""))
    assert ids(box.rows("copy")) == [2] and not box.spark.streams.active


@pytest.mark.slow
def test_a_failing_cell_and_a_failing_stream_say_why(open_sandbox, capsys) -> None:
    box = open_sandbox()
    box.append("bronze", [(2,)], "id LONG")
    with pytest.raises(CellFailedError, match="ZeroDivisionError"):
        box.run("print('not shown')\n1 / 0")
    with pytest.raises(CellFailedError, match="is not true"):
        box.run(COPY.replace('where("id > 1")', 'selectExpr("id", "cast(assert_true(id > 5) AS INT) AS ok")'))
    assert "not shown" not in capsys.readouterr().out


def test_nothing_of_a_sandbox_is_left(spark: SparkSession, paths, folders) -> None:
    with open_sandbox(spark, paths, {}) as box:
        box.append("bronze", [(1,)], "id LONG")
        box.file("a.json", [{"id": 1}])
        name = box._name
        assert folders()
    assert not folders() and name not in [database.name for database in spark.catalog.listDatabases()]
    assert spark.catalog.currentDatabase() == "default"
    assert SparkSession.getActiveSession() is spark
    assert not classroom_files().local_path(f"{paths.working_dir}/_sandbox/{name}").exists()
