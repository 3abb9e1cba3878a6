from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import nbformat
import pytest

from streaming_classroom.runner import engine
from streaming_classroom.runner.engine import Deadlines
from streaming_classroom.runner.kernel import LessonKernelManager, processes_of
from streaming_classroom.runner.results import SuiteResult


def test_a_cell_may_take_what_is_left_of_the_lesson_and_never_zero() -> None:
    assert Deadlines(cell=5, lesson=100).allow(None) == 5
    assert Deadlines(cell=5, lesson=2).allow(None) == pytest.approx(2, abs=0.1)
    assert 0 < Deadlines(cell=5, lesson=2, started=monotonic() - 10).allow(None) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("unlucky", "outcome"), [(2, "passed"), (3, "failed")])
def test_a_kernel_whose_port_another_program_has_taken_is_started_anew(
    fixture_notebook: Callable[[str], Path],
    run: Callable[..., SuiteResult],
    monkeypatch: pytest.MonkeyPatch,
    unlucky: int,
    outcome: str,
) -> None:
    made = []

    def manager() -> LessonKernelManager:
        made.append(LessonKernelManager())
        if len(made) <= unlucky:
            made[-1].cache_ports = False  # else it looks for a free one
            made[-1].shell_port = taken.getsockname()[1]
        return made[-1]

    monkeypatch.setattr(engine, "LessonKernelManager", manager)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        (lesson,) = run(fixture_notebook("passing")).lessons
    assert (lesson.outcome, len(made)) == (outcome, 3)


def test_an_endless_cell_is_ended_at_its_deadline_with_the_line_it_was_in(
    fixture_notebook: Callable[[str], Path], run: Callable[..., SuiteResult]
) -> None:
    (lesson,) = run(fixture_notebook("endless-cell"), cell_timeout=2).lessons
    (failure,) = lesson.failures
    assert (failure.kind, failure.cell, failure.count, failure.line) == ("deadline", 3, 2, 2)
    assert failure.source == "time.sleep(1)"
    assert failure.message == "did not finish within the 2 s that a cell may take"
    assert processes_of(lesson.kept) == []  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_deaf_endless_cell_and_its_detached_child_are_gone_after_the_lessons_deadline(
    fixture_notebook: Callable[[str], Path], run: Callable[..., SuiteResult], tmp_path: Path
) -> None:
    (lesson,) = run(fixture_notebook("endless-child"), lesson_timeout=3).lessons
    (failure,) = lesson.failures
    assert (failure.kind, failure.cell) == ("deadline", 3)
    assert failure.message == "was running when the 3 s of the lesson were over"
    assert (lesson.kept / "child.pid").exists()  # type: ignore[operator]
    assert processes_of(lesson.kept) == []  # type: ignore[arg-type]


def test_what_a_cell_writes_since_its_deadline_interrupted_it_is_no_failure_of_its_own(
    tmp_path: Path, run: Callable[..., SuiteResult]
) -> None:
    cell = "import sys, time\ntry:\n    time.sleep(600)\nfinally:\n    print('interrupted', file=sys.stderr)"
    notebook = tmp_path / "interrupted.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)]), notebook)
    (lesson,) = run(notebook, cell_timeout=2).lessons
    assert [failure.kind for failure in lesson.failures] == ["deadline"]


@pytest.mark.slow
def test_quick_cells_may_still_take_too_long_together(
    fixture_notebook: Callable[[str], Path], run: Callable[..., SuiteResult]
) -> None:
    (lesson,) = run(fixture_notebook("slow-cells"), lesson_timeout=3).lessons
    assert [failure.kind for failure in lesson.failures] == ["deadline"]
    assert 0 < lesson.cells < lesson.total


@pytest.mark.slow
def test_the_whole_traceback_stays_in_the_executed_notebook(
    fixture_notebook: Callable[[str], Path], run: Callable[..., SuiteResult]
) -> None:
    (lesson,) = run(fixture_notebook("spark-like-error")).lessons
    assert lesson.failures[0].message == "AnalysisException: cannot resolve [TABLE_OR_VIEW_NOT_FOUND]"
    nb = nbformat.read(lesson.executed, as_version=4)
    assert "many\nmore\nlines" in nb.cells[0].outputs[0].evalue
