"""What a check raises when an exercise is not right: not tried yet, or a named mistake."""

from __future__ import annotations

from stream_view.tables import Table


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
