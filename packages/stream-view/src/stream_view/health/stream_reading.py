"""What is known of one stream at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stream_view.health.backlogs import Backlog


@dataclass(frozen=True)
class StreamReading:
    """One stream's figures; None where the stream has no such thing, or Spark does not tell it.

    Attributes
    ----------
    name, state : str
        ``starting``, ``running`` (a batch is being run), ``waiting``, ``stopped`` or ``failed``.
    batch : int or None
        The last batch that has ended.
    rows_per_second : float or None
        Rows read per second of the clock, over about five seconds.
    processed_per_second : float or None
        Rows per second of the time that went into processing them.
    batch_seconds, running_seconds, age_seconds : float or None
        How long the last batch took, how long the running one has taken so far, how long ago the last one ended.
    phases : mapping of str to float
        Seconds of the last batch by phase, as Spark names them.
    backlog : Backlog
        What the sources still have.
    growing_batches : int
        How many of the last batches have each left a larger backlog.
    watermark : str or None
        The watermark, as Spark reports it.
    watermark_lag_seconds : float or None
        From the watermark to the newest event time of the last batch.
    state_rows, state_bytes : float or None
        What is in the state stores.
    error : str
        Why the stream failed.
    """

    name: str
    state: str
    batch: int | None = None
    rows_per_second: float | None = None
    processed_per_second: float | None = None
    batch_seconds: float | None = None
    running_seconds: float | None = None
    age_seconds: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    backlog: Backlog = field(default_factory=Backlog)
    growing_batches: int = 0
    watermark: str | None = None
    watermark_lag_seconds: float | None = None
    state_rows: int | None = None
    state_bytes: int | None = None
    error: str = ""

    @property
    def backlog_seconds(self) -> float | None:
        """How long the stream needs for the backlog, at the rate at which it has processed rows."""
        if self.backlog.rows == 0:
            return 0.0
        if self.backlog.rows is None or not self.processed_per_second:
            return None
        return self.backlog.rows / self.processed_per_second

    @property
    def longest(self) -> str | None:
        """The phase that took longest."""
        return max(self.phases, key=lambda phase: self.phases[phase], default=None)
