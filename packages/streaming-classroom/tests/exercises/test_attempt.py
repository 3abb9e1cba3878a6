"""What a check can ask, of real streams; and the sentences for whoever has made something else."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom.exercises import Attempt, MadeStream, Makes, Mistake, NotTried, interval_of
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


def test_a_variable_that_is_not_there_or_none_was_not_tried(attempt) -> None:
    for given in (attempt(), attempt(query=None)):
        with pytest.raises(NotTried):
            given.stream("query")


def test_a_cell_that_ended_with_an_error_is_told_by_that(attempt) -> None:
    assert "ValueError: too late" in sentence(attempt(error=ValueError("too late\nmore"), query=None).stream, "query")


def test_what_awaitTermination_returns_is_no_stream(attempt, spark: SparkSession, source: DataFrame) -> None:
    spark.range(1).createOrReplaceTempView("made")
    assert "`awaitTermination()` returns" in sentence(attempt(makes=Makes(tables=("made",)), q=None).stream, "q")
    assert "a bool, not a stream" in sentence(attempt(q=True).stream, "q")


def test_what_was_not_started_is_no_stream(attempt, spark: SparkSession, source: DataFrame) -> None:
    assert "a stream that nobody writes yet" in sentence(attempt(q=source).stream, "q")
    assert "an ordinary DataFrame" in sentence(attempt(q=spark.range(1)).stream, "q")
    assert "was not started" in sentence(attempt(q=source.writeStream).stream, "q")


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


def test_an_interval_is_told_in_seconds() -> None:
    assert [interval_of(trigger) for trigger in ("4 s", "0.5 s", "default", "availableNow", None)] == [
        4,
        0.5,
        None,
        None,
        None,
    ]


def test_a_stream_that_only_waits_is_known_at_once_not_to_end(attempt, source: DataFrame, tmp_path: Path) -> None:
    made = attempt(q=start(source, tmp_path))
    assert "still running. Stop it." in sentence(made.wait_for_end, made.stream("q"), "Stop it.")
    made.wait_until_idle(made.stream("q"))


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


def test_a_stream_over_connect_tells_nothing_of_its_trigger() -> None:
    class Remote:
        isActive = False

    remote = MadeStream(Remote())
    assert (remote.trigger, remote.mode, remote.checkpoint) == (None, None, None)


PATHS = SimpleNamespace(checkpoints="dbfs:/x/checkpoints", local=classroom_files().local_path)


class Stream:
    """A stream that tells its checkpoint and what its batches have read."""

    began_with_batch_0 = False

    def __init__(self, checkpoint: str | None, *rows_read: int) -> None:
        self.checkpoint, self.rows_read = checkpoint, list(rows_read)


@pytest.mark.parametrize(
    ("checkpoint", "rows_read", "words"),
    [
        ("dbfs:/x/checkpoints/theirs", [], "belongs to another query"),
        ("dbfs:/x/checkpoints/theirs", [5], "`mine` was asked for"),
        ("dbfs:/x/checkpoints/other/mine", [5], "`dbfs:/x/checkpoints/mine` was asked for"),
        ("file:/tmp/temporary-1f0e", [5], "Spark made a temporary one"),
    ],
)
def test_a_checkpoint_that_is_not_the_streams_own_is_a_mistake(
    checkpoint: str, rows_read: list[int], words: str
) -> None:
    nobodys = Attempt(None, PATHS, {})
    assert words in sentence(nobodys.must_have_checkpoint, Stream(checkpoint, *rows_read), "mine")


@pytest.mark.parametrize("checkpoint", ["dbfs:/x/checkpoints/mine", "dbfs:/x/checkpoints/mine/", None])
def test_ones_own_checkpoint_is_right_and_one_that_nobody_tells_as_well(checkpoint: str | None) -> None:
    Attempt(None, PATHS, {}).must_have_checkpoint(Stream(checkpoint, 5), "mine")


class Places:
    """Paths of which one is there."""

    working_dir = "dbfs:/x"

    def exists(self, path: str) -> bool:
        return path == "dbfs:/x/checkpoints/mine"


def test_what_a_stream_has_left_says_that_nobody_kept_it() -> None:
    makes = Makes(folders=("checkpoints/mine",))
    assert "no variable `q`" in sentence(Attempt(None, Places(), {}, makes=makes).stream, "q")
    assert "`awaitTermination()` returns" in sentence(Attempt(None, Places(), {"q": None}, makes=makes).stream, "q")


def test_what_the_starter_makes_itself_says_nothing() -> None:
    makes = Makes(folders=("checkpoints/mine",), by_starter=True)
    with pytest.raises(NotTried):
        Attempt(None, Places(), {"q": None}, makes=makes).stream("q")


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


@pytest.mark.slow
def test_a_check_may_run_a_stream_into_a_table_that_is_there(
    attempt, spark: SparkSession, source: DataFrame, tmp_path: Path
) -> None:
    def run(number: int) -> None:
        writer = source.writeStream.option("checkpointLocation", str(tmp_path / f"chk-{number}"))
        writer.trigger(availableNow=True).toTable("ran_by_a_check").awaitTermination(30)

    try:
        run(1)
        assert _judge(exercise_with(lambda _: run(2)), attempt()).is_right
        assert spark.table("ran_by_a_check").count() == 4
    finally:
        spark.sql("DROP TABLE IF EXISTS ran_by_a_check")


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


def test_topics_of_an_earlier_try_are_deleted(monkeypatch) -> None:
    from types import SimpleNamespace

    from streaming_classroom.exercises import catalogue

    deleted: list[str] = []
    monkeypatch.setattr(catalogue, "find", lambda _: exercise_with(lambda _: None, Makes(topics=("mine",))))
    monkeypatch.setattr("streaming_base.waiting.active_streams", lambda _spark: [])
    grader = Grader(None, None, {}, kafka=SimpleNamespace(delete_topic=deleted.append))  # type: ignore[arg-type]
    grader.begin("01.1")
    assert deleted == ["mine"]


def exercise_with(check, makes: Makes | None = None):
    from dataclasses import replace

    from streaming_classroom.exercises import catalogue

    exercise = replace(catalogue.exercises_of("01")[0], check=check, hidden=())
    return replace(exercise, makes=makes) if makes else exercise


def test_a_stream_that_began_in_the_middle_has_anothers_checkpoint() -> None:
    made, stream = Attempt(None, None, {}), SimpleNamespace(rows_read=[2, 1], began_with_batch_0=False)
    made.must_have_read(stream, 3)
    assert "has read 3 of 4 rows" in sentence(made.must_have_read, stream, 4)
    made.must_have_read(SimpleNamespace(rows_read=[2, 1], began_with_batch_0=True), 4)  # its filter keeps fewer


def test_a_checkpoint_that_does_not_last_or_has_another_name_is_a_mistake() -> None:
    made = Attempt(None, PATHS, {})
    for accepted in (None, "dbfs:/x/checkpoints/mine", "dbfs:/x/checkpoints/mine/"):
        made.must_have_checkpoint(SimpleNamespace(checkpoint=accepted, rows_read=[]), "mine")
    temporary = SimpleNamespace(checkpoint="file:/tmp/temporary-0b5e", rows_read=[5])
    assert "no checkpoint that lasts" in sentence(made.must_have_checkpoint, temporary, "mine")
    named_otherwise = SimpleNamespace(checkpoint="x/yours", rows_read=[5])
    assert "`yours`; `mine`" in sentence(made.must_have_checkpoint, named_otherwise, "mine")
