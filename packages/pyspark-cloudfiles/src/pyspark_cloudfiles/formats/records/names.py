"""Column lookup by name: the exact name first, then, if case does not matter, the name in another case."""

from __future__ import annotations

from collections.abc import Sequence


class Names:
    """The names of columns.

    Parameters
    ----------
    names : sequence of str
        In their order; of names that differ only in case the first is taken.
    case_sensitive : bool
        Whether a name in another case is another name.
    """

    def __init__(self, names: Sequence[str], case_sensitive: bool) -> None:
        self._exact = {name: index for index, name in reversed(list(enumerate(names)))}
        self._folded = {name.lower(): index for index, name in reversed(list(enumerate(names)))}
        self._case_sensitive = case_sensitive

    def index_of(self, name: str) -> int | None:
        """Return the column that takes a name, or None."""
        index = self._exact.get(name)
        return self._folded.get(name.lower()) if index is None and not self._case_sensitive else index

    def is_unknown(self, name: str) -> bool:
        """Tell whether there is no such column in any case."""
        return name.lower() not in self._folded
