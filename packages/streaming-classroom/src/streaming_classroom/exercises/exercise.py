"""What an exercise is: what stands in the notebook, what helps, what is right, and the mistakes that people make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stream_view.tables import Table

if TYPE_CHECKING:
    from .attempt import Attempt


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
class Makes:
    """What an exercise leaves behind, and so what is taken away before it is tried again.

    Attributes
    ----------
    variables, views, tables : tuple of str
        By their names. A stream that a variable holds is stopped.
    streams : tuple of str
        Names of streams that no variable holds.
    folders : tuple of str
        Below the lesson's working directory; checkpoints, say.
    topics : tuple of str
        Topics of the lesson, by their names in it.
    by_starter : bool
        The starter itself makes some of it, so that finding it does not mean that somebody has tried.
    """

    variables: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    by_starter: bool = False


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
        Two or three, each saying more than the one before. Text with ``code`` in it.
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


class NotTried(Exception):
    """Nothing has been made yet."""


class Mistake(Exception):
    """What was made is not what was asked for.

    Parameters
    ----------
    sentence : str
        Which mistake it is, in words that help.
    difference : Table, optional
        Rows that show it.
    """

    def __init__(self, sentence: str, difference: Table | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.difference = difference
