"""What a stock notebook has after its setup cell (notebook.py)."""

from __future__ import annotations

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from streaming_base import waiting
from streaming_classroom import notebook_setup
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import lesson
from streaming_classroom.notebook_setup import set_up_notebook, set_up_user


def test_the_names_that_lessons_use_are_there(spark: SparkSession) -> None:
    namespace: dict[str, object] = {}
    set_up_notebook(namespace)
    assert sorted(namespace) == [
        "dbutils",
        "display",
        "displayHTML",
        "getArgument",
        "sc",
        "spark",
        "sql",
        "sqlContext",
        "stopAllStreams",
        "table",
        "udf",
        "untilStreamIsReady",
    ]
    assert namespace["spark"] is spark


def test_on_databricks_the_platforms_own_names_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "17.3")
    monkeypatch.setattr(notebook_setup, "get_spark", lambda: pytest.fail("the platform has a session"))
    namespace = {"spark": "theirs", "display": "theirs"}
    set_up_notebook(namespace)
    assert (namespace["spark"], namespace["display"]) == ("theirs", "theirs")
    assert {"untilStreamIsReady", "stopAllStreams"} <= set(namespace)


def test_the_older_spellings_wait_and_stop_and_say_so(spark: SparkSession, capsys) -> None:
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    query = rows.writeStream.format("memory").queryName("rows").start()
    assert notebook_setup.untilStreamIsReady("rows", timeout=120) is True
    assert len(query.recentProgress) >= 2
    notebook_setup.stopAllStreams()
    assert spark.streams.active == []
    notebook_setup.stopAllStreams()
    assert capsys.readouterr().out.splitlines() == [
        "The stream rows is active and ready.",
        "Stopping the stream rows ... stopped.",
        "No stream is active.",
    ]


def test_a_stream_that_is_not_active_lets_an_older_notebook_go_on(spark: SparkSession, capsys) -> None:
    assert notebook_setup.untilStreamIsReady("rows") is False
    assert "There is no active stream named 'rows'" in capsys.readouterr().out
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    broken = rows.selectExpr("raise_error('no such sensor')").writeStream.format("memory").queryName("bad").start()
    with pytest.raises(StreamingQueryException):
        broken.awaitTermination(30)
    assert notebook_setup.untilStreamIsReady("bad") is False
    assert "The stream bad is not active; it failed: " in capsys.readouterr().out


def test_cleanup_takes_away_what_a_notebook_without_a_lesson_has_made(
    spark: SparkSession, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "_current", None)  # of a test before this one
    namespace: dict[str, str] = {}
    set_up_user(namespace)
    working_dir = classroom_files().local_path(namespace["workingDir"])
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    path = f"{namespace['workingDir']}/stream"
    query = rows.writeStream.option("checkpointLocation", f"{path}/_checkpoint").start(path)
    waiting.block_until_stream_is_ready(spark, query, min_batches=1, timeout=120)
    (beside := working_dir.parent / "another").mkdir(exist_ok=True)
    notebook_setup.cleanup()
    assert not working_dir.exists() and beside.exists() and not query.isActive
    assert capsys.readouterr().out == f"Removed {namespace['workingDir']}.\n"
    working_dir.mkdir()
    notebook_setup.cleanup()  # of which it is not known to be this kernel's
    assert working_dir.exists()
