"""A learner's progress, stored over restarts: attempts, hints, verdicts, times; and its summary, lesson by lesson.

The file is in the workspace, beside the learner's lessons, so that emptying the home or the cache does not lose it. A
home set by ``CLASSROOM_HOME`` has its own file, because a headless run must not change a learner's progress.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TextIO

from filelock import FileLock

from streaming_classroom.errors import SetupError
from streaming_classroom.exercises import catalogue
from streaming_classroom.exercises.verdict import Guidance, box
from streaming_classroom.files import directories

CLASS_COLUMNS = ("learner", "lesson", "exercises", "right", "verdicts", "hints", "solutions_read_first", "quiz_right",
                 "last_right")  # fmt: skip
_LOCK_TIMEOUT = 10  # seconds for another kernel to write its entry
NAME = "exercises.json"
_FULL, _EMPTY = "●", "○"
_DOTS = 6  # the most exercises of a lesson; the words beside the dots are aligned


@dataclass
class ExerciseProgress:
    """The progress in one exercise, one question of a quiz, or one prediction.

    Attributes
    ----------
    tries : int
        The number of verdicts on attempts.
    hints : int
        The number of hints that ``DA.hint`` has shown.
    right : str
        The time of the first right attempt, in ISO format with its offset; empty before.
    saw_solution : bool
        Whether ``DA.solution`` was called before the first right attempt.
    chosen : str
        The first choice of a question, or the last prediction.
    """

    tries: int = 0
    hints: int = 0
    right: str = ""
    saw_solution: bool = False
    chosen: str = ""


@dataclass(frozen=True)
class LessonCounts:
    """The progress in one lesson.

    Attributes
    ----------
    exercises, begun, right : int
        The lesson's exercises, those with an entry in the record, and those that are right.
    verdicts, hints, solutions_read_first : int
        The sums over its exercises.
    questions, answered, quiz_right : int
        The questions of its quiz, those answered, and those whose first choice was right.
    last_right : str
        The time of the last first right attempt, in ISO format; empty without one.
    """

    exercises: int
    begun: int
    right: int
    verdicts: int
    hints: int
    solutions_read_first: int
    questions: int
    answered: int
    quiz_right: int
    last_right: str


def learners_file() -> Path:
    """Return the file with the learner's progress."""
    in_home, folder = directories.home() / NAME, directories.work() / "progress"
    if os.environ.get("CLASSROOM_HOME"):
        return in_home
    try:
        directories.claim(directories.work(), mark=directories.WORKSPACE)
        directories.claim(folder)
    except (SetupError, OSError):  # a directory that is not ours, or that cannot be written
        return in_home
    return folder / NAME


@dataclass
class ExerciseRecord:
    """The file with the progress; several kernels may use it.

    ``path``: the file; by default the learner's.
    """

    path: Path = field(default_factory=learners_file)

    def read(self) -> dict[str, ExerciseProgress]:
        """Return the progress by exercise; an empty dictionary without a file, or with one that cannot be read."""
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))
            return {name: ExerciseProgress(**entry) for name, entry in entries.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def tried(self, exercise: str, is_right: bool) -> None:
        """Record a verdict."""
        with self._changing(exercise) as done:
            done.tries += 1
            if is_right and not done.right:
                done.right = _now()

    def hint(self, exercise: str, number: int) -> None:
        """Record the number of hints that have been shown."""
        with self._changing(exercise) as done:
            done.hints = max(done.hints, number)

    def solution(self, exercise: str) -> None:
        """Record that the solution has been shown."""
        with self._changing(exercise) as done:
            done.saw_solution = done.saw_solution or not done.right

    def chose(self, lesson: str, question: int, letter: str, is_right: bool) -> None:
        """Record a choice in a lesson's quiz; the first choice of a question counts."""
        with self._changing(question_name(lesson, question)) as done:
            if not done.chosen:
                done.chosen = letter
                done.right = _now() if is_right else ""
            done.tries += 1

    def predicted(self, name: str, value: str) -> None:
        """Record a prediction; a later one replaces it."""
        with self._changing(name) as done:
            done.tries += 1
            done.chosen = value
            done.right = ""

    def predicted_right(self, name: str) -> None:
        """Record that the last prediction was right."""
        with self._changing(name) as done:
            done.right = _now()

    @contextmanager
    def _changing(self, exercise: str) -> Iterator[ExerciseProgress]:
        """Yield an entry to change, under the file's lock; after an error the file is as it was."""
        directories.claim(self.path.parent)
        with FileLock(self.path.with_suffix(".lock"), timeout=_LOCK_TIMEOUT):
            every = self.read()
            yield every.setdefault(exercise, ExerciseProgress())
            entries = {name: asdict(done) for name, done in sorted(every.items())}
            directories.write_atomically(self.path, json.dumps(entries, indent=1) + "\n")


def question_name(lesson: str, question: int) -> str:
    """Return the key of a question of a lesson's quiz, such as ``05 quiz 2``."""
    return f"{lesson.upper()} quiz {question}"


def _now() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


def progress_shown(record: ExerciseRecord) -> Guidance:
    """Return the progress, one line per lesson, and the next exercise."""
    done = record.read()
    every = {lesson: catalogue.exercise_ids(lesson) for lesson in catalogue.lessons()}
    lines = [_line(lesson, exercises, done) for lesson, exercises in every.items()]
    following = next((one for exercises in every.values() for one in exercises if not _of(done, one).right), None)
    if following:
        lines.append(f"Next: {following} {catalogue.find(following).title}")
    text = "\n".join(lines)
    return Guidance(text, box(f'<pre style="margin:0;line-height:1.5">{escape(text)}</pre>'))


def write_class(folder: Path, file: TextIO) -> int:
    """Write the progress of a class as CSV, a line per learner and begun lesson; return the number of learners.

    ``folder``: has a record of each learner: ``ada.json``, or ``ada/exercises.json`` at any depth; ``file``: where
    the lines go, a header first.
    Raises NotADirectoryError: there is no such folder; ValueError: a record cannot be read; it is named.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"There is no folder {folder}.")
    writer = csv.DictWriter(file, CLASS_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    records = sorted(folder.rglob("*.json"))
    for path in records:
        learner = path.parent.relative_to(folder).as_posix() if path.name == NAME else path.stem
        done = ExerciseRecord(path).read()
        if not done and path.read_text(encoding="utf-8").strip() != "{}":
            raise ValueError(f"{path} is no record of exercises. Give the file work/progress/{NAME} of each learner.")
        for lesson in catalogue.lessons():
            counts = counts_of(lesson, done)
            if counts.begun or counts.answered:
                writer.writerow({"learner": learner, "lesson": lesson, **asdict(counts)})
    return len(records)


def counts_of(lesson: str, done: dict[str, ExerciseProgress]) -> LessonCounts:
    """Return the counts of a lesson in a record."""
    exercises, questions = catalogue.exercise_ids(lesson), len(catalogue.quiz_of(lesson))
    entries = [done[exercise] for exercise in exercises if exercise in done]
    answered = [done[name] for n in range(1, questions + 1) if (name := question_name(lesson, n)) in done]
    return LessonCounts(
        exercises=len(exercises),
        begun=len(entries),
        right=sum(bool(entry.right) for entry in entries),
        verdicts=sum(entry.tries for entry in entries),
        hints=sum(entry.hints for entry in entries),
        solutions_read_first=sum(entry.saw_solution for entry in entries),
        questions=questions,
        answered=len(answered),
        quiz_right=sum(bool(question.right) for question in answered),
        last_right=max((entry.right for entry in entries), default=""),
    )


def _line(lesson: str, exercises: Sequence[str], done: dict[str, ExerciseProgress]) -> str:
    counts = counts_of(lesson, done)
    parts = _words(counts), _quiz(counts), _predictions(lesson, done)
    dots = "".join(_FULL if _of(done, exercise).right else _EMPTY for exercise in exercises).ljust(_DOTS)
    return f"{lesson:<4} {dots}  {'; '.join(filter(None, parts))}"


def _words(counts: LessonCounts) -> str:
    hints, solutions = counts.hints, counts.solutions_read_first
    parts = [f"{counts.right} of {counts.exercises} right"]
    parts += [f"{hints} hint{'s' * (hints != 1)}"] * bool(hints)
    parts += [f"{solutions} solution{'s' * (solutions != 1)} read first"] * bool(solutions)
    return ", ".join(parts)


def _quiz(counts: LessonCounts) -> str:
    """Return the result of a lesson's quiz, by the first choice of each question."""
    if not counts.answered:
        return f"a quiz of {counts.questions}" if counts.questions else ""
    return f"quiz: {counts.quiz_right} of {counts.questions} right at once"


def _predictions(lesson: str, done: dict[str, ExerciseProgress]) -> str:
    made = [one for name, one in done.items() if name.startswith(f"{lesson}.") and one.chosen]
    right = sum(bool(one.right) for one in made)
    return f"{right} of {len(made)} prediction{'s' * (len(made) != 1)} right" if made else ""


def _of(done: dict[str, ExerciseProgress], exercise: str) -> ExerciseProgress:
    return done.get(exercise, ExerciseProgress())
