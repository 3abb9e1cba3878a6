"""A lesson's quiz: its questions, and their rendering as choices that unfold the reason.

The choices are folded HTML without a script, so a quiz works in any front end, without a network, in a saved notebook
without a kernel, and on an untrusted page. (JupyterQuiz adds 42 kB of script to each cell with one question, and shows
nothing if scripts do not run.)

A prediction is what a learner expects before a cell, and how it compares with the outcome; it is never graded.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from string import ascii_lowercase
from typing import Any

from streaming_classroom.errors import ClassroomError
from streaming_classroom.exercises.verdict import COLORS, MARKS, Guidance, box, marked_up

_CHOICE = "margin:3px 0 3px 4px;max-width:100%"
_SUMMARY = "cursor:pointer"
_REASON = "border-left:3px solid {color};margin:2px 0 6px 18px;padding:1px 10px"


@dataclass(frozen=True)
class Choice:
    """One choice of a question.

    Attributes
    ----------
    text : str
        The answer. Text with ``code`` in it, like the reason.
    reason : str
        Why the answer is right or wrong.
    is_right : bool
        Whether the answer is right.
    """

    text: str
    reason: str
    is_right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with its choices, exactly one of them right."""

    text: str
    choices: tuple[Choice, ...]

    def __post_init__(self) -> None:
        right = sum(choice.is_right for choice in self.choices)
        if right != 1 or len(self.choices) < 3:
            raise ValueError(f"{self.text!r} needs three choices or more, one of them right: it has {right} right ones")


@dataclass(eq=False)
class NoSuchChoice(ClassroomError):
    """The quiz has no such question or choice."""

    number: object
    letter: object
    questions: int

    def __str__(self) -> str:
        choice = f"choice {self.letter!r} of a question" if self.letter else "question"
        return (
            f"The quiz has no {choice} {self.number!r}: "
            f'name one of its {self.questions} questions by number and a choice by letter, as in DA.quiz(1, "b").'
        )


@dataclass(eq=False)
class NoQuiz(ClassroomError):
    """The lesson has no quiz."""

    lesson: str

    def __str__(self) -> str:
        return f"Lesson {self.lesson} has no quiz."


def quiz_shown(questions: tuple[Question, ...], only: int | None = None) -> Guidance:
    """Return the quiz or one of its questions, with the reasons folded; the text has questions and choices alone.

    ``questions``: the whole quiz; ``only``: the number of the one question to show, from 1.
    Raises NoSuchChoice: the quiz has no such question.
    """
    every = dict(enumerate(questions, start=1))
    if only is not None and only not in every:
        raise NoSuchChoice(only, "", len(questions))
    lines, html = [], []
    for number, question in every.items() if only is None else [(only, every[only])]:
        choices = list(zip(ascii_lowercase, question.choices, strict=False))
        lines += [f"{number}. {_plain(question.text)}"]
        lines += [*(f"   {letter}) {_plain(choice.text)}" for letter, choice in choices), ""]
        html.append(f"<div style='margin-top:10px'><strong>{number}. {marked_up(question.text)}</strong></div>")
        html += [_choice_html(letter, choice) for letter, choice in choices]
    lines.append(f'DA.quiz({only or 1}, "a") says whether a choice is right, and why.')
    return Guidance("\n".join(lines), box("".join(html)))


def answer_shown(questions: tuple[Question, ...], number: int, letter: str) -> Guidance:
    """Return whether a choice is right, and why.

    Raises NoSuchChoice: the quiz has no such question, or the question no such choice.
    """
    choice = _choice(questions, number, letter)
    kind, word = _kind(choice)
    text = f"{MARKS[kind]} {number}{str(letter).strip().lower()} {word}: {_plain(choice.reason)}"
    html = f"<div><strong style='color:{COLORS[kind]}'>{MARKS[kind]} {word}</strong></div>"
    html += f"<div>{marked_up(choice.text)}</div><div>{marked_up(choice.reason)}</div>"
    return Guidance(text, box(html, COLORS[kind]))


def is_right(questions: tuple[Question, ...], number: int, letter: str) -> bool:
    """Whether a choice is right.

    Raises NoSuchChoice: the quiz has no such question, or the question no such choice.
    """
    return _choice(questions, number, letter).is_right


def _choice(questions: tuple[Question, ...], number: int, letter: str) -> Choice:
    every = dict(enumerate(questions, start=1))
    letter = str(letter).strip().lower()
    choices = dict(zip(ascii_lowercase, every[number].choices, strict=False)) if number in every else {}
    if letter not in choices:
        raise NoSuchChoice(number, letter, len(questions))
    return choices[letter]


def _choice_html(letter: str, choice: Choice) -> str:
    kind, word = _kind(choice)
    verdict = f"<strong style='color:{COLORS[kind]}'>{MARKS[kind]} {word}.</strong> {marked_up(choice.reason)}"
    return (
        f"<details style='{_CHOICE}'><summary style='{_SUMMARY}'>{letter}) {marked_up(choice.text)}</summary>"
        f"<div style='{_REASON.format(color=COLORS[kind])}'>{verdict}</div></details>"
    )


def _kind(choice: Choice) -> tuple[str, str]:
    return ("right", "Right") if choice.is_right else ("wrong", "Not this one")


def _plain(text: str) -> str:
    return text.replace("`", "")


class Predictions:
    """The predictions of one kernel, by name, and which of them were right."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}
        self._is_right: dict[str, bool] = {}

    def predict(self, name: str, value: Any) -> Guidance:
        """Return a sentence that confirms a prediction; an unchanged ``...`` is none."""
        if value is ...:
            return _shown(
                f"○ {name}: no prediction yet. Replace `...` with yours and run this cell, or run the next one."
            )
        self._made[name] = value
        return _shown(f"● {name}: you predict `{value!r}`. Run the next cell to see what happens.")

    def outcome(self, name: str, value: Any) -> Guidance:
        """Return what happened, and how far the prediction was from it."""
        if name not in self._made:
            return _shown(f"{name}: `{value!r}`")
        made = self._made[name]
        self._is_right[name] = made == value
        if self._is_right[name]:
            return _shown(f"{MARKS['right']} {name}: `{value!r}`, as you predicted")
        distance = f", off by {abs(made - value):g}" if _is_number(made) and _is_number(value) else ""
        return _shown(f"{MARKS['wrong']} {name}: `{value!r}`; you predicted `{made!r}`{distance}")

    def is_right(self, name: str) -> bool:
        """Whether a prediction with an outcome was right."""
        return self._is_right.get(name, False)

    def summary(self) -> str:
        """Return how many predictions were right; an empty string if none has an outcome yet."""
        right, total = sum(self._is_right.values()), len(self._is_right)
        return f"{right} of {total} prediction{'s' * (total != 1)} right." if total else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _shown(text: str) -> Guidance:
    return Guidance(text.replace("`", ""), box(marked_up(text)))
