"""Listing only the files after the last known name (``cloudFiles.useIncrementalListing``).

Many who write to a store begin names with a date or a number that grows, and a store lists in the order of names; so
what is new is at the end, and a listing that begins there is short however much there is.  Whether names grow is seen
in listings of everything.  As on Databricks, after seven short listings in a row comes one of everything: what was put
in between is found then.
"""

from __future__ import annotations

from dataclasses import dataclass

SHORT_IN_A_ROW = 7


@dataclass
class _SeenNames:
    """What was seen below a directory: the last name, whether new ones came behind it, how many short listings."""

    last: str = ""
    grew: bool = False
    short: int = 0


class IncrementalListing:
    """What listings of stores have shown of their names.

    Parameters
    ----------
    choice : str
        ``true``: list what comes behind the last name; ``auto``: where all that was new last time came behind it;
        ``false``: always everything.
    """

    def __init__(self, choice: str = "auto") -> None:
        self._choice = choice
        self._seen: dict[str, _SeenNames] = {}

    def after(self, root: str) -> str | None:
        """Return the URL behind which to list a directory; None to list everything."""
        seen = self._seen.get(root)
        if seen is None or not seen.last or self._choice == "false" or seen.short >= SHORT_IN_A_ROW:
            return None
        return seen.last if seen.grew or self._choice == "true" else None

    def listed(self, root: str, after: str | None, last: str, first_new: str | None) -> None:
        """Note a listing that is complete.

        Parameters
        ----------
        after : str or None
            What it began behind.
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
