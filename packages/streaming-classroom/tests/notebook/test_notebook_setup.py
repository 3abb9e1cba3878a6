"""What a stock notebook has after its setup cell (notebook.py)."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from streaming_base import waiting
from streaming_base.errors import StreamTimeout
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import lesson
from streaming_classroom.notebook import notebook_setup
from streaming_classroom.notebook.notebook_setup import set_up_notebook, set_up_user


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


def test_older_lessons_find_their_variables_and_their_directory(spark: SparkSession) -> None:
    namespace: dict[str, str] = {}
    set_up_user(namespace)
    assert namespace == {
        "username": "learner",
        "userhome": "dbfs:/user/learner",
        "workingDir": "dbfs:/user/learner/streaming-classroom/working_dir",
    }
    assert classroom_files().local_path(namespace["workingDir"]).is_dir()
    spark.range(1).write.mode("overwrite").save(f"{namespace['workingDir']}/t")


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


def test_each_stream_is_named_before_it_is_stopped_and_after_and_a_deaf_one_keeps_no_other(
    capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = Event()
    deaf = SimpleNamespace(name="b", id="2", stop=release.wait, status={"message": "Processing new data"})
    others = [SimpleNamespace(name=name, id="1", stop=lambda: None) for name in (None, "a", "c")]
    monkeypatch.setattr(waiting, "STOP_TIMEOUT", 0.1)
    monkeypatch.setattr(waiting, "active_streams", lambda _spark: [deaf, *others])
    with pytest.raises(StreamTimeout, match="b had not stopped"):
        notebook_setup.stopAllStreams()
    release.set()
    assert capsys.readouterr().out.splitlines() == [
        "Stopping the stream a ... stopped.",
        "Stopping the stream b ... failed.",
        "Stopping the stream c ... stopped.",
        "Stopping the stream without a name, id 1 ... stopped.",
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


SETUP = "from streaming_classroom import set_up_notebook, start_lesson\nset_up_notebook(globals())"
LESSON = """DA = start_lesson('A', dataset='device-readings/readings')
DA.data_factory.load()
readings = spark.readStream.schema('device_id INT').json(DA.paths.landing)
readings.createTempView('readings')"""


@pytest.mark.slow
def test_a_stock_kernel_runs_a_lesson(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [SETUP, LESSON, "\n%sql SELECT count(*) AS n\nFROM readings", "%sql\nSELECT 1 -- ;\n; SELEC 2"]
    cells += ["[query.name for query in spark.streams.active]", "stopAllStreams()\nDA.cleanup()"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(book, timeout=90, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}).execute()
    setup, lesson, live, broken, names, end = (cell.outputs for cell in book.cells)
    assert setup == []
    assert [output.text for output in lesson] == [
        "Landed 2025-06-01.json in DA.paths.landing: 1,152 rows; 29 batches left.\n"
    ]
    assert "<td" in live[0].data["text/html"] and "1152" in live[0].data["text/plain"]
    assert [output.output_type for output in live] == ["display_data"]
    assert [output.output_type for output in broken] == ["error"]
    assert broken[0].ename == "ParseException" and len(broken[0].traceback) < 12
    assert names[0].data["text/plain"] == "['display_query_1']"
    assert (
        "".join(output.text for output in end)
        == "Stopping the stream display_query_1 ... stopped.\nLesson A is cleaned up.\n"
    )
