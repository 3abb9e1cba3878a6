"""The grader behind ``DA.check``: makes room for an attempt, runs its check, returns a verdict."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from streaming_base import front_end, waiting
from streaming_base.errors import short_message
from streaming_base.stopped_session import refuse_stopped
from streaming_base.waiting import wait_line
from streaming_classroom.errors import ClassroomError
from streaming_classroom.exercises import catalogue, last_cell
from streaming_classroom.exercises.attempt import Attempt
from streaming_classroom.exercises.exercise import Exercise, NoQuiz
from streaming_classroom.exercises.exercise_record import ExerciseRecord
from streaming_classroom.exercises.made_stream import MadeStream, Mistake, NotTried
from streaming_classroom.exercises.quiz import answer_shown, is_right, quiz_shown
from streaming_classroom.exercises.verdict import Verdict, hint_shown, prediction_shown, progress_shown, solution_shown
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.session import user_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from streaming_classroom.exercises.made_stream import Makes
    from streaming_classroom.exercises.verdict import Guidance
    from streaming_classroom.files.directories import Paths
    from streaming_classroom.kafka.topics import LessonKafka

DEADLINE = 90.0  # seconds that a check may take, with all its waits
HIDDEN_DEADLINE = 120.0  # seconds more where there are hidden tests; on an idle machine they take a tenth of it
SPARE = 15.0  # of them, kept for comparing what has been made
RIGHT, NOT_TRIED = "right.", "not tried yet."
_TAG = "exercise-check"

TestHidden = Callable[[Exercise, Attempt], str]


def _none_to_test(_exercise: Exercise, _attempt: Attempt) -> str:
    return ""


class Grader:
    """The exercises of one kernel.

    Parameters
    ----------
    spark : SparkSession
        The lesson's session.
    paths : Paths
        The lesson's paths.
    namespace : mutable mapping, optional
        The notebook's variables; by default those of the running notebook.
    kafka : LessonKafka, optional
        The lesson's topics.
    test_hidden : callable, optional
        Runs an exercise's hidden tests where its check finds nothing wrong: raises a mistake, or returns a sentence on
        what could not be tested.
    """

    def __init__(
        self,
        spark: SparkSession,
        paths: Paths,
        namespace: MutableMapping[str, Any] | None = None,
        kafka: LessonKafka | None = None,
        test_hidden: TestHidden = _none_to_test,
    ) -> None:
        self._test_hidden = test_hidden
        self._spark = spark
        self._paths = paths
        self._kafka = kafka
        self._given = namespace
        self._record = ExerciseRecord()
        self._hints: dict[str, int] = {}
        self._before: dict[tuple[str, str, str], int] = {}  # versions of tables, by exercise, name and id

    def begin(self, name: str) -> None:
        """Take away what an earlier try of an exercise has made: its streams, tables, views, folders, topics.

        Tables that it changes are restored.

        Raises
        ------
        UnknownExercise
            There is none of that number.
        """
        makes = catalogue.find(name).makes
        waiting.stop_streams(self._streams_of(makes))
        for variable in makes.variables:
            self._namespace.pop(variable, None)
        for view in makes.views:
            self._spark.sql(f"DROP VIEW IF EXISTS {view}")
        for table in makes.tables:
            self._spark.sql(f"DROP TABLE IF EXISTS {table}")
            user_files.remove_tree(f"{self._paths.user_db}/{table.lower()}")
        for folder in makes.folders:
            user_files.remove_tree(f"{self._paths.working_dir}/{folder}")
        for topic in makes.topics:
            self._kafka.delete_topic(topic)
        for table in makes.changes:
            self._restore(name.strip(), table)

    def check(self, name: str) -> Verdict:
        """Check what was made, within a deadline, whatever it does.

        Raises
        ------
        UnknownExercise
            There is none of that number.
        SessionStopped
            The Spark session was stopped.
        """
        exercise = catalogue.find(name)
        refuse_stopped(self._spark)  # a check would take what it cannot see for not made
        attempt = Attempt(
            self._spark,
            self._paths,
            self._namespace,
            last_cell.error(exercise.id, exercise.makes.names),
            exercise.makes,
            self._kafka,
            DEADLINE - SPARE,
            last_cell.of(exercise),
        )
        verdict = _judge(exercise, attempt, self._test_hidden)
        if verdict.is_right and exercise.is_over_when_right:
            waiting.stop_streams(self._streams_of(exercise.makes))
        if verdict.kind != "not tried":
            self._note(self._record.tried, exercise.id, verdict.is_right)
        return verdict

    def hint(self, name: str) -> Guidance:
        """Return an exercise's next hint; after the last one, the last one."""
        exercise = catalogue.find(name)
        number = min(self._hints.get(exercise.id, 0) + 1, len(exercise.hints))
        self._hints[exercise.id] = number
        self._note(self._record.hint, exercise.id, number)
        return hint_shown(exercise, number)

    def solution(self, name: str) -> Guidance:
        """Return an exercise's solution, and why it is so."""
        exercise = catalogue.find(name)
        self._note(self._record.solution, exercise.id)
        return solution_shown(exercise)

    def quiz(self, lesson: str, number: int | None = None, letter: str = "") -> Guidance:
        """Return a lesson's quiz, one question of it, or what there is to say of one choice.

        Raises
        ------
        NoQuiz
            The lesson has none.
        NoSuchChoice
            There is no such question, or it has no such choice.
        """
        questions = catalogue.quiz_of(lesson)
        if not questions:
            raise NoQuiz(lesson)
        if number is None or not letter:
            return quiz_shown(questions, number)
        answer = answer_shown(questions, number, letter)
        self._note(self._record.chose, lesson, number, letter, is_right(questions, number, letter))
        return answer

    def predict(self, name: str, value: object) -> Guidance:
        """Note a prediction, and return it; a cell whose ``...`` nobody has replaced is no prediction."""
        if value is not ...:
            self._note(self._record.predicted, name, repr(value))
        return prediction_shown(name, value)

    def progress(self) -> Guidance:
        """Return what is done, lesson by lesson."""
        return progress_shown(self._record)

    def _note(self, note: Callable[..., None], *what: object) -> None:
        """Write into the record; one that cannot be written is no reason for an exercise to fail."""
        with suppress(OSError, ClassroomError):
            note(*what)

    def _restore(self, exercise: str, table: str) -> None:
        """Give a table the rows that it had when the exercise was begun for the first time."""
        if not self._spark.catalog.tableExists(table):
            return
        # One that was made again since has another id, and another beginning.
        begun = exercise, table, self._spark.sql(f"DESCRIBE DETAIL {table}").first()["id"]
        now = self._spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").first()["version"]
        before = self._before.setdefault(begun, now)
        if before < now:
            self._spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF {before}")

    def _streams_of(self, makes: Makes) -> list[StreamingQuery]:
        """Return the streams that an exercise has made, by its variables, their names and their checkpoints."""
        held = [self._namespace.get(variable) for variable in makes.variables]
        folders = [f"{self._paths.working_dir}/{folder}" for folder in makes.folders]
        others = [
            query
            for query in waiting.active_streams(self._spark)
            if query.name in makes.streams or self._is_below(MadeStream(query).checkpoint, folders)
        ]
        # By its name: a frame over Connect takes any attribute for a column.
        return [value for value in held if type(value).__name__ == "StreamingQuery"] + others

    @staticmethod
    def _is_below(checkpoint: str | None, folders: list[str]) -> bool:
        if checkpoint is None:
            return False
        with suppress(Exception):  # one that is not on this machine
            local = classroom_files().local_path
            return any(local(checkpoint).is_relative_to(local(folder)) for folder in folders)
        return False

    @property
    def _namespace(self) -> MutableMapping[str, Any]:
        if self._given is not None:
            return self._given
        shell = front_end.ipython()
        return shell.user_ns if shell is not None else {}


def _judge(exercise: Exercise, attempt: Attempt, test_hidden: TestHidden = _none_to_test) -> Verdict:
    """Run a check in a thread of its own, so that a computation without an end is a verdict as well."""
    found: list[Verdict] = []

    def judge() -> None:
        _enter(attempt.spark)
        _tag(attempt.spark.addTag)
        found.append(_verdict(exercise, attempt, test_hidden))

    with wait_line(lambda: f"checking {exercise.id}"):
        run_here = contextvars.copy_context().run  # the thread's own waits are said in the same line
        thread = threading.Thread(target=run_here, args=(judge,), name=f"check {exercise.id}", daemon=True)
        thread.start()
        seconds = DEADLINE + (HIDDEN_DEADLINE if exercise.hidden else 0)
        thread.join(seconds)
    if found:
        return found[0]
    _tag(attempt.spark.interruptTag)
    return Verdict(exercise, "wrong", f"there was no answer within {seconds:.0f} s: what you made has no end.")


def _verdict(exercise: Exercise, attempt: Attempt, test_hidden: TestHidden) -> Verdict:
    try:
        exercise.check(attempt)
        untested = test_hidden(exercise, attempt)
    except NotTried:
        return Verdict(exercise, "not tried", NOT_TRIED)
    except Mistake as mistake:
        return Verdict(exercise, "wrong", mistake.sentence, mistake.difference)
    except Exception as error:  # what was made cannot even be read
        return Verdict(exercise, "wrong", f"It cannot be looked at. Spark says: {short_message(error)}")
    return Verdict(exercise, "right", f"right on the data that is here. {untested}" if untested else RIGHT)


def _enter(spark: SparkSession) -> None:
    """Make a session this thread's own, as it is the notebook's: Delta's ``toTable`` asks the thread for it."""
    if hasattr(spark, "_jsparkSession"):  # over Connect the server sees to it
        spark._jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(spark._jsparkSession)


def _tag(call: Callable[[str], object]) -> None:
    with suppress(Exception):  # not every session has tags; it only lets Spark continue with what nobody waits for
        call(_TAG)
