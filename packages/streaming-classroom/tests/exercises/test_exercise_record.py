from __future__ import annotations

import csv
import io
import shutil
import threading
from pathlib import Path

import pytest

from streaming_classroom.exercises.progress import NAME, ExerciseProgress, ExerciseRecord, write_class
from streaming_classroom.files import directories


@pytest.fixture
def record(tmp_path: Path) -> ExerciseRecord:
    return ExerciseRecord(tmp_path / "home" / NAME)


def test_tries_are_counted_and_the_first_right_one_is_dated(record: ExerciseRecord) -> None:
    record.tried("05.2", is_right=False)
    assert record.read() == {"05.2": ExerciseProgress(tries=1)}
    record.tried("05.2", is_right=True)
    first = record.read()["05.2"]
    record.tried("05.2", is_right=True)
    assert first.tries == 2 and first.right and record.read()["05.2"].right == first.right


def test_a_solution_that_was_read_after_it_was_right_is_none_that_helped(record: ExerciseRecord) -> None:
    record.tried("05.1", is_right=True)
    record.solution("05.1")
    record.solution("05.2")
    record.tried("05.2", is_right=True)
    assert [done.saw_solution for done in record.read().values()] == [False, True]


def test_of_a_question_the_first_choice_counts(record: ExerciseRecord) -> None:
    record.chose("05", 2, "a", is_right=False)
    record.chose("05", 2, "b", is_right=True)
    record.chose("05l", 1, "c", is_right=True)
    first, second = record.read()["05 quiz 2"], record.read()["05L quiz 1"]
    assert (first.chosen, first.right, first.tries) == ("a", "", 2) and second.chosen == "c" and second.right


def test_it_is_there_for_the_next_kernel(record: ExerciseRecord) -> None:
    record.hint("05.1", 2)
    record.hint("05.1", 1)  # a new kernel begins with the first hint again
    assert ExerciseRecord(record.path).read() == {"05.1": ExerciseProgress(hints=2)}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"05.1": 3}', '{"05.1": {"unknown": 1}}', "\0"])
def test_a_file_that_cannot_be_read_is_as_none(record: ExerciseRecord, text: str) -> None:
    directories.claim(record.path.parent)
    record.path.write_text(text)
    assert record.read() == {}
    record.tried("05.1", is_right=False)
    assert record.read() == {"05.1": ExerciseProgress(tries=1)}


def test_two_kernels_at_once_lose_nothing(record: ExerciseRecord) -> None:
    def try_often() -> None:
        for _ in range(20):
            ExerciseRecord(record.path).tried("05.1", is_right=False)

    threads = [threading.Thread(target=try_often) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert record.read()["05.1"].tries == 60
    assert [path.name for path in record.path.parent.iterdir() if path.suffix not in (".json", ".lock")] == [
        directories.MARKER
    ]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout whose home and workspace are where nobody has moved them."""
    monkeypatch.setattr(directories, "PROJECT", tmp_path)
    for name in ("CLASSROOM_HOME", "CLASSROOM_WORK"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_progress_is_kept_in_the_workspace_when_home_and_cache_are_deleted(project: Path) -> None:
    directories.claim(directories.home())
    ExerciseRecord().tried("05.1", is_right=True)

    shutil.rmtree(directories.home())

    assert ExerciseRecord().read()["05.1"].right
    assert (project / "work" / "progress" / NAME).exists()


def test_a_class_is_a_line_per_learner_and_begun_lesson(tmp_path: Path) -> None:
    ada, bo = ExerciseRecord(tmp_path / "ada.json"), ExerciseRecord(tmp_path / "bo" / NAME)
    ada.tried("05.1", is_right=False)
    ada.tried("05.1", is_right=True)
    ada.hint("05.2", 2)
    bo.chose("02", 1, "a", is_right=True)
    file = io.StringIO()

    learners = write_class(tmp_path, file)

    rows = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert learners == 2
    assert [(row["learner"], row["lesson"], row["right"], row["verdicts"], row["hints"]) for row in rows] == [
        ("ada", "05", "1", "2", "2"),
        ("bo", "02", "0", "0", "0"),
    ]
    assert rows[1]["quiz_right"] == "1" and rows[0]["last_right"]


def test_a_file_of_a_class_that_is_no_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("[1]")

    with pytest.raises(ValueError, match=r"notes\.json is no record of exercises"):
        write_class(tmp_path, io.StringIO())
