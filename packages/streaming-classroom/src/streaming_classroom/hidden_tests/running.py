"""Runs hidden tests: the learner's cell on planted data, compared with what the solution makes of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from streaming_base.errors import short_message
from streaming_classroom.exercises.exercise import Exercise
from streaming_classroom.exercises.hidden_test import HiddenTest
from streaming_classroom.exercises.made_stream import Mistake
from streaming_classroom.exercises.same_rows import RowDifference, Rows, difference
from streaming_classroom.hidden_tests import expected_rows
from streaming_classroom.hidden_tests.sandbox import CannotRunError, CellFailedError, Sandbox, opened

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.attempt import Attempt


_log = logging.getLogger(__name__)


def run(exercise: Exercise, attempt: Attempt) -> str:
    """Run an exercise's hidden tests; return what could not be tested, in a sentence, or nothing.

    Raises
    ------
    Mistake
        The cell makes something else than the solution does, or fails.
    """
    tests = exercise.hidden
    if not tests:
        return ""
    if not hasattr(attempt.spark, "_jsparkSession"):
        return "It was not run on other data: that needs a session that is not over Spark Connect."
    source = attempt.source
    if source is None:
        return "It was not run on other data: this kernel has not seen your cell. Run it again to have it tested fully."
    for number, test in enumerate(tests):
        try:
            _compare(exercise, number, test, source, attempt)
        except CannotRunError as reason:
            return str(reason)
        except Mistake as mistake:
            if source.strip() != exercise.solution.strip():
                raise
            raise _of_the_author(exercise, mistake) from mistake
        except Exception as error:  # of the sandbox itself, which says nothing about the cell
            _log.warning("a hidden test of %s failed", exercise.id, exc_info=True)
            return f"It was not run on other data: the sandbox failed with {type(error).__name__}."
    return ""


def _of_the_author(exercise: Exercise, mistake: Mistake) -> Mistake:
    """Return what a solution that does not pass its own hidden test means."""
    lesson = exercise.id.partition(".")[0]
    return Mistake(
        "This is the solution itself, so your cell is not to blame: `exercises/expected.json` may be older than the "
        f"exercise. `tools/expected_rows.py {lesson}` writes it again. {mistake.sentence}",
        mistake.difference,
    )


def made_by(exercise: Exercise, test: HiddenTest, source: str, attempt: Attempt) -> list[tuple[str, Rows]]:
    """Return the names of a test's results, and the rows that a cell makes.

    Raises
    ------
    CannotRunError, CellFailedError
        As :meth:`Sandbox.run`.
    """
    with _opened(test, attempt) as sandbox:
        _play(test, source, sandbox)
        return [(_name(result), Rows.of(_result(sandbox, result, test))) for result in test.results]


def _compare(exercise: Exercise, number: int, test: HiddenTest, source: str, attempt: Attempt) -> None:
    right = expected_rows.rows(exercise.id, number) or made_by(exercise, test, exercise.solution, attempt)
    with _opened(test, attempt) as sandbox:
        try:
            _play(test, source, sandbox)
            made = [_result(sandbox, result, test) for result in test.results]
        except CellFailedError as error:
            raise Mistake(f"{test.says} There your cell fails: {error}") from error
        for (name, rows), frame in zip(right, made, strict=True):
            if found := _difference(frame, rows, name, test):
                raise Mistake(f"{test.says} {found.sentence}", found.table)


def _difference(made: DataFrame, right: Rows, name: str, test: HiddenTest) -> RowDifference | None:
    """Compare rows; a view that fails only where it is read is the cell's mistake, as if the cell had failed."""
    from pyspark.errors import PySparkException  # pyspark is slow to import, and a lesson has it

    try:
        return difference(made, right, name)
    except PySparkException as error:
        raise Mistake(f"{test.says} There `{name}` fails when it is read: {short_message(error)}") from error


def _opened(test: HiddenTest, attempt: Attempt) -> AbstractContextManager[Sandbox]:
    kafka = attempt.kafka if test.needs_kafka else None
    return opened(attempt.spark, attempt.paths, attempt.namespace, kafka)


def _play(test: HiddenTest, source: str, sandbox: Sandbox) -> None:
    sandbox.above = test.above
    test.given(sandbox)
    sandbox.run(source, test.may_fail)
    for arrive in test.later:
        arrive(sandbox)
        sandbox.run(source, test.may_fail)
    if test.after is not None:
        test.after(sandbox)


def _result(sandbox: Sandbox, result: str | Callable[[Sandbox], DataFrame], test: HiddenTest) -> DataFrame:
    return sandbox.rows(result, test.mode) if isinstance(result, str) else result(sandbox)


def _name(result: str | Callable[[Sandbox], DataFrame]) -> str:
    return result if isinstance(result, str) else result.__name__.strip("_")
