"""Listing only the files after the last known name (``cloudFiles.useIncrementalListing``).

File names often begin with a date or a growing number, and a store lists names in their order.  New files then come
last, and a listing that begins after the last known name is short, however many files there are.  Full listings show
whether names grow.  As on Databricks, every eighth listing is a full one, which finds files with names in between.
"""

from __future__ import annotations

from dataclasses import dataclass

SHORT_IN_A_ROW = 7


@dataclass
class _SeenNames:
    """The state of a directory: its last name, whether new names came after it, and the number of short listings."""

    last: str = ""
    grew: bool = False
    short: int = 0


class IncrementalListing:
    """Decides from earlier listings of a store whether the next one can be short.

    Parameters
    ----------
    choice : str
        ``true``: list what comes after the last name; ``auto``: only if all new names came after it last time;
        ``false``: always list everything.
    """

    def __init__(self, choice: str = "auto") -> None:
        self._choice = choice
        self._seen: dict[str, _SeenNames] = {}

    def after(self, root: str) -> str | None:
        """Return the URL after which to list a directory; None to list everything."""
        seen = self._seen.get(root)
        if seen is None or not seen.last or self._choice == "false" or seen.short >= SHORT_IN_A_ROW:
            return None
        return seen.last if seen.grew or self._choice == "true" else None

    def listed(self, root: str, after: str | None, last: str, first_new: str | None) -> None:
        """Note a listing that is complete.

        Parameters
        ----------
        after : str or None
            The URL after which it began.
        last : str
            The last URL of all that there are, empty where there is none.
        first_new : str or None
            The first of those that were new.
        """
        seen = self._seen.setdefault(root, _SeenNames())
        if after is not None:
            seen.short += 1
        else:
            seen.short = 0
            if first_new is not None:
                seen.grew = bool(seen.last) and first_new > seen.last
        seen.last = max(seen.last, last)
