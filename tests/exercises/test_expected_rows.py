"""What is kept beside the exercises is what their solutions make of the hidden tests' data."""

from __future__ import annotations

import pytest

import expected_rows as tool
from streaming_classroom.exercises import catalogue
from suite.selection import lesson_cases


@pytest.mark.parametrize("lesson", lesson_cases(catalogue.lessons()))
def test_what_is_kept_is_what_the_solutions_make(spark, lesson: str) -> None:
    exercises = catalogue.exercises_of(lesson)
    kept = catalogue.all_expected_rows()
    assert tool.results(exercises) == {one.id: kept.get(one.id) for one in exercises if one.hidden}


def test_each_hidden_test_has_its_rows() -> None:
    every = catalogue.all_exercises()
    expected = {exercise.id: len(exercise.hidden) for exercise in every if exercise.hidden}
    assert {name: len(tests) for name, tests in catalogue.all_expected_rows().items()} == expected
