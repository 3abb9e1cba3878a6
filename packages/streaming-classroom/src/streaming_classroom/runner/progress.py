"""Progress of a run: one bar over all code cells, or plain lines in a log.

Every method may be called from any thread.
"""

from __future__ import annotations

import threading
from typing import Protocol, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from streaming_classroom.runner.results import LessonResult

_STYLE = {"passed": "green", "failed": "red", "interrupted": "yellow", "not run": "yellow"}


class Reporter(Protocol):
    """The suite's progress reports."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def started(self, lesson: str) -> None:
        """A lesson is under way."""

    def advanced(self) -> None:
        """A code cell has run."""

    def ended(self, result: LessonResult) -> None:
        """A lesson is over."""


def reporter(console: Console, cells: int) -> Reporter:
    """Return the reporter that suits `console`, for `cells` code cells in all."""
    return ProgressBar(console, cells) if console.is_terminal else Lines(console)


def _verdict(result: LessonResult) -> str:
    style = _STYLE[result.outcome]
    return f"[{style}]{result.outcome}[/] {escape(result.lesson)} in {result.seconds:.1f} s"


class Lines:
    """For CI logs: one line when a lesson starts, one when it ends."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def started(self, lesson: str) -> None:
        """Print the lesson's name."""
        self._console.print(f"started {escape(lesson)}", highlight=False, soft_wrap=True)

    def advanced(self) -> None:
        """Print nothing: cells would drown the log."""

    def ended(self, result: LessonResult) -> None:
        """Print how it went, and how long it took."""
        self._console.print(_verdict(result), highlight=False, soft_wrap=True)


class ProgressBar:
    """For terminals: a bar that moves with every code cell, and the lessons under way."""

    def __init__(self, console: Console, cells: int) -> None:
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task("", total=cells)
        self._under_way: list[str] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def started(self, lesson: str) -> None:
        """Show the lesson's name next to the bar."""
        with self._lock:
            self._under_way.append(lesson)
            self._describe()

    def advanced(self) -> None:
        """Move the bar by one cell."""
        self._progress.advance(self._task)

    def ended(self, result: LessonResult) -> None:
        """Print how it went above the bar, and count the cells that will not run."""
        with self._lock:
            self._under_way.remove(result.lesson)
            self._describe()
        self._progress.advance(self._task, result.total - result.cells)
        self._progress.console.print(_verdict(result), highlight=False)

    def _describe(self) -> None:
        self._progress.update(self._task, description=escape(", ".join(self._under_way)))
