"""What windows must hold, computed with pandas from the taps of lessons 09 and 09X."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from datetime import timedelta

import nbformat
import pandas as pd

from streaming_classroom.files import directories

TEN = timedelta(minutes=10)
MORNING = 6  # the parcels of taps before the one with the wrong clock


def story_of_09x() -> list[pd.DataFrame]:
    """Return the taps as the companion lists them, a frame for each time at which some were received."""
    [path] = directories.notebooks().glob("09X-*.ipynb")  # which has those of lesson 09, too
    story = {}
    for node in (n for c in nbformat.read(path, as_version=4).cells if c.source.startswith("story") for n in _tree(c)):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "story":
            story |= ast.literal_eval(node.value)
    frames = [pd.DataFrame(taps, columns=["tap", "tram", "time"]) for taps in story.values()]
    return [frame.assign(time=pd.to_datetime("2025-06-02 " + frame["time"])) for frame in frames]


def _tree(cell) -> list[ast.stmt]:
    return ast.parse(cell.source).body


def accepted(
    batches: Sequence[pd.DataFrame], delay: timedelta, size: timedelta, *, idle: bool
) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """Return for each batch the rows that are counted and those that are refused.

    A row is refused if its window has been closed by an earlier batch. With ``idle`` time between the batches, a
    batch without data has closed all that the newest event so far allows; without, the batch before has closed only
    what was known when it began.
    """
    counted, refused = [], []
    for number, batch in enumerate(batches):
        seen = batches[: number if idle else max(0, number - 1)]
        closed = max((frame["time"].max() for frame in seen), default=None)
        late = pd.Series(False, index=batch.index) if closed is None else end(batch, size) <= closed - delay
        counted.append(batch[~late])
        refused.append(batch[late])
    return counted, refused


def end(batch: pd.DataFrame, size: timedelta) -> pd.Series:
    """Return when each row's window ends."""
    return batch["time"].dt.floor(size) + size


def per_window(frames: Sequence[pd.DataFrame]) -> dict[str, int]:
    """Return how many rows each window of ten minutes has, by its beginning."""
    starts = pd.concat(frames)["time"].dt.floor(TEN)
    return {f"{start:%H:%M}": int(count) for start, count in starts.value_counts().items()}


def sessions(taps: pd.DataFrame, pause: timedelta) -> list[tuple[int, pd.Timestamp, pd.Timestamp, pd.Series]]:
    """Return each tram's sessions: tram, first tap, end with the pause, times."""
    found = []
    for tram, mine in taps.sort_values("time").groupby("tram"):
        number = (mine["time"].diff() > pause).cumsum()
        found += [(tram, t.min(), t.max() + pause, t) for _, t in mine["time"].groupby(number)]
    return found
