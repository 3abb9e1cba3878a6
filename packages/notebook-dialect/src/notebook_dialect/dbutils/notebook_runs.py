"""``dbutils.notebook``: runs another notebook for its result, and ends this one with a result.

The other notebook runs in this process, with a namespace, a Spark session and widgets of its own.  The sessions
share tables and global temporary views, as on Databricks, and nothing else.  Runs that are asked for in several threads
follow each other, since the shell has one notebook at a time.

Papermill puts a cell into the notebook that begins with the comment ``# Parameters`` and assigns each parameter
a literal; nothing else of it reaches the kernel.  The cell is found again in IPython's own history of inputs.
"""

from __future__ import annotations

import ast
import ctypes
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from notebook_dialect import include
from notebook_dialect.dbutils.utilities import Utility
from notebook_dialect.include import NotebookExit
from streaming_base import front_end, waiting
from streaming_base.errors import ExplainedError, NotAvailable

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_dialect.include import Notebook, RunningNotebooks

    IsolatedNotebook = Callable[[InteractiveShell], AbstractContextManager[None]]

_MARK = "# Parameters"


def papermill_parameters() -> dict[str, str]:
    """Return papermill's parameters as text; without papermill, none."""
    history = getattr(front_end.ipython(), "history_manager", None)
    values: dict[str, str] = {}
    for cell in getattr(history, "input_hist_raw", ()):
        if cell.startswith(_MARK):
            values |= _assignments(cell)
    return values


def _assignments(cell: str) -> dict[str, str]:
    """Return the assignments of a cell that has nothing else: a learner's cell may have the same first line."""
    found = {}
    try:
        for statement in ast.parse(cell).body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found[name] = str(ast.literal_eval(_FloatsAsLiterals().visit(value)))
                case _:
                    return {}
    except (SyntaxError, ValueError):
        return {}
    return found


class _FloatsAsLiterals(ast.NodeTransformer):
    """Takes ``float('nan')``, as papermill writes a number that has no literal, for that number."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="nan" | "inf" | "-inf" as text)]):
                return ast.Constant(float(text))
        return node


@dataclass(eq=False)
class NotebookTimeout(ExplainedError, TimeoutError):
    """A notebook that another one ran did not end in time."""

    notebook: str
    seconds: float

    def __str__(self) -> str:
        return f"The notebook {self.notebook} had not ended after {self.seconds:g} s and was stopped."


class NotebookUtils(Utility):
    """Utilities for the control flow of notebooks.

    ``isolated_notebook`` gives a shell an empty notebook, with its own session and utilities, for a ``with`` block.
    """

    def __init__(self, running: RunningNotebooks, user: Callable[[], str], isolated_notebook: IsolatedNotebook) -> None:
        self._running, self._user, self._isolated_notebook = running, user, isolated_notebook
        # Of this notebook's runs: one that it runs has a lock of its own, and may use threads as well.
        self._lock = threading.RLock()

    def run(self, path: str, timeout_seconds: float = 0, arguments: Mapping[str, str] | None = None) -> str:
        """Run a notebook and return what it exits with.

        Parameters
        ----------
        path : str
            The notebook, as ``%run`` names it: relative to this one, with or without its suffix.
        timeout_seconds : float
            When to stop it; 0 for never.
        arguments : dict, optional
            Values of its widgets.

        Returns
        -------
        str
            The value of its ``dbutils.notebook.exit``, or an empty string.

        Raises
        ------
        NotebookNotFound
            There is no such notebook.
        NotebookTimeout
            It did not end in time. Its streams are stopped.
        """
        __tracebackhide__ = True
        shell = _shell()
        values = {name: str(value) for name, value in (arguments or {}).items()}
        with self._lock:
            file = include.find(self._running.current.directory, path)
            try:
                with self._isolated_notebook(shell), _deadline(path, timeout_seconds, shell):
                    include.execute(self._running, shell, file, values, isolated=True)
            except NotebookExit as end:
                return end.value
            return ""

    def exit(self, value: Any = "") -> None:
        """End this notebook, with a result for its caller."""
        __tracebackhide__ = True
        raise NotebookExit(str(value))

    def getContext(self) -> _Context:
        """Return the notebook's context: ``notebookPath()`` and ``userName()``."""
        return _Context(self._running.current, self._user())

    @property
    def entry_point(self) -> _EntryPoint:
        """The entry point that older notebooks use: ``entry_point.getDbutils().notebook().getContext()``."""
        return _EntryPoint(self)


class _EntryPoint:
    """The way through Databricks' JVM objects to the context."""

    def __init__(self, notebook: NotebookUtils) -> None:
        self._notebook = notebook

    def getDbutils(self) -> _EntryPoint:
        return self

    def notebook(self) -> NotebookUtils:
        return self._notebook


@dataclass(frozen=True)
class _Option:
    """Scala's ``Option``: a value that may be missing."""

    value: str

    def get(self) -> str:
        return self.value

    def getOrElse(self, _default: Any) -> str:
        return self.value

    def isDefined(self) -> bool:
        return True

    def toString(self) -> str:
        return f"Some({self.value})"


class _Tags(dict[str, str]):
    """Tags by name, with the methods of a Scala map."""

    def apply(self, name: str) -> str:
        return self[name]


class _Context:
    """The context of the running notebook."""

    def __init__(self, notebook: Notebook, user: str) -> None:
        self._notebook, self._user = notebook, user

    def notebookPath(self) -> _Option:
        """Return the notebook's path as in a workspace: the user's folder, its own folder's name, its name."""
        name = self._notebook.path.stem if self._notebook.path is not None else "notebook"
        return _Option(f"/Users/{self._user}/{self._notebook.directory.name}/{name}")

    def userName(self) -> _Option:
        """Who runs it."""
        return _Option(self._user)

    def tags(self) -> _Tags:
        """Return the tags that are known here."""
        return _Tags(user=self.userName().get())

    def toJson(self) -> str:
        """Return the context as JSON, with the keys of Databricks."""
        path = self.notebookPath().get()
        return json.dumps({"tags": dict(self.tags()), "extraContext": {"notebook_path": path}})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotAvailable(
            f"Outside Databricks a notebook's context has no {name}.", "Use notebookPath(), userName() or tags()."
        )


def _shell() -> InteractiveShell:
    shell = front_end.ipython()
    if shell is None:
        raise NotAvailable("dbutils.notebook.run needs a notebook to run from.", "Call it in a notebook's cell.")
    return shell


@contextmanager
def _deadline(notebook: str, seconds: float, shell: InteractiveShell) -> Iterator[None]:
    """Interrupt this thread at the deadline, as Ctrl-C interrupts the main thread, and raise NotebookTimeout."""
    if seconds <= 0:
        yield
        return
    missed = threading.Event()
    thread, spark = threading.current_thread(), shell.user_ns.get("spark")

    def interrupt() -> None:
        missed.set()
        if thread is not threading.main_thread():
            _interrupt_thread(thread, spark)
        elif sys.platform == "win32":
            os.kill(os.getpid(), signal.CTRL_C_EVENT)
        else:  # a real signal, which ends a wait for Spark's answer as well
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (KeyboardInterrupt, Exception) as error:
        # An interrupted call of the JVM may come back as an error of the connection.
        if missed.is_set() and not isinstance(error, NotebookExit):
            raise NotebookTimeout(notebook, seconds) from None
        raise
    finally:
        timer.cancel()


def _interrupt_thread(thread: threading.Thread, spark: Any) -> None:
    """Raise KeyboardInterrupt in a thread, which no signal reaches, and cancel its jobs in Spark."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt))
    with suppress(Exception):  # a session that is gone has nothing to wait for
        waiting.stop_streams(waiting.active_streams(spark))
        spark.interruptAll()
