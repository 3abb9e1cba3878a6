from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming_classroom.errors import LessonBusy, NotAvailable
from streaming_classroom.files import directories
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import lesson as module
from streaming_classroom.lesson import storage
from streaming_classroom.lesson.lesson import Lesson, start_lesson
from streaming_classroom.lesson.storage import identifier

READINGS = "device-readings/readings"


@pytest.fixture(autouse=True)
def no_lesson_is_left(spark: SparkSession) -> Iterator[None]:
    """Clean up the lesson that a test has open."""
    yield
    if module._current is not None:
        module.cleanup()


@pytest.fixture
def another_kernel(hold_lock) -> Iterator[subprocess.Popen[str]]:
    """Have a process that holds the lock of lesson "Test", as another kernel would."""
    with hold_lock(directories.home() / "locks" / f"{identifier('Test')}.lock") as process:
        yield process


def files_of(lesson: Lesson) -> list[str]:
    """Return the files in a lesson's working directory."""
    directory = classroom_files().local_path(lesson.paths.working_dir)
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())


def make_a_mess(spark: SparkSession, lesson: Lesson) -> None:
    """Leave a table, a view, a file, and a stream that writes."""
    spark.range(3).write.saveAsTable("numbers")
    spark.sql("CREATE TEMPORARY VIEW numbers_view AS SELECT * FROM numbers")
    Path(classroom_files().local_path(lesson.paths.working_dir) / "notes.txt").write_text("mine")
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    rows.writeStream.option("checkpointLocation", f"{lesson.paths.checkpoints}/s").toTable("silver")


def test_a_lesson_has_its_names_and_paths(spark: SparkSession) -> None:
    lesson = start_lesson("03 Triggers & Co.")
    assert (lesson.lesson, lesson.username, lesson.catalog_name) == ("03 Triggers & Co.", "learner", "spark_catalog")
    assert lesson.schema_name == "learner_03_triggers_co_03d2e28e"
    assert lesson.paths.working_dir == "dbfs:/user/learner/streaming-classroom/03_triggers_co_03d2e28e"
    assert spark.catalog.currentDatabase() == lesson.schema_name
    assert lesson.paths.exists(lesson.paths.working_dir)
    assert spark.read.json(f"{lesson.paths.datasets}/device-readings/patients.json").count() == 12


@pytest.mark.slow
@pytest.mark.parametrize("state", ["running", "killed"])
def test_starting_again_starts_over(spark: SparkSession, state: str) -> None:
    first = start_lesson("Test", dataset=READINGS)
    first.data_factory.load()
    make_a_mess(spark, first)
    if state == "killed":
        forget_the_catalog(spark, first)
    second = start_lesson("Test", dataset=READINGS)
    assert spark.streams.active == []
    assert files_of(second) == []
    assert spark.catalog.listTables() == []
    assert second.data_factory.landed == 0
    make_a_mess(spark, second)


def test_a_stream_can_read_the_landing_zone_before_anything_has_landed(spark: SparkSession) -> None:
    lesson = start_lesson("Test", dataset=READINGS)
    source = spark.readStream.schema("device_id INT").json(lesson.paths.landing)
    source.writeStream.format("memory").queryName("landed").start()
    lesson.data_factory.load()
    assert spark.table("landed").count() == 1152


@pytest.mark.slow
def test_resuming_keeps_tables_files_and_position(spark: SparkSession) -> None:
    first = start_lesson("Test", dataset=READINGS, into_table="bronze")
    first.data_factory.load()
    spark.range(3).write.saveAsTable("`1d`")  # a name that is a number to SQL
    forget_the_catalog(spark, first)
    second = start_lesson("Test", dataset=READINGS, into_table="bronze", resume=True)
    assert second.data_factory.landed == 1
    second.data_factory.load()
    assert spark.table("bronze").count() == 2274
    assert spark.table("`1d`").count() == 3


@pytest.mark.slow
def test_cleanup_leaves_nothing_and_may_be_called_twice(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    lesson = start_lesson("Test")
    make_a_mess(spark, lesson)
    lesson.cleanup()
    lesson.cleanup()
    assert capsys.readouterr().out == "Lesson Test is cleaned up.\n" * 2
    assert spark.streams.active == []
    assert not lesson.paths.exists(lesson.paths.working_dir)
    assert not spark.catalog.databaseExists(lesson.schema_name)


@pytest.mark.slow
def test_a_refused_kernel_cannot_clean_up_the_other_ones_lesson(another_kernel: subprocess.Popen[str]) -> None:
    theirs = classroom_files().local_path(f"{storage.base_path()}/{identifier('Test')}") / "theirs.txt"
    theirs.parent.mkdir(parents=True, exist_ok=True)
    theirs.touch()
    with pytest.raises(LessonBusy):
        start_lesson("Test")
    module.cleanup()
    assert theirs.exists()


@pytest.mark.slow
def test_a_lesson_goes_on_while_the_one_that_was_asked_for_is_busy(
    spark: SparkSession, another_kernel: subprocess.Popen[str]
) -> None:
    mine = start_lesson("mine")
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    query = rows.writeStream.format("memory").queryName("rows").start()
    with pytest.raises(LessonBusy):
        start_lesson("Test")
    assert mine.is_open and query.isActive
    assert spark.conf.get("da.paths.working_dir") == mine.paths.working_dir
    assert spark.catalog.currentDatabase() == mine.schema_name
    assert _is_locked(mine)


def test_a_lesson_that_cannot_start_leaves_the_present_one_as_it_is(spark: SparkSession) -> None:
    mine = start_lesson("mine")
    with pytest.raises(NotAvailable, match="There is no dataset"):
        start_lesson("other", dataset="cats/all")
    assert mine.is_open
    assert spark.conf.get("da.paths.working_dir") == mine.paths.working_dir
    with pytest.raises(NotAvailable, match="There is no dataset"):
        start_lesson("mine", dataset="cats/all")
    assert mine.is_open and _is_locked(mine)


def _is_locked(lesson: Lesson) -> bool:
    """Return whether another kernel would find the lesson busy."""
    return not _is_free(Path(lesson._directory.lock.lock_file))


def _is_free(lock: Path) -> bool:
    code = f"from filelock import FileLock; FileLock({str(lock)!r}).acquire(timeout=0)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.parametrize("names", [("Потоки", "日本語", "..."), ("a-b", "a_b", "a.b", "A-B"), ("x" * 300, "x" * 301)])
def test_names_are_kept_apart_whatever_their_letters(spark: SparkSession, names: tuple[str, ...]) -> None:
    lessons = [start_lesson(name) for name in names]
    for other in lessons[1:]:
        assert other.paths.working_dir != lessons[0].paths.working_dir
    directories = {lesson.paths.working_dir.casefold() for lesson in lessons}
    assert len(directories) == len({lesson.schema_name for lesson in lessons}) == len(names)
    assert all(directory.rpartition("/")[0] == storage.base_path() for directory in directories)
    assert all(lesson.paths.exists(lesson.paths.working_dir) for lesson in lessons)


@pytest.mark.parametrize("name", ["", " ", "\n\t"])
def test_a_lesson_without_a_name_is_refused(spark: SparkSession, name: str) -> None:
    with pytest.raises(NotAvailable, match="A lesson needs a name"):
        start_lesson(name)


@pytest.mark.parametrize("end", ["cleanup", "another lesson", "the same again"])
def test_a_lesson_is_free_for_others_when_it_has_ended(end: str, run_python) -> None:
    lesson = start_lesson("Test")
    lock = f"from filelock import FileLock; FileLock({lesson._directory.lock.lock_file!r}).acquire(timeout=0)"
    assert "Timeout" in run_python(lock).stderr
    {"cleanup": lesson.cleanup, "another lesson": lambda: start_lesson("Other")}.get(
        end, lambda: start_lesson("Test").cleanup()
    )()
    assert run_python(lock).stderr == ""


def test_paths_are_settings_of_spark_and_can_be_used_in_sql(spark: SparkSession) -> None:
    lesson = start_lesson("Test")
    lesson.paths.mine = "dbfs:/mnt/mine"
    assert spark.conf.get("da.paths.mine") == "dbfs:/mnt/mine"
    assert spark.conf.get("da.paths.checkpoints") == lesson.paths.checkpoints
    spark.range(4).write.json(f"{lesson.paths.working_dir}/numbers")
    assert spark.sql("SELECT * FROM json.`${da.paths.working_dir}/numbers`").count() == 4


def test_a_lesson_without_a_dataset_says_so() -> None:
    lesson = start_lesson("Test")
    with pytest.raises(NotAvailable, match=r"Pass dataset=\.\.\. to start_lesson"):
        lesson.data_factory.load()
    assert not hasattr(lesson, "datafactory")


@pytest.mark.slow
def test_a_user_may_have_an_apostrophe_and_a_blank(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSROOM_USER", "Ann O'Neil")
    lesson = start_lesson("Test", dataset=READINGS, into_table="bronze")
    lesson.data_factory.load()
    assert lesson.schema_name == "_".join(map(identifier, ("Ann O'Neil", "Test")))
    forget_the_catalog(spark, lesson)
    start_lesson("Test", resume=True)
    assert spark.table("bronze").count() == 1152


def forget_the_catalog(spark: SparkSession, lesson: Lesson) -> None:
    """Do to the catalog what the end of a kernel does: files stay, names are forgotten."""
    for query in spark.streams.active:
        query.stop()
    directory = classroom_files().local_path(lesson.paths.working_dir)
    aside = directory.with_name("aside")
    directory.rename(aside)
    spark.catalog.setCurrentDatabase("default")
    spark.sql(f"DROP SCHEMA {lesson.schema_name} CASCADE")
    shutil.rmtree(directory, ignore_errors=True)
    aside.rename(directory)


def test_a_crash_before_the_commit_removes_the_newest_entry_of_the_commit_log() -> None:
    lesson = start_lesson("Test")
    commits = classroom_files().local_path(f"{lesson.paths.checkpoints}/copy/commits")
    commits.mkdir(parents=True)
    for name in ("9", ".9.crc", "10", ".10.crc"):
        (commits / name).touch()
    assert lesson.crash_before_commit(f"{lesson.paths.checkpoints}/copy") == 10
    assert sorted(path.name for path in commits.iterdir()) == [".9.crc", "9"]
    with pytest.raises(NotAvailable, match="has no commit to remove"):
        lesson.crash_before_commit(f"{lesson.paths.checkpoints}/another")


def test_several_datasets_land_each_in_a_folder_of_its_own() -> None:
    lesson = start_lesson("Test", dataset=["device-readings/patients.json", "device-readings/readings"])
    lesson.data_factory.load()
    landed = classroom_files().local_path(lesson.paths.landing)
    files = sorted(path.relative_to(landed).as_posix() for path in landed.rglob("*.json"))
    assert files == ["patients/patients.json", "readings/2025-06-01.json"]
