"""Runs many lessons side by side, each in a home of its own, and stops them cleanly at Ctrl-C.

A thread per lesson is enough, since it only waits for its kernel. A lesson whose cells have all run frees its slot: its
kernel and its JVM take another second or two to end, most of it waiting. Ctrl-C is a flag and not an exception,
so it can arrive at any moment: no further cell starts, the kernels are ended, what is known is reported.
"""

from __future__ import annotations

import logging
import re
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from filelock import FileLock, Timeout
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from rich.console import Console
from rich.markup import escape

from notebook_dialect.conversion import as_notebook
from streaming_base.errors import UnreadableNotebook
from streaming_classroom import environment
from streaming_classroom.files import directories
from streaming_classroom.runner.engine import Deadlines, MessageObserver, Observed, execute_notebook
from streaming_classroom.runner.kernel import KERNEL_LOG, end_processes, kernel_environment
from streaming_classroom.runner.lesson_files import (
    code_cells,
    no_lessons,
    read_lesson,
    save_outputs,
    solved,
    without_classic_cells,
)
from streaming_classroom.runner.outcome import differences, find_failures
from streaming_classroom.runner.results import (
    STYLES,
    Failure,
    InvalidNotebook,
    LessonResult,
    RunnerError,
    SuiteResult,
    print_summary,
    write_junit,
)
from streaming_classroom.session import repeated_starts

if TYPE_CHECKING:
    from nbformat import NotebookNode

KEPT = 10  # runs whose notebooks are kept; a failed lesson's home has 40 MB
_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_LOCK = "run.lock"
_POLL_INTERVAL = 0.2  # seconds after which Ctrl-C is noticed
_GRACE = 5.0  # for a process to obey before it is killed: a JVM removes its temporary files
# Papermill logs that parameters come first where no cell has their tag.
logging.getLogger("papermill").addFilter(lambda record: "does not contain a cell with tag" not in record.getMessage())
# What a guest finds done, as a Databricks notebook does.
_PREPARE = "%load_ext streaming_classroom"


@dataclass(frozen=True)
class RunRequest:
    """One lesson to run, under a name that no other lesson of the run has, with the options of :func:`run_lessons`.

    A ``guest`` is somebody else's notebook: it may be in Databricks' source format.
    """

    lesson: str
    notebook: Path
    directory: Path
    save: bool
    cell_timeout: float
    lesson_timeout: float
    guest: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    compare: bool = False
    solved: bool = False
    on_message: MessageObserver = lambda message, cell_index: None
    interactive: bool = False

    @property
    def home(self) -> Path:
        """The lesson's ``CLASSROOM_HOME``."""
        return self.directory / self.lesson

    @property
    def executed(self) -> Path:
        """Where the executed notebook goes."""
        return self.directory / f"{self.lesson}.ipynb"


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
    on_message: Callable[[Path, dict[str, Any], int | None], None] = lambda notebook, message, cell_index: None,
    interactive: bool = False,
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
        Write outputs back into the files of the lessons that passed; with `solved`, only how labs end.
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
        Fail a lesson also where a fresh output is not the one in its file; see :mod:`.outcome`.
    solved
        Run the exercises with their solutions in, and fail a lesson whose checks do not find them right.
    on_message
        Called with each message that a notebook's kernel publishes, and the position of the message's cell, if any.
    interactive
        Show in the cells what a person at the notebook is shown, such as live views.
    home
        The run makes ``home/runs/<run-id>/``, with the executed notebooks in it.

    Returns
    -------
    SuiteResult
        Its ``exit_code`` is 0 if every lesson passed, 130 after Ctrl-C, otherwise 1.

    Raises
    ------
    RunnerError
        `lessons` is empty.
    """
    if not lessons:
        raise no_lessons()
    console = console or Console()
    started = time.monotonic()
    with new_run(home) as directory:
        requests = [
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
                on_message=partial(on_message, notebook),
                interactive=interactive,
            )
            for name, notebook in _named(lessons)
        ]
        slots = threading.Semaphore(max(1, jobs))
        with _interruptible() as cancel, ThreadPoolExecutor(2 * max(1, jobs), thread_name_prefix="lesson") as pool:
            estimate = Estimate(len(requests), started)
            futures = [pool.submit(_run_in_slot, request, console, slots, cancel, estimate) for request in requests]
            _wait(futures, requests, cancel)
    results = tuple(future.result() for future in futures)
    result = SuiteResult(results, time.monotonic() - started, cancel.is_set())
    if junit is not None:
        write_junit(result, junit)
    print_summary(result, console)
    return result


@contextmanager
def new_run(home: Path) -> Iterator[Path]:
    """Create a directory below ``home/runs`` that is unique to this run, and kept while it is in use.

    All ended runs but the newest few are removed.
    """
    runs = directories.claim(home.absolute()) / "runs"
    directory = runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
    directory.mkdir(parents=True)
    with FileLock(directory / _LOCK):
        made = sorted(path for path in runs.iterdir() if _RUN.fullmatch(path.name) and not path.is_symlink())
        for old in made[:-KEPT]:
            try:
                with FileLock(old / _LOCK, blocking=False):
                    shutil.rmtree(old, ignore_errors=True)
            except Timeout:  # it is still going
                continue
        yield directory


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


def _wait(futures: list[Future[LessonResult]], requests: list[RunRequest], cancel: threading.Event) -> None:
    """Wait for all lessons; each has a deadline.  After an interrupt, end their kernels."""
    pending = set(futures)
    while pending:
        pending = wait(pending, timeout=_POLL_INTERVAL).not_done
        if cancel.is_set():
            for future, request in zip(futures, requests, strict=True):
                if future.running():
                    end_processes(request.home, patience=_GRACE, ask=True)


class Estimate:
    """How long the rest of a run takes if its lessons take as long as those that have ended."""

    def __init__(self, lessons: int, started: float) -> None:
        self._lessons, self._started = lessons, started
        self._ended = 0
        self._lock = threading.Lock()

    def after(self, now: float) -> str:
        """Count a lesson that has ended; return how many have, and the minutes left, or nothing at the end."""
        with self._lock:
            self._ended += 1
            left = self._lessons - self._ended
            if not left:
                return ""
            minutes = (now - self._started) / self._ended * left / 60
            return f"; {self._ended} of {self._lessons}, about {max(1, round(minutes))} min left"


def _run_in_slot(
    request: RunRequest, console: Console, slots: threading.Semaphore, cancel: threading.Event, estimate: Estimate
) -> LessonResult:
    with ExitStack() as slot:
        slot.enter_context(slots)
        if cancel.is_set():
            return LessonResult(request.lesson, request.notebook, "not run")
        console.print(f"started {escape(request.lesson)}", highlight=False, soft_wrap=True)
        # A cluster has no core for the next lesson before the JVM of this one has ended.
        free_slot = slot.close if environment.is_one_machine() else lambda: None
        result = _run_lesson(request, free_slot, cancel)
        outcome = f"[{STYLES[result.outcome]}]{result.outcome}[/]"
        text = f"{outcome} {escape(result.lesson)} in {result.seconds:.1f} s{estimate.after(time.monotonic())}"
        console.print(text, highlight=False, soft_wrap=True)
        return result


def _run_lesson(request: RunRequest, on_cells_done: Callable[[], None], cancel: threading.Event) -> LessonResult:
    """Run one lesson and return its result; errors of the lesson are not raised.

    Afterwards no process of the lesson is left, and its home is removed if it passed.  ``on_cells_done`` is called
    before the processes end, unless a deadline was missed; ``cancel`` prevents further cells.
    """
    started = time.monotonic()
    try:
        nb, content = _read(request)
    except InvalidNotebook as error:
        failure = Failure(request.notebook, None, None, None, "invalid", f"not a valid notebook: {error.reason}")
        return LessonResult(request.lesson, request.notebook, "failed", failures=(failure,))
    executed, seen = _execute(request, on_cells_done, cancel)
    failures = find_failures(executed, request.notebook, seen, strict=not request.guest)
    if request.compare and not failures and seen.trouble is None:
        failures += differences(nb, executed, request.notebook, request.home)
    interrupted = cancel.is_set() and (seen.trouble is not None or bool(failures))
    if request.save and not failures and not interrupted:
        try:
            save_outputs(request.notebook, content, executed, request.home, solved=request.solved)
        except (RunnerError, OSError) as error:
            failures = (Failure(request.notebook, None, None, None, "save", str(error)),)
    passed = not failures and not interrupted
    if passed:
        # Best effort: on Windows a virus scanner may hold a file open, and the lesson did pass.
        shutil.rmtree(request.home, ignore_errors=True)
    return LessonResult(
        request.lesson,
        request.notebook,
        "passed" if passed else "interrupted" if interrupted else "failed",
        seconds=time.monotonic() - started,
        cells=len(seen.replies),
        total=code_cells(nb),
        failures=() if interrupted else failures,
        executed=request.executed,
        kept=None if passed else request.home,
    )


def _read(request: RunRequest) -> tuple[NotebookNode, bytes]:
    """Return the notebook and the bytes of its file; a guest's is kept as a notebook where the executed one goes."""
    if not request.guest:
        return read_lesson(request.notebook)
    try:
        nb = as_notebook(request.notebook)
    except UnreadableNotebook as error:
        raise InvalidNotebook(request.notebook, error.reason) from error
    nbformat.write(nb, request.executed)
    return nb, b""


def _execute(
    request: RunRequest, on_cells_done: Callable[[], None], cancel: threading.Event
) -> tuple[NotebookNode, Observed]:
    nb = load_notebook_node(str(request.executed if request.guest else request.notebook))
    if request.solved:
        nb = solved(nb)
    if repeated_starts.is_needed():
        nb = without_classic_cells(nb)
    if request.parameters:
        nb = parameterize_notebook(nb, dict(request.parameters))
    seen = Observed()
    request.home.mkdir(parents=True)
    directories.claim(request.home)
    with (request.home / KERNEL_LOG).open("wb") as log:  # what the kernel says before and after the cells
        start = {
            "cwd": str(request.notebook.parent),
            "env": kernel_environment(request.home, request.notebook),
            "stdout": log,
            "stderr": log,
        }
        try:
            nb = execute_notebook(
                nb,
                request.executed,
                seen=seen,
                deadlines=Deadlines(request.cell_timeout, request.lesson_timeout),
                start=start,
                on_cells_done=on_cells_done,
                cancel=cancel,
                prepare=_PREPARE if request.guest else None,
                on_message=request.on_message,
                interactive=request.interactive,
            )
        finally:
            end_processes(request.home, ask=seen.trouble is not None)
    return nb, seen
