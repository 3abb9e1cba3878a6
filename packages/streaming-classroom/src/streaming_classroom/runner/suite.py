"""Runs many lessons side by side, and stops them cleanly at Ctrl-C.

A thread per lesson is enough, since it only waits for its kernel. A lesson whose cells have all run frees its slot: its
kernel and its JVM take another second or two to end, most of it waiting. Ctrl-C is a flag and not an exception,
so it can arrive at any moment: no further cell starts, the kernels are ended, what is known is reported.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console

from streaming_classroom import environment
from streaming_classroom.runner.execute import RunRequest, read, run_lesson
from streaming_classroom.runner.find import new_run
from streaming_classroom.runner.kernel import end_processes
from streaming_classroom.runner.lesson_file import code_cells
from streaming_classroom.runner.progress import Reporter, reporter
from streaming_classroom.runner.report import print_summary, write_junit
from streaming_classroom.runner.results import InvalidNotebook, LessonResult, NoLessons, SuiteResult

_LOOK = 0.2  # how soon Ctrl-C is noticed
_GRACE = 5.0  # for a process to obey before it is killed: a JVM removes its temporary files


def run_lessons(
    lessons: Sequence[Path],
    *,
    jobs: int = 1,
    save: bool = False,
    cell_timeout: float = 120.0,
    lesson_timeout: float = 600.0,
    junit: Path | None = None,
    console: Console | None = None,
    home: Path,
    course: Path | None = None,
    parameters: Mapping[str, str] | None = None,
    compare: bool = False,
    solved: bool = False,
) -> SuiteResult:
    """Execute lessons, each in a fresh kernel and a home of its own, and report how they went.

    When this returns, no process that a lesson started is left. Nothing that a lesson does wrong is raised.

    Parameters
    ----------
    lessons
        Notebook files, as `find_lessons` returns them.
    jobs
        How many lessons may run at the same time, not counting those that only end their processes.
    save
        Write outputs back into the files of the lessons that passed.
    cell_timeout, lesson_timeout
        Deadlines in seconds, for every cell and for every lesson.
    junit
        Where to write JUnit XML, if at all.
    console
        Where to print; standard output by default.
    course
        The directory of the course's lessons. A notebook from elsewhere is a guest: the dialect is set up before its
        first cell, and neither an active stream nor stderr makes it fail. By default, there are no guests.
    parameters
        Values that papermill puts into each notebook.
    compare
        Fail a lesson also where a fresh output is not the one in its file; see :mod:`.comparison`.
    solved
        Run the exercises with their solutions in, and fail a lesson whose checks do not find them right.
    home
        The run makes ``home/runs/<run-id>/``, with the executed notebooks in it.

    Returns
    -------
    SuiteResult
        Its ``exit_code`` is 0 if every lesson passed, 130 after Ctrl-C, otherwise 1.

    Raises
    ------
    NoLessons
        `lessons` is empty.
    """
    if not lessons:
        raise NoLessons
    console = console or Console()
    started = time.monotonic()
    with new_run(home) as directory:
        orders = [
            RunRequest(
                name,
                notebook.absolute(),
                directory,
                save,
                cell_timeout,
                lesson_timeout,
                guest=course is not None and not notebook.absolute().is_relative_to(course),
                parameters=parameters or {},
                compare=compare,
                solved=solved,
            )
            for name, notebook in _named(lessons)
        ]
        with _interruptible() as cancel, reporter(console, _count_cells(orders)) as show:
            results = _run_all(orders, max(1, jobs), show, cancel)
    result = SuiteResult(tuple(results), time.monotonic() - started, directory, cancel.is_set())
    if junit is not None:
        write_junit(result, junit)
    print_summary(result, console)
    return result


def _named(lessons: Sequence[Path]) -> list[tuple[str, Path]]:
    """Return each notebook with a name that no other of the run has."""
    named: list[tuple[str, Path]] = []
    for notebook in lessons:
        taken = {name.casefold() for name, _ in named}  # file systems may ignore case
        name, count = notebook.stem, 1
        while name.casefold() in taken:  # two directories may hold the same file name
            count += 1
            name = f"{notebook.stem}-{count}"
        named.append((name, notebook))
    return named


def _count_cells(orders: list[RunRequest]) -> int:
    total = 0
    for order in orders:
        try:
            total += code_cells(read(order)[0])
        except InvalidNotebook:  # reported when its turn comes
            continue
    return total


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Set an event at SIGINT and SIGTERM, and restore the handlers afterwards."""
    cancel = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield cancel  # Python lets no other thread handle signals
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: cancel.set()) for number in signals]
    try:
        yield cancel
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


def _run_all(orders: list[RunRequest], jobs: int, show: Reporter, cancel: threading.Event) -> list[LessonResult]:
    slots = threading.Semaphore(jobs)
    with ThreadPoolExecutor(2 * jobs, thread_name_prefix="lesson") as pool:
        futures = [pool.submit(_run_one, order, show, slots, cancel) for order in orders]
        _wait(futures, orders, cancel)
    return [future.result() for future in futures]


def _run_one(order: RunRequest, show: Reporter, slots: threading.Semaphore, cancel: threading.Event) -> LessonResult:
    with ExitStack() as slot:
        slot.enter_context(slots)
        if cancel.is_set():
            return LessonResult(order.lesson, order.notebook, "not run")
        show.started(order.lesson)
        # A cluster has no core for the next lesson before the JVM of this one has ended.
        free_slot = slot.close if environment.is_one_machine() else _keep_slot
        result = run_lesson(order, show.advanced, free_slot, cancel)
        show.ended(result)
        return result


def _keep_slot() -> None:
    """Do nothing; the slot is freed when the lesson has ended."""


def _wait(futures: list[Future[LessonResult]], orders: list[RunRequest], cancel: threading.Event) -> None:
    """Wait for all lessons; each has a deadline.  After an interrupt, end their kernels."""
    pending = set(futures)
    while pending:
        pending = wait(pending, timeout=_LOOK).not_done
        if cancel.is_set():
            for future, order in zip(futures, orders, strict=True):
                if future.running():
                    end_processes(order.home, patience=_GRACE, ask=True)
