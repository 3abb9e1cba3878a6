"""The model of an exercise: its cells and texts, its check and hidden tests, and what an attempt creates.

A check raises :class:`NotTried` or :class:`Mistake`, or returns if the attempt is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from stream_view.tables import Table


class NotTried(Exception):
    """The learner has not created anything yet."""


class Mistake(Exception):
    """The attempt is wrong.

    Parameters
    ----------
    sentence : str
        Which mistake it is, and how to fix it.
    difference : Table, optional
        Rows that show the mistake.
    """

    def __init__(self, sentence: str, difference: Table | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.difference = difference


@dataclass(frozen=True)
class Makes:
    """What an attempt creates, and what is removed before the next attempt.

    Attributes
    ----------
    variables, views, tables : tuple of str
        Their names. A stream that a variable holds is stopped.
    streams : tuple of str
        Names of streams that no variable holds.
    folders : tuple of str
        Directories below the lesson's working directory, such as checkpoints.
    topics : tuple of str
        Topics of the lesson, by their names in the lesson.
    changes : tuple of str
        Delta tables of earlier cells that the exercise changes: before another attempt they are restored to the version
        that they had before the first attempt.
    by_starter : bool
        Whether the starter itself creates some of this, so that its existence does not prove an attempt.
    """

    variables: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    by_starter: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which a cell is recognized; names of directories are too general."""
        return self.variables + self.views + self.tables + self.streams + self.topics


@dataclass(frozen=True)
class HiddenTest:
    """Data that the learner has not seen, on which the learner's cell must return the same rows as the solution.

    Attributes
    ----------
    given : callable
        Gets the sandbox before the first run: creates the tables, views and files that cells above create.
    results : tuple of str or callable
        Tables or views to compare, or functions that return a DataFrame of a sandbox after the runs.
    later : tuple of callable
        Each is called before one more run of the cell, in a new process with the old checkpoints: lets data arrive, or
        removes a commit.
    mode : str
        Output mode in which a streaming view is run.
    says : str
        On which data the cell was run, in a sentence.
    after : callable, optional
        Is called after the runs, for example to call the cell's function with a batch once more.
    above : str
        Source of cells above, which is run before each run of the cell, such as definitions of a pipeline.
    needs_kafka : bool
        Whether the cell writes to a topic; the sandbox has its own topics.
    may_fail : tuple of str
        Variables of streams that are expected to fail.
    """

    given: Callable[[Any], None]
    results: tuple[str | Callable[[Any], DataFrame], ...]
    later: tuple[Callable[[Any], None], ...] = ()
    mode: str = "append"
    says: str = "Your cell was run on data that you have not seen."
    after: Callable[[Any], None] | None = None
    may_fail: tuple[str, ...] = ()
    above: str = ""
    needs_kafka: bool = False


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that people really give.

    Attributes
    ----------
    code : str
        The whole cell.
    verdict : str
        Words that the verdict must contain.
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
        The title in the notebook's heading.
    starter : str
        The cell as the learner finds it; it runs without an error.
    hints : tuple of str
        Two or three, each more specific than the previous one. Text with ``code`` in it.
    solution : str
        The cell, solved.
    why : str
        Why the solution is right, in a few sentences.
    check : callable
        Gets an ``Attempt``; raises :class:`NotTried` or :class:`Mistake`, or returns if the attempt is right.
    wrong : tuple of WrongAnswer
        Wrong answers, which the check must reject.
    makes : Makes
        What is removed before another attempt.
    is_over_when_right : bool
        Whether its streams are stopped after a right attempt, because no cell below needs them.
    is_optional : bool
        Whether the lesson's core does without it; its heading then ends in "(optional)".
    minutes : int
        How long it takes, if it is much shorter than others, such as one line; 0 if it is as long as any.
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
    check: Callable[[Any], None]
    wrong: tuple[WrongAnswer, ...]
    makes: Makes = field(default_factory=Makes)
    is_over_when_right: bool = False
    is_optional: bool = False
    minutes: int = 0
    hidden: tuple[HiddenTest, ...] = ()
    equivalent: tuple[str, ...] = ()


class Rubric:
    """Criteria of a larger task, each checked alone, so that one mistake does not hide the others.

    A check creates a rubric, checks each criterion within :meth:`criterion`, and ends with :meth:`close`.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._met = 0

    @contextmanager
    def criterion(self, name: str) -> Iterator[None]:
        """Check one criterion: it is met unless the block raises a :class:`Mistake` or a :class:`NotTried`.

        Parameters
        ----------
        name : str
            The criterion, as in the lesson's rubric.
        """
        try:
            yield
        except NotTried:
            self._lines.append(f"✗ {name}: not there yet.")
        except Mistake as mistake:
            self._lines.append(f"✗ {name}: {mistake.sentence}")
        else:
            self._lines.append(f"✓ {name}")
            self._met += 1

    def __str__(self) -> str:
        return "\n".join([f"{self._met} of {len(self._lines)} criteria are met.", *self._lines])

    def close(self) -> None:
        """Print the rubric if all criteria are met.

        Raises
        ------
        Mistake
            A criterion is not met; the sentence is the rubric.
        """
        if self._met < len(self._lines):
            raise Mistake(str(self))
        print(self)
