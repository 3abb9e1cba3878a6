"""The grader behind ``DA.check``: prepares an attempt, runs its check and its hidden tests, and returns a verdict.

A hidden test runs the learner's cell in a sandbox on planted data, and compares its rows with those of the solution.
"""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, MutableMapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from streaming_base import front_end, waiting
from streaming_base.errors import short_message
from streaming_base.stopped_session import refuse_stopped
from streaming_base.waiting import wait_line
from streaming_classroom.errors import ClassroomError
from streaming_classroom.exercises import catalogue, last_cell
from streaming_classroom.exercises.attempt import Attempt
from streaming_classroom.exercises.exercise import Exercise, HiddenTest, Mistake, NotTried
from streaming_classroom.exercises.made_stream import MadeStream
from streaming_classroom.exercises.progress import ExerciseRecord, progress_shown
from streaming_classroom.exercises.quiz import NoQuiz, Predictions, answer_shown, is_right, quiz_shown
from streaming_classroom.exercises.sandbox import CannotRunError, CellFailedError, Sandbox, open_sandbox
from streaming_classroom.exercises.verdict import (
    RowDifference,
    Rows,
    Verdict,
    difference,
    hint_shown,
    solution_shown,
)
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import storage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from streaming_classroom.exercises.exercise import Makes
    from streaming_classroom.exercises.verdict import Guidance
    from streaming_classroom.files.directories import Paths
    from streaming_classroom.kafka.topics import LessonKafka

_log = logging.getLogger(__name__)
DEADLINE = 90.0  # seconds that a check may take, with all its waits
HIDDEN_DEADLINE = 120.0  # seconds more where there are hidden tests; on an idle machine they take a tenth of it
SPARE = 15.0  # seconds of the deadline that are left for comparisons
RIGHT, NOT_TRIED = "right.", "not tried yet."
_TAG = "exercise-check"


class Grader:
    """Grades the exercises of one kernel.

    ``spark``: the lesson's session; ``paths``: the lesson's paths; ``namespace``: the notebook's variables; by
    default those of the running notebook; ``kafka``: the lesson's topics.
    """

    def __init__(
        self,
        spark: SparkSession,
        paths: Paths,
        namespace: MutableMapping[str, Any] | None = None,
        kafka: LessonKafka | None = None,
    ) -> None:
        self.predictions = Predictions()
        self._spark = spark
        self._paths = paths
        self._kafka = kafka
        self._given = namespace
        self._record = ExerciseRecord()
        self._hints: dict[str, int] = {}
        self._before: dict[tuple[str, str, str], int] = {}  # versions of tables, by exercise, name and id
        self._stopped: dict[str, tuple[set[str], Verdict]] = {}  # the runs that a check has stopped, and its verdict

    def begin(self, name: str) -> None:
        """Remove what an earlier attempt has created: its streams, tables, views, directories and topics.

        Tables that the exercise changes are restored.

        Raises UnknownExercise: there is no exercise with this number.
        """
        makes = catalogue.find(name).makes
        waiting.stop_streams(self._streams_of(makes))
        for variable in makes.variables:
            self._namespace.pop(variable, None)
        for view in makes.views:
            self._spark.sql(f"DROP VIEW IF EXISTS {view}")
        for table in makes.tables:
            self._spark.sql(f"DROP TABLE IF EXISTS {table}")
            storage.remove_tree(f"{self._paths.user_db}/{table.lower()}")
        for folder in makes.folders:
            storage.remove_tree(f"{self._paths.working_dir}/{folder}")
        for topic in makes.topics:
            self._kafka.delete_topic(topic)
        for table in makes.changes:
            self._restore(name.strip(), table)

    def check(self, name: str) -> Verdict:
        """Check an attempt, and return a verdict before the deadline.

        Raises UnknownExercise: there is no exercise with this number; SessionStopped: the Spark session was stopped.
        """
        exercise = catalogue.find(name)
        refuse_stopped(self._spark)  # without a session, every attempt would count as not tried
        streams = self._streams_of(exercise.makes) if exercise.is_over_when_right else []
        runs = {str(query.runId) for query in streams}
        if streams and name in self._stopped and self._stopped[name][0] == runs:
            return self._stopped[name][1]  # a check has stopped these streams because they were right
        attempt = Attempt(
            self._spark,
            self._paths,
            self._namespace,
            last_cell.error(exercise.id, exercise.makes.names),
            exercise.makes,
            self._kafka,
            DEADLINE - SPARE,
            last_cell.source_of(exercise),
        )
        verdict = _judge(exercise, attempt)
        if verdict.is_right and streams:
            waiting.stop_streams(streams)
            verdict = replace(verdict, sentence=f"{verdict.sentence} Your stream was stopped.")
            self._stopped[name] = runs, verdict
        if verdict.kind != "not tried":
            self._save(self._record.tried, exercise.id, verdict.is_right)
        return verdict

    def hint(self, name: str) -> Guidance:
        """Return an exercise's next hint; after the last hint, the last one again."""
        exercise = catalogue.find(name)
        number = min(self._hints.get(exercise.id, 0) + 1, len(exercise.hints))
        self._hints[exercise.id] = number
        self._save(self._record.hint, exercise.id, number)
        return hint_shown(exercise, number)

    def solution(self, name: str) -> Guidance:
        """Return an exercise's solution and explanation."""
        exercise = catalogue.find(name)
        self._save(self._record.solution, exercise.id)
        return solution_shown(exercise)

    def quiz(self, lesson: str, number: int | None = None, letter: str = "") -> Guidance:
        """Return a lesson's quiz, one of its questions, or whether a choice is right.

        Raises NoQuiz: the lesson has no quiz; NoSuchChoice: the quiz has no such question, or the question no such
        choice.
        """
        questions = catalogue.quiz_of(lesson)
        if not questions:
            raise NoQuiz(lesson)
        if number is None or not letter:
            return quiz_shown(questions, number)
        answer = answer_shown(questions, number, letter)
        self._save(self._record.chose, lesson, number, letter, is_right(questions, number, letter))
        return answer

    def predict(self, name: str, value: object) -> Guidance:
        """Record a prediction and return it; an unchanged ``...`` is not recorded."""
        if value is not ...:
            self._save(self._record.predicted, name, repr(value))
        return self.predictions.predict(name, value)

    def outcome(self, name: str, value: object) -> Guidance:
        """Return how a prediction compares with what happened, and record whether it was right."""
        compared = self.predictions.outcome(name, value)
        if self.predictions.is_right(name):
            self._save(self._record.predicted_right, name)
        return compared

    def progress(self) -> Guidance:
        """Return the progress, lesson by lesson."""
        return progress_shown(self._record)

    def _save(self, save: Callable[..., None], *values: object) -> None:
        """Write into the record; ignore errors, because an exercise must not fail if the record cannot be written."""
        with suppress(OSError, ClassroomError):
            save(*values)

    def _restore(self, exercise: str, table: str) -> None:
        """Restore a table to the version that it had when the exercise was begun for the first time."""
        if not self._spark.catalog.tableExists(table):
            return
        # A table that was created again since has another id, and another first version.
        begun = exercise, table, self._spark.sql(f"DESCRIBE DETAIL {table}").first()["id"]
        now = self._spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").first()["version"]
        before = self._before.setdefault(begun, now)
        if before < now:
            self._spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF {before}")

    def _streams_of(self, makes: Makes) -> list[StreamingQuery]:
        """Return the streams of an exercise, by its variables, their names and their checkpoints."""
        held = [self._namespace.get(variable) for variable in makes.variables]
        folders = [f"{self._paths.working_dir}/{folder}" for folder in makes.folders]
        others = [
            query
            for query in waiting.active_streams(self._spark)
            if query.name in makes.streams or self._is_below(MadeStream(query).checkpoint, folders)
        ]
        # By the name of its type: a DataFrame over Connect takes any attribute for a column.
        return [value for value in held if type(value).__name__ == "StreamingQuery"] + others

    @staticmethod
    def _is_below(checkpoint: str | None, folders: list[str]) -> bool:
        if checkpoint is None:
            return False
        with suppress(Exception):  # a checkpoint that is not on this machine
            local = classroom_files().local_path
            return any(local(checkpoint).is_relative_to(local(folder)) for folder in folders)
        return False

    @property
    def _namespace(self) -> MutableMapping[str, Any]:
        if self._given is not None:
            return self._given
        shell = front_end.ipython()
        return shell.user_ns if shell is not None else {}


def _judge(exercise: Exercise, attempt: Attempt) -> Verdict:
    """Run a check in a thread of its own, so that there is a verdict on a computation that never ends, too."""
    found: list[Verdict] = []

    def judge() -> None:
        _enter(attempt.spark)
        _tag(attempt.spark.addTag)
        found.append(_verdict(exercise, attempt))

    with wait_line(lambda: f"checking {exercise.id}"):
        run_here = contextvars.copy_context().run  # the thread's own waits are shown in the same line
        thread = threading.Thread(target=run_here, args=(judge,), name=f"check {exercise.id}", daemon=True)
        thread.start()
        seconds = DEADLINE + (HIDDEN_DEADLINE if exercise.hidden else 0)
        thread.join(seconds)
    if found:
        return found[0]
    _tag(attempt.spark.interruptTag)
    return Verdict(exercise, "wrong", f"there was no answer within {seconds:.0f} s: what you made has no end.")


def _verdict(exercise: Exercise, attempt: Attempt) -> Verdict:
    try:
        exercise.check(attempt)
        untested = run_hidden_tests(exercise, attempt)
    except NotTried:
        return Verdict(exercise, "not tried", NOT_TRIED)
    except Mistake as mistake:
        return Verdict(exercise, "wrong", mistake.sentence, mistake.difference)
    except Exception as error:  # whatever the learner has created raises when it is read
        return Verdict(exercise, "wrong", f"It cannot be looked at. Spark says: {short_message(error)}")
    return Verdict(exercise, "right", f"right on the data that is here. {untested}" if untested else RIGHT)


def _enter(spark: SparkSession) -> None:
    """Set this thread's active session, which Delta's ``toTable`` uses, to the notebook's."""
    if hasattr(spark, "_jsparkSession"):  # over Connect the server does
        spark._jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(spark._jsparkSession)


def _tag(call: Callable[[str], object]) -> None:
    with suppress(Exception):  # not every session has tags; without them, Spark finishes the abandoned computation
        call(_TAG)


def run_hidden_tests(exercise: Exercise, attempt: Attempt) -> str:
    """Run an exercise's hidden tests; return a sentence on what could not be tested, or an empty text.

    Raises Mistake: the cell fails, or its rows differ from those of the solution.
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
            raise _mistake_of_solution(exercise, mistake) from mistake
        except Exception as error:  # of the sandbox itself, not of the cell
            _log.warning("a hidden test of %s failed", exercise.id, exc_info=True)
            return f"It was not run on other data: the sandbox failed with {type(error).__name__}."
    return ""


def _mistake_of_solution(exercise: Exercise, mistake: Mistake) -> Mistake:
    """Return the mistake of a solution that does not pass its own hidden test."""
    lesson = exercise.id.partition(".")[0]
    return Mistake(
        "This is the solution itself, so your cell is not to blame: `exercises/expected.json` may be older than the "
        f"exercise. `tools/expected_rows.py {lesson}` writes it again. {mistake.sentence}",
        mistake.difference,
    )


def rows_of_cell(test: HiddenTest, source: str, attempt: Attempt) -> list[tuple[str, Rows]]:
    """Run a cell in a hidden test; return the names and rows of the results.

    Raises CannotRunError, CellFailedError: as :meth:`Sandbox.run`.
    """
    with _sandbox(test, attempt) as sandbox:
        _play(test, source, sandbox)
        return [(_name(result), Rows.from_frame(_result(sandbox, result, test))) for result in test.results]


def _compare(exercise: Exercise, number: int, test: HiddenTest, source: str, attempt: Attempt) -> None:
    right = catalogue.expected_rows(exercise.id, number) or rows_of_cell(test, exercise.solution, attempt)
    with _sandbox(test, attempt) as sandbox:
        try:
            _play(test, source, sandbox)
            made = [_result(sandbox, result, test) for result in test.results]
        except CellFailedError as error:
            raise Mistake(f"{test.says} There your cell fails: {error}") from error
        for (name, rows), frame in zip(right, made, strict=True):
            if found := _difference(frame, rows, name, test):
                raise Mistake(f"{test.says} {found.sentence}", found.table)


def _difference(made: DataFrame, right: Rows, name: str, test: HiddenTest) -> RowDifference | None:
    """Compare rows; a view that fails when it is read is a mistake, as if the cell had failed."""
    from pyspark.errors import PySparkException  # slow to import, and already loaded in a lesson

    try:
        return difference(made, right, name)
    except PySparkException as error:
        raise Mistake(f"{test.says} There `{name}` fails when it is read: {short_message(error)}") from error


def _sandbox(test: HiddenTest, attempt: Attempt) -> AbstractContextManager[Sandbox]:
    kafka = attempt.kafka if test.needs_kafka else None
    return open_sandbox(attempt.spark, attempt.paths, attempt.namespace, kafka)


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
