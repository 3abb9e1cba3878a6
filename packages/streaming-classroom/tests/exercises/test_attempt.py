"""What a check can ask, of real streams; and the sentences for whoever has made something else."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom.exercises import Attempt, Makes, Mistake
from streaming_classroom.exercises.grader import Grader, _judge
from streaming_classroom.files.directories import classroom_files


@pytest.fixture
def source(spark: SparkSession, tmp_path: Path) -> DataFrame:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.json").write_text('{"id": 1}\n{"id": 2}\n')
    return spark.readStream.schema("id INT").json(folder.as_uri())


@pytest.fixture
def attempt(spark: SparkSession):
    def make(error: BaseException | None = None, makes: Makes | None = None, **namespace) -> Attempt:
        return Attempt(spark, None, namespace, error, makes, seconds=30)

    return make


def start(frame: DataFrame, tmp_path: Path, **trigger):
    writer = frame.writeStream.format("memory").queryName("made").option("checkpointLocation", str(tmp_path / "chk"))
    return (writer.trigger(**trigger) if trigger else writer).start()


def sentence(ask, *arguments) -> str:
    with pytest.raises(Mistake) as caught:
        ask(*arguments)
    return caught.value.sentence


def test_a_cell_that_ended_with_an_error_is_told_by_that(attempt) -> None:
    assert "ValueError: too late" in sentence(attempt(error=ValueError("too late\nmore"), query=None).stream, "query")


def test_what_awaitTermination_returns_is_no_stream(attempt, spark: SparkSession, source: DataFrame) -> None:
    spark.range(1).createOrReplaceTempView("made")
    assert "`awaitTermination()` returns" in sentence(attempt(makes=Makes(tables=("made",)), q=None).stream, "q")
    assert "a bool, not a stream" in sentence(attempt(q=True).stream, "q")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trigger", "named"),
    [
        ({"availableNow": True}, "availableNow"),
        ({"once": True}, "once"),
        ({"processingTime": "4 seconds"}, "4 s"),
        ({}, "default"),
    ],
)
def test_a_stream_tells_its_trigger_mode_checkpoint_and_what_it_read(
    attempt, source: DataFrame, tmp_path: Path, trigger: dict, named: str
) -> None:
    stream = attempt(q=start(source, tmp_path, **trigger)).stream("q")
    ends = named in ("availableNow", "once")
    assert stream.has_ended(30) is ends
    assert (stream.trigger, stream.mode, stream.error) == (named, "append", None)
    assert stream.checkpoint.endswith("/chk") and "Memory" in stream.sink
    assert stream.rows_read == [2] and stream.batches == 1


def test_a_stream_that_will_end_is_waited_for_and_not_called_wrong(attempt, source: DataFrame, tmp_path: Path) -> None:
    slow = source.selectExpr("java_method('java.lang.Thread', 'sleep', 20000L)")
    made = attempt(q=start(slow, tmp_path, availableNow=True))
    said = sentence(made.wait_for_end, made.stream("q"), "Stop it.", 1)
    made.stream("q").query.stop()
    assert "has not finished yet" in said and "Stop it." not in said


def test_a_stream_that_failed_is_told_in_sparks_words(attempt, source: DataFrame, tmp_path: Path) -> None:
    broken = source.selectExpr("raise_error('the sensor is broken')")
    made = attempt(q=start(broken, tmp_path, availableNow=True))
    assert "the sensor is broken" in sentence(made.wait_for_end, made.stream("q"), "")


def test_a_stream_that_was_to_go_on_and_has_ended_is_a_mistake(attempt, source: DataFrame, tmp_path: Path) -> None:
    made = attempt(q=start(source, tmp_path, availableNow=True))
    assert "has ended" in sentence(made.wait_until_idle, made.stream("q"))


@pytest.mark.parametrize(("trigger", "seconds"), [("default", 30), ("10 s", 50), ("3600 s", 60)])
def test_a_stream_with_an_interval_gets_two_of_them_more(trigger: str, seconds: int) -> None:
    waited = []
    busy = SimpleNamespace(trigger=trigger, is_active=True, error=None, is_idle=lambda limit: waited.append(limit))
    said = sentence(Attempt(None, None, {}, seconds=90).wait_until_idle, busy)
    assert waited == [seconds] and "this machine is busy" in said


@pytest.mark.slow
def test_the_rows_of_a_streaming_frame_are_those_of_all_that_is_there(attempt, source: DataFrame, spark) -> None:
    rows = attempt().rows_of_stream(source.groupBy("id").count(), mode="complete")
    assert sorted(map(tuple, rows.collect())) == [(1, 1), (2, 1)]
    assert spark.streams.active == [] and not [t for t in spark.catalog.listTables() if t.name.startswith("check_")]


def test_rows_are_counted_per_file_in_the_order_in_which_a_stream_reads_the_files(attempt, spark, tmp_path) -> None:
    for name, modified, rows in (("b.json", 100, 1), ("a.json", 200, 2), ("0.json", 200, 3)):
        (tmp_path / name).write_text('{"id": 1}\n' * rows)
        os.utime(tmp_path / name, (modified, modified))
    assert attempt().rows_of_files(spark.read.schema("id INT").json(tmp_path.as_uri())) == [1, 3, 2]


@pytest.mark.slow
def test_a_frame_that_does_not_come_to_an_end_is_a_mistake(attempt, source: DataFrame, spark: SparkSession) -> None:
    slow = source.selectExpr("java_method('java.lang.Thread', 'sleep', 60000L) AS x")
    assert "never ends" in sentence(attempt().rows_of_stream, slow, "append", 5)
    assert spark.streams.active == []


# ------------------------------------------------------------------------------------------------ judging, and before


def test_a_check_that_never_answers_is_a_verdict(monkeypatch, attempt) -> None:
    from streaming_classroom.exercises import grader

    monkeypatch.setattr(grader, "DEADLINE", 1.0)
    monkeypatch.setattr(grader, "HIDDEN_DEADLINE", 0.0)
    verdict = _judge(exercise_with(lambda _: time.sleep(30)), attempt())
    assert verdict.kind == "wrong" and "no answer within 1 s" in verdict.sentence


def test_what_cannot_be_looked_at_is_a_verdict(attempt, spark: SparkSession) -> None:
    verdict = _judge(exercise_with(lambda made: spark.sql("SELECT nothing").collect()), attempt())
    assert verdict.kind == "wrong" and "UNRESOLVED_COLUMN" in verdict.sentence


def test_a_record_that_cannot_be_written_is_no_reason_for_an_exercise_to_fail(
    spark: SparkSession, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))  # a folder of somebody else's
    (tmp_path / "theirs").write_text("")
    grader = Grader(spark, None, {"faulty": 1})
    assert grader.check("01.3").kind == "wrong"
    assert grader.hint("01.3").text.startswith("Hint 1") and grader.solution("01.3").text
    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]


@pytest.mark.slow
def test_an_earlier_try_is_taken_away_and_nothing_else(
    spark: SparkSession, source: DataFrame, tmp_path: Path, monkeypatch
) -> None:
    from types import SimpleNamespace

    from streaming_classroom.exercises import catalogue

    made = Makes(variables=("q",), views=("v",), tables=("t",), folders=("checkpoints/t",))
    monkeypatch.setattr(catalogue, "find", lambda _: exercise_with(lambda _: None, made))
    home = f"dbfs:/exercise-{tmp_path.name}"
    paths = SimpleNamespace(user_db=f"{home}/database", working_dir=home)

    for folder in ("checkpoints/t", "checkpoints/other"):
        classroom_files().local_path(f"{home}/{folder}").mkdir(parents=True)
    for name in ("v", "other_v"):
        spark.range(1).createOrReplaceTempView(name)
    before = {table.name for table in spark.catalog.listTables()}
    for name in ("t", "other_t"):
        spark.range(1).write.saveAsTable(name)
    namespace = {"q": start(source, tmp_path), "other": 1}
    query = namespace["q"]
    # One that a function has started, and kept from every variable, and one with another checkpoint.
    lost, others = (
        source.writeStream.format("noop").option("checkpointLocation", f"{home}/checkpoints/{name}").start()
        for name in ("t", "other")
    )
    grader = Grader(spark, paths, namespace)
    grader.begin("01.1")
    grader.begin("01.1")  # once more, with nothing there
    assert not query.isActive and namespace == {"other": 1}
    assert not lost.isActive and others.isActive
    others.stop()
    after = {table.name for table in spark.catalog.listTables()}
    assert (after - before - {"made"}, before - after) == ({"other_t"}, {"v"})  # a stream's own table is no mistake
    assert not classroom_files().local_path(f"{home}/checkpoints/t").exists()
    assert classroom_files().local_path(f"{home}/checkpoints/other").exists()
    spark.sql("DROP TABLE other_t")


def test_a_stream_that_was_stopped_because_it_was_right_stays_right_when_asked_again(
    spark: SparkSession, source: DataFrame, tmp_path: Path, monkeypatch
) -> None:
    from dataclasses import replace

    from streaming_classroom.exercises import catalogue

    exercise = exercise_with(lambda attempt: attempt.wait_until_idle(attempt.stream("q")), Makes(variables=("q",)))
    monkeypatch.setattr(catalogue, "find", lambda _: replace(exercise, is_over_when_right=True))
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    namespace = {"q": start(source, tmp_path)}
    grader = Grader(spark, SimpleNamespace(working_dir="dbfs:/none"), namespace)
    first = grader.check("01.1")
    assert first.sentence.endswith("Your stream was stopped.") and not namespace["q"].isActive
    assert grader.check("01.1") == first
    namespace["q"] = start(source, tmp_path / "another")
    namespace["q"].stop()
    assert "has ended" in grader.check("01.1").sentence


@pytest.mark.slow
def test_tables_that_an_exercise_changes_are_restored_before_another_try(spark: SparkSession, monkeypatch) -> None:
    from streaming_classroom.exercises import catalogue

    made = Makes(changes=("changed", "not_there"))
    monkeypatch.setattr(catalogue, "find", lambda _: exercise_with(lambda _: None, made))
    grader = Grader(spark, SimpleNamespace(working_dir="dbfs:/none"), {})
    spark.range(2).write.saveAsTable("changed")
    grader.begin("01.1")
    spark.sql("DELETE FROM changed WHERE id = 1")
    spark.range(7, 9).write.mode("append").saveAsTable("changed")
    for _ in range(2):
        grader.begin("01.1")
        assert sorted(row.id for row in spark.table("changed").collect()) == [0, 1]
    spark.sql("DROP TABLE changed")
    spark.range(3).write.saveAsTable("changed")  # by the exercise before, tried again
    grader.begin("01.1")
    assert spark.table("changed").count() == 3
    spark.sql("DROP TABLE changed")


def exercise_with(check, makes: Makes | None = None):
    from dataclasses import replace

    from streaming_classroom.exercises import catalogue

    exercise = replace(catalogue.exercises_of("01")[0], check=check, hidden=())
    return replace(exercise, makes=makes) if makes else exercise
