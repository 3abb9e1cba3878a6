"""``first_batch_where(...)``: since which batch something is wrong, found by halving."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stream_view.past_batches.checkpoint_log import checkpoint_log
from stream_view.past_batches.replayed_batch import ReplayedBatch, replay

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery


def first_batch_where(
    checkpoint: str,
    query: StreamingQuery | DataFrame,
    predicate: Callable[[ReplayedBatch], bool],
    output_mode: str | None = None,
) -> int | None:
    """Return the first batch for which something holds, of those that can be run again; None if it does not hold now.

    Batches are halved: of 500 about ten are looked at.  So what is asked must stay true once it has become true, as
    a wrong row in the state does, or as does any result that depends on all rows so far.

    Parameters
    ----------
    checkpoint : str
        The folder, which is only read.
    query : StreamingQuery or DataFrame
        The query or its frame, as :func:`replay` takes it.
    predicate : callable
        Is given a batch. A state that is committed is read from the checkpoint; only ``input``, ``output`` and
        ``replayed_state`` run the batch again.
    output_mode : str, optional
        Of a frame: ``append`` by default.

    Raises
    ------
    NotACheckpoint, NoSuchBatch, NotAvailable, CannotBeRead
        As :func:`replay`.
    """
    from pyspark.sql import SparkSession  # which nobody needs who only imports this

    there = checkpoint_log(SparkSession.active(), checkpoint).replayable

    def holds(position: int) -> bool:
        return bool(predicate(replay(checkpoint, there[position], query, output_mode)))

    if not there or not holds(len(there) - 1):
        return None
    below, at = -1, len(there) - 1  # it does not hold below, it holds at
    while at - below > 1:
        middle = (below + at) // 2
        below, at = (below, middle) if holds(middle) else (middle, at)
    return there[at]
