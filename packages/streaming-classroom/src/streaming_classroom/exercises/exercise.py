"""An exercise: starter, hints, solution, check, and wrong answers with their verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streaming_classroom.errors import ClassroomError
from streaming_classroom.exercises.made_stream import Makes

if TYPE_CHECKING:
    from streaming_classroom.exercises.attempt import Attempt
    from streaming_classroom.exercises.hidden_test import HiddenTest


@dataclass(frozen=True)
class Choice:
    """One answer that may be chosen.

    Attributes
    ----------
    text : str
        The answer. Text with ``code`` in it, as the others.
    reason : str
        Why it is right, or what somebody who chooses it has not seen.
    is_right : bool
        Whether it is the right one.
    """

    text: str
    reason: str
    is_right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with its choices, of which one is right."""

    text: str
    choices: tuple[Choice, ...]

    def __post_init__(self) -> None:
        right = sum(choice.is_right for choice in self.choices)
        if right != 1 or len(self.choices) < 3:
            raise ValueError(f"{self.text!r} needs three choices or more, one of them right: it has {right} right ones")


@dataclass(eq=False)
class NoSuchChoice(ClassroomError):
    """A question or a choice that the quiz has not: give a number and a letter that it has."""

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


@dataclass(frozen=True)
class WrongAnswer:
    """A cell as somebody would write it who has not understood yet.

    Attributes
    ----------
    code : str
        The whole cell.
    verdict : str
        Words that the verdict on it must have.
    """

    code: str
    verdict: str


@dataclass(frozen=True)
class Exercise:
    """One task of a lesson.

    Attributes
    ----------
    id : str
        The lesson and a number: ``05.2``.
    title : str
        As in the notebook's heading.
    starter : str
        The cell as the learner finds it, which runs without error as it is.
    hints : tuple of str
        Two or three, each saying more than the previous one. Text with ``code`` in it.
    solution : str
        The cell, done.
    why : str
        Why it is so, in a few sentences.
    check : callable
        Is given an :class:`Attempt`; it raises :class:`NotTried` or :class:`Mistake`, or returns where all is right.
    wrong : tuple of WrongAnswer
        The ones that people really give.
    makes : Makes
        What is taken away before another try.
    is_over_when_right : bool
        Whether its streams are stopped when it is right, because nothing below needs them.
    hidden : tuple of HiddenTest
        Run after the check, on data that the learner has not seen.
    equivalent : tuple of str
        Other right answers, which the check must accept.
    """

    id: str
    title: str
    starter: str
    hints: tuple[str, ...]
    solution: str
    why: str
    check: Callable[[Attempt], None]
    wrong: tuple[WrongAnswer, ...]
    makes: Makes = field(default_factory=Makes)
    is_over_when_right: bool = False
    hidden: tuple[HiddenTest, ...] = ()
    equivalent: tuple[str, ...] = ()
