"""What a kernel of the course loads at its start: it explains a cell that is run before set-up.

After a restart of the kernel a page looks as before, and nothing of it is there any more.  A cell that is run then
would fail on the syntax of SQL or on a name that nobody has mistyped; here it says that the set-up cell comes first.

And they do not tell the front end Python's version.  JupyterLab writes what it is told into the notebook, which then
is unsaved as soon as it is opened, and a difference in version control once it is saved.

In a lesson they start Spark meanwhile: the set-up cell is run some seconds after the notebook is opened, Spark needs
just these seconds, and set-up silently takes over the start.  Only one kernel of a home at a time has a Spark that
nobody has asked for yet, so that JupyterLab, opening the five lessons of yesterday, does not start five.  If the
settings have changed in between, the early session is stopped.  All imports of it are late: they hold up the kernel.

IPython loads this as an extension (:mod:`.setup.steps`), so it imports neither Spark nor widgets.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import no_var_expand

from streaming_base.errors import ExplainedError
from streaming_classroom import environment
from streaming_classroom.files import directories

if TYPE_CHECKING:
    from filelock import FileLock
    from IPython.core.interactiveshell import InteractiveShell

SENTENCE = "This kernel has just been started, and what ran before is gone: run the set-up cells first."
# What set-up defines in every notebook; in a lesson other names are missing for the same reason.
_NAMES = (
    "DA",
    "spark",
    "sc",
    "sqlContext",
    "dbutils",
    "untilStreamIsReady",
    "stopAllStreams",
    "workingDir",
    "userhome",
)
_SET_UP = ("Classroom-Setup", "set_up_notebook", "streaming_classroom")
_PAUSE = 0.3  # seconds in which the kernel answers the front end first
_MEMORY = 2 * 1024**3  # bytes that have to be free; a lesson's Spark takes up to one of the two


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics of lessons as a message that set-up is missing, until set-up replaces them."""
    if environment.is_databricks():
        return
    from notebook_dialect import conversion

    transforms = shell.input_transformer_manager.cleanup_transforms
    if conversion.to_cell_magic not in transforms:
        transforms.append(conversion.to_cell_magic)
    magics = {magic for magic in conversion.LANGUAGES.values() if magic} - set(shell.magics_manager.magics["cell"])
    for name in magics:
        shell.register_magic_function(no_var_expand(_too_early), "line_cell", name)  # type: ignore[arg-type]
    shell.set_custom_exc((NameError, ExplainedError), _show_error)
    if (kernel := getattr(shell, "kernel", None)) is not None:
        kernel.language_info = {name: value for name, value in kernel.language_info.items() if name != "version"}
        notebook = _notebook()
        if notebook is not None and _is_lesson():
            begin_early_start(notebook)


def _too_early(line: str, cell: str | None = None) -> None:
    """Raise the message that set-up is missing."""
    raise UsageError(SENTENCE)


def _show_error(
    shell: InteractiveShell,
    kind: type,
    error: NameError | ExplainedError,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> list[str] | None:
    """Show an error that explains itself, or that set-up prevents, as a sentence; any other as IPython does."""
    if isinstance(error, ExplainedError):
        sentence = str(error)
    else:
        sentence = f"{error}. {SENTENCE}" if error.name in _NAMES or _is_lesson() else ""
    if sentence:
        lines = [f"{kind.__name__}: {sentence}"]
        shell._showtraceback(kind, error, lines)
        return lines
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    return None


def _notebook() -> Path | None:
    """Return the kernel's notebook, or None where no Jupyter server names it (papermill, nbconvert, nbval, VS Code)."""
    name = os.environ.get("JPY_SESSION_NAME")
    return Path(name).absolute() if name else None


def _is_lesson() -> bool:
    """Whether the notebook is in the course's checkout or among the learner's copies.

    A kernel without the name of its notebook counts by its working directory.
    """
    notebook = _notebook()
    folders = [Path.cwd(), *Path.cwd().parents] if notebook is None else notebook.parents
    return directories.PROJECT in folders or directories.work() in folders


_early: _EarlyStart | None = None


@dataclass
class _EarlyStart:
    """A start in progress: its lock, the modules still to import, the thread that starts Spark, and which Spark."""

    lock: FileLock
    imports: Iterator[str]
    thread: threading.Thread | None = None
    asked_for: tuple[Any, ...] | None = None


def begin_early_start(notebook: Path) -> bool:
    """Start Spark in the background if this notebook will need a local session; return whether it does.

    ``CLASSROOM_EARLY_START=0`` turns it off.
    """
    global _early
    if os.environ.get("CLASSROOM_EARLY_START") == "0" or not environment.is_one_machine():
        return False
    try:
        text = notebook.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    if not any(word in text for word in _SET_UP):  # others may want a Spark with settings of their own
        return False
    import psutil

    if psutil.virtual_memory().available < _MEMORY or (lock := _home_lock()) is None:
        return False
    _early = _EarlyStart(lock, _imports())
    _schedule_import(_PAUSE, _early)
    return True


def take_over_early_start() -> None:
    """Wait for the early start, and stop its session if another Spark is requested by now.

    An error in the background is raised by the next regular start, where it is visible.
    """
    global _early
    early, _early = _early, None
    if early is None:
        return
    early.lock.release(force=True)
    if early.thread is None:
        return
    early.thread.join()  # ends with the start of Spark, which has its own deadline
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from streaming_classroom.session import spark_session

    if early.asked_for == spark_session.asked_for():
        return
    # The next session may have another location or class path, so the JVM ends as well.
    if (session := SparkSession._instantiatedSession) is not None:
        session.stop()
    if (gateway := SparkContext._gateway) is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()  # the JVM ends when nobody can write to it any more
        SparkContext._gateway = SparkContext._jvm = None


def _schedule_import(seconds: float, early: _EarlyStart) -> None:
    """Continue when the kernel has nothing else to do: not before that many seconds, and not within a cell."""
    from tornado.ioloop import IOLoop  # which every kernel runs on

    IOLoop.current().call_later(seconds, _import_next, early)


def _import_next(early: _EarlyStart) -> None:
    """Import one module, and after the last one start Spark.

    Two threads that import at the same time may see half-initialized modules, so the thread that starts Spark finds all
    of its modules loaded.
    """
    if early is not _early:
        return  # the set-up cell was quicker
    if (name := next(early.imports, None)) is None:
        early.thread = threading.Thread(target=_start, args=(early,), name="early start of Spark", daemon=True)
        early.thread.start()
        return
    with suppress(Exception):  # what cannot be imported fails again in the set-up cell
        import_module(name)
    _schedule_import(0, early)


def _imports() -> Iterator[str]:
    yield from ("pyspark.sql", "streaming_classroom.setup.steps", "streaming_classroom.session.spark_session")
    from streaming_classroom.session.spark_session import IMPORTED_MEANWHILE

    yield from IMPORTED_MEANWHILE


def _home_lock() -> FileLock | None:
    """Return the home's lock, held; None where another kernel has it, or the home is not one to write into."""
    from filelock import FileLock, Timeout

    lock = FileLock(directories.home() / "locks" / "early-start.lock", thread_local=False)
    try:
        directories.claim(directories.home())
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except (ExplainedError, OSError, Timeout):  # set-up says what is wrong with the home
        return None
    return lock


def _start(early: _EarlyStart) -> None:
    from streaming_classroom.session import spark_session
    from streaming_classroom.setup import steps

    with suppress(Exception):  # the set-up cell tries again, and there it is seen
        if steps.session_java() is None:
            return  # fetching takes minutes and is reported; that is the set-up cell's
        early.asked_for = spark_session.asked_for()
        session = spark_session.classic_session()
        session.sql("SHOW TABLES").collect()  # the first statement takes as long as the session itself
