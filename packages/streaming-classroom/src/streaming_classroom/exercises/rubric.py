"""A rubric: the criteria of a larger task, each checked for itself, so that one mistake does not hide the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streaming_classroom.exercises.made_stream import Mistake, NotTried


class Rubric:
    """Criteria in order, each met or not, with what is missing.

    A check opens one, checks each criterion within :meth:`criterion`, and ends with :meth:`close`.
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
            What is asked for, as the lesson's rubric says it.
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
        """Show the rubric where all is met.

        Raises
        ------
        Mistake
            Some criterion is not met; its sentence is the rubric.
        """
        if self._met < len(self._lines):
            raise Mistake(str(self))
        print(self)
