"""Hints, solutions and progress, rendered for a notebook and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from streaming_classroom.exercises import catalogue
from streaming_classroom.exercises.exercise import Exercise
from streaming_classroom.exercises.exercise_record import ExerciseProgress, ExerciseRecord, question_name
from streaming_classroom.exercises.verdict import box, bundle, marked_up, solution_html

_FULL, _EMPTY = "●", "○"
_MOST = 6  # exercises of a lesson, which the words beside the dots leave room for


@dataclass(frozen=True)
class Guidance:
    """Something to read: shown where it is a cell's last value."""

    text: str
    html: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_mimebundle_(self, **_what) -> dict[str, str]:
        return bundle(self.text, self.html)


def hint_shown(exercise: Exercise, number: int) -> Guidance:
    """Return one hint of an exercise, counted from 1; that there is none, where it has none."""
    if not exercise.hints:
        none = f"{exercise.id} has no hints: what it needs is in the lessons before it."
        return Guidance(none, box(f"<div>{escape(none)}</div>"))
    hint, total = exercise.hints[number - 1], len(exercise.hints)
    head = f"Hint {number} of {total}"
    more = f' Ask for the next with DA.hint("{exercise.id}").' if number < total else ""
    html = f"<strong>{head}</strong><div>{marked_up(hint)}</div>"
    return Guidance(f"{head}: {hint}{more}", box(html + (f"<div><i>{escape(more)}</i></div>" if more else "")))


def solution_shown(exercise: Exercise) -> Guidance:
    """Return the solution of an exercise, and why."""
    head = f"{exercise.id} {exercise.title}"
    html = f"<strong>{escape(head)}</strong>{solution_html(exercise)}"
    return Guidance(f"{head}\n\n{exercise.solution.strip()}\n\n{exercise.why}", box(html))


def progress_shown(record: ExerciseRecord) -> Guidance:
    """Return what is done, a line a lesson, and what comes next."""
    done = record.read()
    every = {lesson: catalogue.of_lesson(lesson) for lesson in catalogue.lessons()}
    lines = [_line(lesson, exercises, done) for lesson, exercises in every.items()]
    open_ones = [one for exercises in every.values() for one in exercises if not _of(done, one).right]
    if open_ones:
        lines.append(f"Next: {open_ones[0].id} {open_ones[0].title}")
    text = "\n".join(lines)
    return Guidance(text, box(f'<pre style="margin:0;line-height:1.5">{escape(text)}</pre>'))


def _line(lesson: str, exercises: Sequence[Exercise], done: dict[str, ExerciseProgress]) -> str:
    parts = _words(exercises, done), _quiz(lesson, done), _predictions(lesson, done)
    return f"{lesson:<4} {_dots(exercises, done)}  {'; '.join(filter(None, parts))}"


def prediction_shown(name: str, value: object) -> Guidance:
    """Return what a prediction was; the next cell shows what happens."""
    if value is ...:
        text = f"{_EMPTY} {name}: no prediction yet. Replace `...` with yours and run this cell, or run the next one."
    else:
        text = f"{_FULL} {name}: you predict {value!r}. Run the next cell to see what happens."
    return Guidance(text.replace("`", ""), box(marked_up(text)))


def _quiz(lesson: str, done: dict[str, ExerciseProgress]) -> str:
    """Say how a lesson's quiz went, by the first choice of each question that ``DA.quiz`` was asked about."""
    questions = len(catalogue.quiz_of(lesson))
    answered = [done[name] for n in range(1, questions + 1) if (name := question_name(lesson, n)) in done]
    if not answered:
        return f"a quiz of {questions}" if questions else ""
    return f"quiz: {sum(bool(one.right) for one in answered)} of {questions} right at once"


def _predictions(lesson: str, done: dict[str, ExerciseProgress]) -> str:
    made = sum(name.startswith(f"{lesson}.") and bool(one.chosen) for name, one in done.items())
    return f"{made} prediction{'s' * (made != 1)}" if made else ""


def _dots(exercises: Sequence[Exercise], done: dict[str, ExerciseProgress]) -> str:
    return "".join(_FULL if _of(done, exercise).right else _EMPTY for exercise in exercises).ljust(_MOST)


def _words(exercises: Sequence[Exercise], done: dict[str, ExerciseProgress]) -> str:
    entries = [_of(done, exercise) for exercise in exercises]
    parts = [f"{sum(bool(entry.right) for entry in entries)} of {len(entries)} right"]
    hints, solutions = sum(entry.hints for entry in entries), sum(entry.saw_solution for entry in entries)
    parts += [f"{hints} hint{'s' * (hints != 1)}"] * bool(hints)
    parts += [f"{solutions} solution{'s' * (solutions != 1)} read first"] * bool(solutions)
    return ", ".join(parts)


def _of(done: dict[str, ExerciseProgress], exercise: Exercise) -> ExerciseProgress:
    return done.get(exercise.id, ExerciseProgress())
