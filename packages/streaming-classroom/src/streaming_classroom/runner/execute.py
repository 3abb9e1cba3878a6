"""Executes one lesson in a home of its own and returns its result."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import nbformat
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from notebook_dialect.notebooks.convert import as_notebook
from streaming_base.errors import UnreadableNotebook
from streaming_classroom.files import ownership
from streaming_classroom.runner.comparison import differences
from streaming_classroom.runner.engine import Deadlines, LessonEngine, Observed
from streaming_classroom.runner.kernel import KERNEL_LOG, end_processes, kernel_environment
from streaming_classroom.runner.lesson_file import code_cells, read_lesson, save_outputs, solved
from streaming_classroom.runner.outcome import find_failures
from streaming_classroom.runner.results import Failure, InvalidNotebook, LessonResult, RunnerError

if TYPE_CHECKING:
    from nbformat import NotebookNode


# What a guest finds done, as a Databricks notebook does.
_PREPARE = "%load_ext streaming_classroom"


@dataclass(frozen=True)
class RunRequest:
    """One lesson to run.

    Parameters
    ----------
    lesson
        The lesson's name in this run, which no other lesson of the run has.
    directory
        The directory of the run.
    cell_timeout, lesson_timeout
        Deadlines in seconds.
    guest
        Whether it is somebody else's notebook: it finds the dialect set up as on Databricks, may be in
        Databricks' source format, and need not keep the course's rules about streams and stderr.
    parameters
        Values that papermill puts into the notebook.
    compare
        Whether outputs that differ from those of the file are a failure.
    solved
        Whether the exercises are run with their solutions in.
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

    @property
    def home(self) -> Path:
        """The lesson's ``CLASSROOM_HOME``."""
        return self.directory / self.lesson

    @property
    def executed(self) -> Path:
        """Where the executed notebook goes."""
        return self.directory / f"{self.lesson}.ipynb"


def run_lesson(
    order: RunRequest, on_cell: Callable[[], None], on_cells_done: Callable[[], None], cancel: threading.Event
) -> LessonResult:
    """Run one lesson and return its result; errors of the lesson are not raised.

    Afterwards no process of the lesson is left, and its home is removed if it passed.  ``on_cell`` is called after
    every code cell, ``on_cells_done`` before the processes end, unless a deadline was missed; ``cancel`` prevents
    further cells.
    """
    started = monotonic()
    try:
        nb, content = read(order)
    except InvalidNotebook as error:
        return _invalid(order, error)
    if cancel.is_set():
        return LessonResult(order.lesson, order.notebook, "not run", total=code_cells(nb))
    executed, seen = _execute(order, on_cell, on_cells_done, cancel)
    failures = find_failures(executed, order.notebook, seen, strict=not order.guest)
    if order.compare and not failures and seen.trouble is None:
        failures += differences(nb, executed, order.notebook, order.home)
    interrupted = cancel.is_set() and (seen.trouble is not None or bool(failures))
    if order.save and not failures and not interrupted:
        failures = _save(order, content, executed)
    passed = not failures and not interrupted
    if passed:
        # Best effort: on Windows a virus scanner may hold a file open, and the lesson did pass.
        shutil.rmtree(order.home, ignore_errors=True)
    return LessonResult(
        order.lesson,
        order.notebook,
        "passed" if passed else "interrupted" if interrupted else "failed",
        seconds=monotonic() - started,
        cells=len(seen.replies),
        total=code_cells(nb),
        failures=() if interrupted else failures,
        executed=order.executed,
        kept=None if passed else order.home,
    )


def read(order: RunRequest) -> tuple[NotebookNode, bytes]:
    """Return the notebook and the bytes of its file; a guest's is kept as a notebook where the executed one goes."""
    if not order.guest:
        return read_lesson(order.notebook)
    try:
        nb = as_notebook(order.notebook)
    except UnreadableNotebook as error:
        raise InvalidNotebook(order.notebook, error.reason) from error
    nbformat.write(nb, order.executed)
    return nb, b""


def _invalid(order: RunRequest, error: InvalidNotebook) -> LessonResult:
    failure = Failure(order.notebook, None, None, None, "invalid", f"not a valid notebook: {error.reason}")
    return LessonResult(order.lesson, order.notebook, "failed", failures=(failure,))


def _is_news(record: logging.LogRecord) -> bool:
    """Whether papermill logs something else than that parameters come first where no cell has their tag."""
    return "does not contain a cell with tag" not in record.getMessage()


logging.getLogger("papermill").addFilter(_is_news)


def _execute(
    order: RunRequest, on_cell: Callable[[], None], on_cells_done: Callable[[], None], cancel: threading.Event
) -> tuple[NotebookNode, Observed]:
    nb = load_notebook_node(str(order.executed if order.guest else order.notebook))
    if order.solved:
        nb = solved(nb)
    if order.parameters:
        nb = parameterize_notebook(nb, dict(order.parameters))
    seen = Observed()
    order.home.mkdir(parents=True)
    ownership.claim(order.home)
    with (order.home / KERNEL_LOG).open("wb") as log:  # what the kernel says before and after the cells
        start = {
            "cwd": str(order.notebook.parent),
            "env": kernel_environment(order.home, order.notebook),
            "stdout": log,
            "stderr": log,
        }
        try:
            nb = LessonEngine.execute_notebook(
                nb,
                kernel_name="python3",
                output_path=str(order.executed),
                progress_bar=False,
                seen=seen,
                deadlines=Deadlines(order.cell_timeout, order.lesson_timeout),
                start=start,
                on_cell=on_cell,
                on_cells_done=on_cells_done,
                cancel=cancel,
                prepare=_PREPARE if order.guest else None,
            )
        finally:
            end_processes(order.home, ask=seen.trouble is not None)
    return nb, seen


def _save(order: RunRequest, content: bytes, executed: NotebookNode) -> tuple[Failure, ...]:
    try:
        save_outputs(order.notebook, content, executed, order.home)
    except (RunnerError, OSError) as error:
        return (Failure(order.notebook, None, None, None, "save", str(error)),)
    return ()
