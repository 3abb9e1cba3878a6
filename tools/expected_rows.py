"""Write what the solutions make of the hidden tests' data: ``.venv/bin/python tools/expected_rows.py [05 06 ...]``."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from streaming_classroom import get_spark, rows_per_batch, start_lesson
from streaming_classroom.exercises import Attempt, Exercise, catalogue
from streaming_classroom.exercises.catalogue import ExpectedRows
from streaming_classroom.exercises.grader import rows_of_cell


def results(exercises: Iterable[Exercise]) -> dict[str, ExpectedRows]:
    """Return the rows of the solutions, by exercise, for exercises with a hidden test."""
    from pyspark.sql import functions

    lesson = start_lesson("hidden")
    names = {"F": functions, "rows_per_batch": rows_per_batch}  # which cells above the exercises import
    attempt = Attempt(get_spark(), lesson.paths, names, kafka=lesson.kafka)
    try:
        return {
            exercise.id: [rows_of_cell(test, exercise.solution, attempt) for test in exercise.hidden]
            for exercise in exercises
            if exercise.hidden
        }
    finally:
        lesson.cleanup()


def main(lessons: list[str]) -> None:
    """Write the results of some lessons, or of all, beside the exercises."""
    if unknown := sorted(set(lessons) - set(catalogue.lessons())):
        sys.exit(f"Lesson {unknown[0]} has no exercises.")
    exercises = [exercise for lesson in lessons or catalogue.lessons() for exercise in catalogue.exercises_of(lesson)]
    found = results(exercises)
    catalogue.store_expected_rows(catalogue.all_expected_rows() | found)
    print(f"Wrote {', '.join(found) or 'nothing, as no exercise has a hidden test,'} into exercises/expected.json.")


if __name__ == "__main__":
    main(sys.argv[1:])
