"""A compact set for millions of digests.

A digest is 16 bytes.  New ones are in a Python set; when they are many they join two sorted columns of numbers, 16
bytes a digest instead of 90.  Ten million take 160 MB, and twice that for the moment in which they are sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

LENGTH = 16
# A set of so many is small, and spares the process numpy; a larger one joins the columns when it is an eighth of them.
FEW = 65_536


class Digests:
    """Digests that only become more."""

    def __init__(self) -> None:
        self._new: set[bytes] = set()
        self._columns: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self._new) + (len(self._columns[0]) if self._columns else 0)

    def add(self, digests: Sequence[bytes]) -> None:
        """Add digests that are not there yet."""
        self._new.update(digests)
        settled = len(self._columns[0]) if self._columns else 0
        if len(self._new) > max(FEW, settled // 8):
            self.add_packed([b"".join(self._new)], len(self._new))
            self._new.clear()

    def add_packed(self, blocks: Iterable[bytes | memoryview], count: int) -> None:
        """Add ``count`` digests at once, which are not there yet; in each block one follows another."""
        import numpy as np  # a small log does without

        count += len(self._columns[0]) if self._columns else 0
        first, second = np.empty(count, np.uint64), np.empty(count, np.uint64)
        position = 0
        if self._columns:
            position = len(self._columns[0])
            first[:position], second[:position] = self._columns
            self._columns = None
        for block in blocks:
            pairs = np.frombuffer(block, np.uint64).reshape(-1, 2)
            first[position : position + len(pairs)], second[position : position + len(pairs)] = pairs.T
            position += len(pairs)
        order = np.argsort(first)
        second = second[order]
        del order  # of 80 MB where there are ten million
        first.sort()
        self._columns = first, second

    def missing(self, digests: Sequence[bytes]) -> list[int]:
        """Return the positions of those that are not there."""
        new = [position for position, digest in enumerate(digests) if digest not in self._new]
        if not self._columns or not new:
            return new
        import numpy as np

        asked = np.frombuffer(b"".join([digests[position] for position in new]), np.uint64).reshape(-1, 2)
        return [new[position] for position in np.flatnonzero(~self._among_columns(asked[:, 0], asked[:, 1]))]

    def _among_columns(self, asked_first: np.ndarray, asked_second: np.ndarray) -> np.ndarray:
        import numpy as np

        first, second = self._columns
        at = np.searchsorted(first, asked_first)
        found = np.zeros(len(at), bool)
        while True:  # more than once only where digests begin alike
            inside = at < len(first)
            alike = inside.copy()
            alike[inside] = first[at[inside]] == asked_first[inside]
            if not alike.any():
                return found
            found[alike] |= second[at[alike]] == asked_second[alike]
            at = np.where(alike & ~found, at + 1, len(first))
