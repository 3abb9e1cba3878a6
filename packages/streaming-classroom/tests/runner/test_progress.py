from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from streaming_classroom.runner import LessonResult
from streaming_classroom.runner.progress import Lines, ProgressBar, reporter

DONE = LessonResult("01-A[x]", Path("01-A.ipynb"), "failed", seconds=1.23, cells=2, total=5)


def console(terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=80, color_system=None)


def test_a_log_gets_one_line_at_the_start_and_one_at_the_end() -> None:
    log = console(terminal=False)
    with reporter(log, 5) as show:
        assert isinstance(show, Lines)
        show.started("01-A[x]")
        show.advanced()
        show.ended(DONE)
    assert log.file.getvalue() == "started 01-A[x]\nfailed 01-A[x] in 1.2 s\n"  # type: ignore[attr-defined]


def test_a_terminal_gets_a_bar_with_the_lessons_under_way() -> None:
    terminal = console(terminal=True)
    with reporter(terminal, 5) as show:
        assert isinstance(show, ProgressBar)
        show.started("01-A[x]")
        show.started("02-B")
        (task,) = show._progress.tasks
        assert task.description == r"01-A\[x], 02-B"
        show.advanced()
        show.advanced()
        assert task.completed == 2
        show.ended(DONE)
        assert (task.description, task.completed) == ("02-B", 5)
    assert "failed 01-A[x] in 1.2 s" in terminal.file.getvalue()  # type: ignore[attr-defined]
