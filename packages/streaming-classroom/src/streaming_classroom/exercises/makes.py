"""What an exercise creates, and so what is removed before another attempt."""

from __future__ import annotations

from dataclasses import dataclass


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
    changes : tuple of str
        Delta tables of earlier cells that it changes: before another attempt they are restored to the version that
        they had before the first one.
    by_starter : bool
        The starter itself makes some of it, so that finding it does not mean that somebody has tried.
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
        """What a cell calls the things by; a folder's name is any word, so it is none of them."""
        return self.variables + self.views + self.tables + self.streams + self.topics
