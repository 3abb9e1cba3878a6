"""A verdict, rendered: a small colored box in a notebook, text everywhere else.

The box needs no kernel and no script: hints and solution are folded parts of it, so that a saved notebook, another
front end or a page of yesterday has them as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from stream_view.tables import Table
from streaming_base import front_end
from streaming_classroom.exercises import catalogue
from streaming_classroom.exercises.exercise import Exercise
from streaming_classroom.exercises.exercise_record import ExerciseProgress, ExerciseRecord, question_name

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
    every = {lesson: catalogue.ids_of(lesson) for lesson in catalogue.lessons()}
    lines = [_line(lesson, exercises, done) for lesson, exercises in every.items()]
    following = next((one for exercises in every.values() for one in exercises if not _of(done, one).right), None)
    if following:
        lines.append(f"Next: {following} {catalogue.find(following).title}")
    text = "\n".join(lines)
    return Guidance(text, box(f'<pre style="margin:0;line-height:1.5">{escape(text)}</pre>'))


def _line(lesson: str, exercises: Sequence[str], done: dict[str, ExerciseProgress]) -> str:
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


def _dots(exercises: Sequence[str], done: dict[str, ExerciseProgress]) -> str:
    return "".join(_FULL if _of(done, exercise).right else _EMPTY for exercise in exercises).ljust(_MOST)


def _words(exercises: Sequence[str], done: dict[str, ExerciseProgress]) -> str:
    entries = [_of(done, exercise) for exercise in exercises]
    parts = [f"{sum(bool(entry.right) for entry in entries)} of {len(entries)} right"]
    hints, solutions = sum(entry.hints for entry in entries), sum(entry.saw_solution for entry in entries)
    parts += [f"{hints} hint{'s' * (hints != 1)}"] * bool(hints)
    parts += [f"{solutions} solution{'s' * (solutions != 1)} read first"] * bool(solutions)
    return ", ".join(parts)


def _of(done: dict[str, ExerciseProgress], exercise: str) -> ExerciseProgress:
    return done.get(exercise, ExerciseProgress())


Kind = Literal["right", "not tried", "wrong"]
COLOURS = {"right": "#009E73", "not tried": "#767676", "wrong": "#D55E00"}
MARKS = {"right": "✓", "not tried": "○", "wrong": "✗"}
_FOLDED = "display:inline-block;vertical-align:top;margin:8px 8px 0 0;max-width:100%"
_BUTTON = "cursor:pointer;border:1px solid currentColor;border-radius:4px;padding:1px 10px;width:fit-content"
_CODE = "margin:6px 0;padding:8px;overflow:auto;background:rgba(127,127,127,.12)"


class ExerciseNotSolved(AssertionError):
    """A solution was to be right and is not."""


@dataclass(frozen=True)
class Verdict:
    """What a check says; shown where it is a cell's last value.

    Attributes
    ----------
    exercise : Exercise
        What was checked.
    kind : str
        ``right``, ``not tried`` or ``wrong``.
    sentence : str
        What is said.
    difference : Table, optional
        Rows that show it.
    """

    exercise: Exercise
    kind: Kind
    sentence: str
    difference: Table | None = None

    @property
    def is_right(self) -> bool:
        """Whether the exercise is solved."""
        return self.kind == "right"

    def or_fail(self) -> Verdict:
        """Return this verdict if it is right.

        Raises
        ------
        ExerciseNotSolved
            It is another.
        """
        if not self.is_right:
            raise ExerciseNotSolved(str(self))
        return self

    def __str__(self) -> str:
        text = f"{MARKS[self.kind]} {self.exercise.id} {self.exercise.title}: {self.sentence}"
        return f"{text}\n\n{self.difference.to_text()}" if self.difference else text

    __repr__ = __str__

    def _repr_mimebundle_(self, **_what) -> dict[str, str]:
        return bundle(str(self), self._html())

    def _html(self) -> str:
        colour = COLOURS[self.kind]
        sentence = self.sentence[:1].upper() + self.sentence[1:]
        head = f"{MARKS[self.kind]} {escape(self.exercise.id)} {escape(self.exercise.title)}"
        parts = [f'<div><strong style="color:{colour}">{head}</strong></div><div>{marked_up(sentence)}</div>']
        if self.difference:
            parts.append(f'<div style="margin-top:6px">{self.difference.to_html()}</div>')
        parts.append(_hints(self.exercise.hints) if not self.is_right else "")
        parts.append(_fold("Solution" if not self.is_right else "Compare with ours", solution_html(self.exercise)))
        return box("".join(parts), colour)


def box(html: str, colour: str = "#0072B2") -> str:
    """Return a box with a coloured edge around some HTML."""
    style = f"border-left:4px solid {colour};padding:4px 12px;margin:4px 0;overflow-wrap:anywhere;max-width:60em"
    return f'<div class="sc-verdict" style="{style}">{html}</div>'


def bundle(text: str, html: str) -> dict[str, str]:
    """Return what a notebook shows: the box where somebody looks, the text in a run without a person."""
    shown = {"text/plain": text}
    return shown | {"text/html": html} if front_end.is_interactive() or not front_end.in_notebook() else shown


def solution_html(exercise: Exercise) -> str:
    """Return an exercise's solution and the reason for it."""
    return f'<pre style="{_CODE}">{escape(exercise.solution.strip())}</pre><div>{marked_up(exercise.why)}</div>'


def marked_up(text: str) -> str:
    """Return a sentence as HTML, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)).replace("\n", "<br>")


def _hints(hints: tuple[str, ...]) -> str:
    """Return the hints, each folded into the previous one."""
    html = ""
    for number in range(len(hints), 0, -1):
        name = "Hint" if number == 1 else "Next hint"
        html = _fold(name, f'<div style="margin-top:4px">{marked_up(hints[number - 1])}</div>{html}')
    return html


def _fold(name: str, html: str) -> str:
    return f'<details style="{_FOLDED}"><summary style="{_BUTTON}">{name}</summary>{html}</details>'
