"""What a page has of quizzes and exercises: questions that answer, and hints that fold; never a solution.

Both are HTML that folds without a script, from the sources in ``exercises/``.  The notebooks themselves hold the text
of an unattended run, which answers nothing.
"""

from __future__ import annotations

from html import escape
from string import ascii_lowercase

from streaming_classroom.exercises.exercise import Choice, Exercise, Question
from streaming_classroom.exercises.verdict import MARKS, marked_up


def quiz_html(number: int, question: Question) -> str:
    """Return a question whose choices open, and say whether they are right and why."""
    choices = "".join(map(_choice_html, ascii_lowercase, question.choices))
    name = f"quiz-{number}"
    head = f'<p class="quiz-question" id="{name}"><span>Question {number}</span> {marked_up(question.text)}</p>'
    return f'<div class="quiz" role="group" aria-labelledby="{name}">{head}{choices}</div>'


def _choice_html(letter: str, choice: Choice) -> str:
    kind, word = ("right", "Right.") if choice.is_right else ("wrong", "Not this one.")
    reason = f"<p><strong>{MARKS[kind]} {word}</strong> {marked_up(choice.reason)}</p>"
    return f'<details class="choice {kind}"><summary>{letter}) {marked_up(choice.text)}</summary>{reason}</details>'


def hints_html(exercise: Exercise) -> str:
    """Return an exercise's hints, each folded into the one before, and where an answer is checked."""
    where = f'Write your answer in the lesson: <code>DA.check("{escape(exercise.id)}")</code> names your mistake.'
    return f'<div class="exercise-check"><p>{where}</p>{_folded(exercise.hints)}</div>'


def _folded(hints: tuple[str, ...]) -> str:
    html = ""
    for number in range(len(hints), 0, -1):
        head = f"<summary>Hint {number} of {len(hints)}</summary>"
        html = f'<details class="hint">{head}<p>{marked_up(hints[number - 1])}</p>{html}</details>'
    return html
