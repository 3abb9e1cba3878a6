"""Coalescing of small items into groups of the size of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from pyspark_cloudfiles.formats import base

Part = TypeVar("Part")


def coalesced(parts: Iterable[Part], size: Callable[[Part], int]) -> Iterator[list[Part]]:
    """Yield the parts in their order, as many together as have at most ``BATCH_BYTES`` (or one part)."""
    waiting: list[Part] = []
    total = 0
    for part in parts:
        more = size(part)
        if waiting and total + more > base.BATCH_BYTES:
            yield waiting
            waiting, total = [], 0
        waiting.append(part)
        total += more
    if waiting:
        yield waiting
