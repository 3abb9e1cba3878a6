"""The mounts that hold in a call: URL prefixes that stand for local directories, as JSON.

They are a value of the source, which travels in its options to every process that works for it.  A method of the source
has them hold while it runs, for its thread alone; so sources with other mounts work beside it, and a process keeps none
of them.  Where a source has none, the process's own environment says what is mounted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

VARIABLE = "PYSPARK_CLOUDFILES_MOUNTS"
SETTING = "spark.cloudFiles.mounts"
_END = object()
_holding: ContextVar[str | None] = ContextVar("cloudFiles mounts", default=None)

Item = TypeVar("Item")


def holding() -> str:
    """Return the mounts that hold here: those of the source, else those of this process's environment."""
    return _holding.get() or os.environ.get(VARIABLE, "")


@contextmanager
def mounted(mounts: str | None) -> Iterator[None]:
    """Have a source's mounts hold in this thread until the block ends.

    Parameters
    ----------
    mounts : str or None
        A JSON object of URL prefixes and directories; None: the environment's.
    """
    before = _holding.set(mounts)
    try:
        yield
    finally:
        _holding.reset(before)


def iterated(mounts: str | None, items: Iterator[Item]) -> Iterator[Item]:
    """Yield an iterator's items, with a source's mounts only while it makes the next one.

    A generator that entered :func:`mounted` itself would leave the mounts to whoever iterates over it.
    """
    context = copy_context()
    context.run(_holding.set, mounts)
    while (item := context.run(next, items, _END)) is not _END:
        yield item  # type: ignore[misc]
