"""A quiz question: choices, each right or wrong, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from streaming_classroom.errors import ClassroomError


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
