"""Errors of a stream that cannot be started or shown, each with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from streaming_base.errors import ExplainedError


@dataclass(eq=False)
class NameInUse(ExplainedError):
    """An active stream has the name that another one is to be shown under."""

    name: str
    owner: int | None
    cell: int | None

    def __str__(self) -> str:
        here = f"Cell [{self.cell}]" if self.cell else "This"
        taken = f"that cell [{self.owner}] shows" if self.owner else "that was started without display() and is active"
        return (
            f"{here} asks for the name {self.name!r} of the stream {taken}. "
            "Stop that one first, or choose another streamName."
        )


@dataclass(eq=False)
class NoInterval(ExplainedError, ValueError):
    """A trigger that is a string, but no interval: write one, or a trigger of another kind."""

    trigger: str

    def __str__(self) -> str:
        return (
            f"trigger={self.trigger!r} is no interval. Write one, such as trigger='1 second'; for one run over what is "
            "there, write trigger={'availableNow': True}."
        )


@dataclass(eq=False)
class CheckpointInUse(ExplainedError):
    """An active stream uses this checkpoint."""

    checkpoint: str
    stream: str

    def __str__(self) -> str:
        return (
            f"The stream {self.stream} runs with the checkpoint {self.checkpoint}. A second one on it would stop the "
            "first silently, and resume from the first one's offsets. Give this stream a checkpointLocation of "
            f"its own, or stop {self.stream} first."
        )


@dataclass(eq=False)
class CheckpointOfAnotherSource(ExplainedError):
    """The checkpoint is of another kind of source."""

    checkpoint: str
    left: str
    read: str

    def __str__(self) -> str:
        return (
            f"The checkpoint {self.checkpoint} was left by a stream over {self.left}; this one reads {self.read} and "
            "cannot resume from it. Give it a checkpointLocation of its own, or delete that folder to start over."
        )


@dataclass(eq=False)
class NothingToPlot(ExplainedError, ValueError):
    """There is nothing that a plot could show, or not in this frame."""

    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass(eq=False)
class MissingMatplotlib(ExplainedError):
    """The plots are drawn with matplotlib, which is not installed."""

    def __str__(self) -> str:
        return "The plots of stream_view need matplotlib: pip install matplotlib"
