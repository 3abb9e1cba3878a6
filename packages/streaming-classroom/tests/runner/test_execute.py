"""Every broken notebook once, in one run side by side; Spark only in the one that needs it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from streaming_classroom.runner.kernel import processes_of
from streaming_classroom.runner.results import LessonResult, SuiteResult
from streaming_classroom.runner.suite import run_lessons

NAMES = (
    "leaked-stream",
    "passing",
    "failing-cell",
    "dead-kernel",
    "noisy-stderr",
    "late-stderr",
    "expected-stderr",
    "expected-failure",
    "no-failure",
    "not-json",
    "not-a-notebook",
)


@pytest.fixture(scope="module")
def results(
    fixture_notebook: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, LessonResult]:
    lessons = [fixture_notebook(name) for name in NAMES]
    home = tmp_path_factory.mktemp("home")
    result = run_lessons(lessons, jobs=2, console=Console(file=io.StringIO()), home=home)
    assert not result.passed
    return {lesson.lesson: lesson for lesson in result.lessons}


@pytest.mark.parametrize("name", ["passing", "expected-stderr", "expected-failure"])
def test_a_sound_lesson_passes_and_leaves_only_its_executed_notebook(
    results: dict[str, LessonResult], name: str
) -> None:
    lesson = results[name]
    assert (lesson.outcome, lesson.failures, lesson.kept) == ("passed", (), None)
    assert lesson.executed is not None and lesson.executed.is_file()
    assert lesson.cells == lesson.total > 0
    assert not (lesson.executed.parent / name).exists()


@pytest.mark.parametrize(
    ("name", "kind", "place", "says"),
    [
        ("failing-cell", "failed cell", "cell 3 [2], line 2", "ZeroDivisionError: division by zero"),
        ("dead-kernel", "dead kernel", "cell 3 [2]", "the kernel died while this cell ran"),
        ("noisy-stderr", "stderr", "cell 3 [2]", "this is a warning"),
        ("late-stderr", "stderr", "cell 2 [1]", "late warning"),
        ("no-failure", "did not raise", "cell 2 [1]", "raises-exception"),
        ("leaked-stream", "stream left active", "cell 3 [2], line 4", "'left_behind'"),
        ("not-json", "invalid", "", "not JSON"),
        ("not-a-notebook", "invalid", "", "cells/0: 'id' is a required property"),
    ],
)
def test_a_broken_lesson_fails_for_its_one_reason(
    results: dict[str, LessonResult], name: str, kind: str, place: str, says: str
) -> None:
    assert results[name].outcome == "failed"
    (failure,) = results[name].failures
    assert (failure.kind, failure.place) == (kind, place)
    assert says in str(failure)


def test_what_a_failed_lesson_left_is_kept_without_any_process(results: dict[str, LessonResult]) -> None:
    kept = [lesson.kept for lesson in results.values() if lesson.kept]
    assert len(kept) == 6
    assert all(home.is_dir() and processes_of(home) == [] for home in kept)


def test_cells_after_the_failed_one_do_not_run(results: dict[str, LessonResult]) -> None:
    assert (results["failing-cell"].cells, results["failing-cell"].total) == (2, 3)


@pytest.mark.slow
def test_a_lesson_runs_in_its_own_directory_whatever_the_path_is_called(
    lesson: Callable[..., Path], run: Callable[..., SuiteResult], tmp_path: Path
) -> None:
    path = lesson("beside", "Übungen für {alle}/notebooks/01-Größe messen.ipynb")
    (path.parents[1] / "Includes").mkdir()
    (path.parents[1] / "Includes" / "Setup.py").write_text("greeting = 'Grüße'\n", encoding="utf-8")
    result = run(path, home=tmp_path / "Heim mit Ä")
    assert result.passed, result.lessons[0].failures
    executed = result.lessons[0].executed
    assert executed is not None and "Grüße" in executed.read_text(encoding="utf-8")


def test_an_endless_cell_is_ended_at_its_deadline_with_the_line_it_was_in(
    fixture_notebook: Callable[[str], Path], run: Callable[..., SuiteResult]
) -> None:
    (lesson,) = run(fixture_notebook("endless-cell"), cell_timeout=5).lessons  # a busy kernel begins a cell late
    (failure,) = lesson.failures
    assert (failure.kind, failure.cell, failure.count, failure.line) == ("deadline", 3, 2, 2)
    assert failure.source == "time.sleep(1)"
    assert failure.message == "did not finish within the 5 s that a cell may take"
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
