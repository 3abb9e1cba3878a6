from __future__ import annotations

import sys
from types import ModuleType

import pytest

from streaming_classroom.exercises import Makes, catalogue
from streaming_classroom.exercises.catalogue import UnknownExercise
from streaming_classroom.exercises.exercise_record import ExerciseRecord
from streaming_classroom.exercises.verdict import progress_shown

EVERY = catalogue.every()


def test_exercises_are_numbered_in_the_order_of_their_lesson() -> None:
    for lesson in catalogue.lessons():
        numbers = [exercise.id for exercise in catalogue.of_lesson(lesson)]
        assert numbers == [f"{lesson}.{number}" for number in range(1, len(numbers) + 1)]


def test_a_lesson_without_exercises_has_none() -> None:
    assert catalogue.of_lesson("99") == ()


@pytest.mark.parametrize("name", ["01.9", "1.1", "01", "", "x", "../01.1", "01.1.1"])
def test_a_number_that_does_not_exist_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(UnknownExercise, match=r"The nearest are \d\d"):
        catalogue.find(name)


def test_a_number_is_found_however_it_is_typed() -> None:
    assert catalogue.find(" 01.1 ").id == "01.1"


@pytest.mark.parametrize("exercise", EVERY, ids=lambda exercise: exercise.id)
def test_a_python_starter_takes_away_what_an_earlier_try_made(exercise) -> None:
    """And so does the solution; a starter in SQL drops its view, and variables need nothing."""
    for code in (exercise.starter, exercise.solution):
        if code.strip().startswith("%sql"):
            assert all(f"DROP VIEW IF EXISTS {view};" in code for view in exercise.makes.views)
        elif exercise.makes != Makes(variables=exercise.makes.variables):
            assert code.strip().startswith(f'DA.exercise("{exercise.id}")')


@pytest.mark.parametrize("exercise", EVERY, ids=lambda exercise: exercise.id)
def test_no_wrong_answer_is_the_solution_or_another_wrong_one(exercise) -> None:
    codes = [exercise.solution, *(wrong.code for wrong in exercise.wrong)]
    assert len(set(codes)) == len(codes)


def test_a_labs_exercises_come_after_those_of_its_lesson_and_are_found_by_their_number(tmp_path, monkeypatch) -> None:
    for name in ("lesson_02", "lesson_02l", "lesson_03"):
        (tmp_path / f"{name}.py").write_text(
            "from dataclasses import replace\nfrom lesson_exercises import lesson_01\n"
            f"EXERCISES = (replace(lesson_01.ASK, id='{name[7:].upper()}.1'),)\n"
        )
    package = ModuleType("some_exercises")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "some_exercises", package)
    monkeypatch.setattr(catalogue, "PACKAGE", "some_exercises")
    assert catalogue.lessons() == ["02", "02L", "03"]
    assert [catalogue.find(name).id for name in ("02L.1", "02l.1", "02.1")] == ["02L.1", "02L.1", "02.1"]
    assert progress_shown(ExerciseRecord(tmp_path / "record.json")).text.splitlines()[1] == "02L  ○       0 of 1 right"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("EXERCISES = (\n", "lesson_98.py cannot be read, line 1: SyntaxError: .* was never closed"),
        (
            "import re\n\nEXERCISES = (re.nothing,)\n",
            "lesson_98.py cannot be read, line 3: AttributeError: module 're'",
        ),
        ("EXERCISE = ()\n", "lesson_98.py cannot be read: AttributeError: .* has no attribute 'EXERCISES'"),
    ],
    ids=["syntax", "name", "none"],
)
def test_exercises_that_cannot_be_read_are_named_with_the_line(text: str, said: str, tmp_path, monkeypatch) -> None:
    (tmp_path / "lesson_98.py").write_text(text)
    package = ModuleType("broken_exercises")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "broken_exercises", package)
    monkeypatch.setattr(catalogue, "PACKAGE", "broken_exercises")
    with pytest.raises(catalogue.BrokenExercises, match=said):
        catalogue.of_lesson("98")
