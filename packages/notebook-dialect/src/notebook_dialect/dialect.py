"""What a Databricks notebook takes for granted in one kernel: its files, its session, its user, its utilities.

This is the only module that knows all parts of the package.  Each part is handed what it needs, never the whole.
"""

from __future__ import annotations

import getpass
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from notebook_dialect.catalogs import statements as catalogs
from notebook_dialect.dbutils import DBUtils
from notebook_dialect.dbutils.utilities import NotebookModules
from notebook_dialect.filesystem import FileSystem
from notebook_dialect.include import RunningNotebooks
from notebook_dialect.python_files import PythonFiles
from notebook_dialect.sql import spark_sql
from notebook_dialect.sql.spark_sql import display, displayHTML
from streaming_base import front_end, hooks, waiting
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import SparkSession

_NAMES = ("spark", "sql", "table", "dbutils", "getArgument", "display", "displayHTML", "udf")
_ANSI_HINT = "ANSI mode makes this an error; older clusters give NULL: SET spark.sql.ansi.enabled = false."


class Dialect:
    """The parts of a Databricks notebook, in one kernel.

    Parameters
    ----------
    files : FileSystem
        The folder of ``dbfs:/``.
    get_session : callable, optional
        Returns the session of notebooks that have none of their own; by default one is started with ``dbfs:/`` in it.
    user : callable, optional
        Returns the user's name.
    python_paths : bool
        Whether ``open`` and the functions of ``os`` find ``/dbfs/...``, ``/Volumes/...`` and ``/Workspace/...`` in
        ``files``, for the whole process.

    Attributes
    ----------
    dbutils : DBUtils
        The running notebook's, with its widgets; a notebook that ``dbutils.notebook.run`` runs has its own.
    running : RunningNotebooks
        The notebooks that are running.
    ansi_hint : str
        The line below an error of Spark's ANSI mode: how to do without that mode.
    stopping_all : str
        The code that stops all streams, which the message of an interrupted cell names.
    set_up_names : tuple of str
        The names that the notebook's set-up cell defines; the advice for a missing one is to run that cell.
    """

    def __init__(
        self,
        files: FileSystem,
        get_session: Callable[[], SparkSession] | None = None,
        user: Callable[[], str] = getpass.getuser,
        python_paths: bool = False,
    ) -> None:
        self.files = files
        self.get_session = get_session or self._own_session
        self.user = user
        self.running = RunningNotebooks()
        self.ansi_hint = ""
        self.stopping_all = "[query.stop() for query in spark.streams.active]"
        self.set_up_names: tuple[str, ...] = ("spark", "sc", "sqlContext", "dbutils", "display", "displayHTML")
        self.dbutils = self._utilities()
        self._modules = NotebookModules()
        self._python_files = PythonFiles(files) if python_paths else None

    def fill(self, namespace: dict[str, Any], spark: SparkSession) -> None:
        """Put into ``namespace`` the names that Databricks defines in every notebook."""
        from pyspark.errors import PySparkException
        from pyspark.sql.functions import udf

        spark_sql.install()  # before the session's methods are taken
        catalogs.enable(spark, self.files)
        namespace.update(
            spark=spark,
            sql=spark.sql,
            table=spark.table,
            dbutils=self.dbutils,
            getArgument=self.dbutils.widgets.getArgument,
            display=display,
            displayHTML=displayHTML,
            udf=udf,
        )
        with suppress(PySparkException):  # a Connect session has neither
            namespace["sc"] = spark.sparkContext
            namespace["sqlContext"] = _sql_context(spark)

    def install(self, namespace: dict[str, Any], shell: InteractiveShell | None) -> None:
        """Install import hooks, Spark methods and shell magics; calling it again changes nothing.

        Parameters
        ----------
        namespace : dict
            The notebook's, which ``from databricks.sdk.runtime import *`` gives.
        shell : InteractiveShell, optional
            The notebook's; without a shell there are no magics.
        """
        self._modules.install(namespace)
        spark_sql.install()
        if shell is not None:
            self._install_in(shell)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that :meth:`fill` defines."""
        return (*_NAMES, "sc", "sqlContext")

    def uninstall(self) -> None:
        """Undo what :meth:`install` does to the process; a shell's magics and callbacks are the shell's."""
        self._modules.uninstall()
        catalogs.disable()
        if self._python_files is not None:
            self._python_files.uninstall()

    @contextmanager
    def isolated_notebook(self, shell: InteractiveShell) -> Iterator[None]:
        """Run a ``with`` block in an empty notebook of the shell, with its own session and utilities.

        The streams of that session are stopped at the end.
        """
        module = ModuleType("__main__")
        before = shell.user_module, shell.user_ns, self.dbutils
        spark = self.get_session().newSession()
        module.__dict__["get_ipython"] = shell.get_ipython
        try:
            self.dbutils = self._utilities(isolated=True)
            self.fill(module.__dict__, spark)
            shell.user_module, shell.user_ns = module, module.__dict__
            yield
        finally:
            shell.user_module, shell.user_ns, self.dbutils = before
            waiting.stop_streams(waiting.active_streams(spark))

    def _utilities(self, isolated: bool = False) -> DBUtils:
        return DBUtils(self.files, self.running, self.user, self.isolated_notebook, isolated)

    def _install_in(self, shell: InteractiveShell) -> None:
        """Install in a shell, by modules that import IPython, which a session in plain Python does without."""
        from notebook_dialect.kernel import hints, interrupts, magics, short_errors

        magics.install(
            shell, magics.MagicContext(self.files, self.running, lambda: self.dbutils, lambda: self.get_session())
        )
        interrupted = interrupts.Interrupts(lambda: shell.user_ns.get("spark"), lambda: self.stopping_all)
        interrupted.install(shell)
        short_errors.install(shell, self.running.compiled, self.ansi_hint, interrupted.explain, self.set_up_names)
        if (show_console_output := function_of_sibling("show_console_output")) is not None:
            show_console_output()
        if self._python_files is not None:
            self._python_files.install()
        hints.install(shell, self._python_files.explain if self._python_files is not None else None)

    def _own_session(self) -> SparkSession:
        from pyspark.sql import SparkSession

        self.files.prepare()
        conf: dict[str, Any] = {**self.files.spark_conf(), **self.files.default_conf()}
        return SparkSession.builder.config(map=conf).getOrCreate()


def _sql_context(spark: SparkSession) -> Any:
    """Return ``sqlContext`` of Spark 1; its methods are the session's."""
    import warnings

    from pyspark.sql import SQLContext

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # that it is deprecated is known
        return SQLContext.getOrCreate(spark.sparkContext)


_installed: list[tuple[Dialect, dict[str, Any], ShellState | None]] = []


def install(
    spark: SparkSession | None = None,
    root: str | PathLike[str] | FileSystem = "dbfs",
    *,
    python_paths: bool = False,
    namespace: dict[str, Any] | None = None,
) -> Dialect:
    """Bring the dialect into this kernel or program: names, magics, SQL, ``dbutils`` and ``dbfs:/``.

    Calling it again changes nothing and returns the dialect that is there.

    Parameters
    ----------
    spark : SparkSession, optional
        Your session. It finds ``dbfs:/`` where it was started with ``FileSystem(root).spark_conf()``. By default the
        ``spark`` of the notebook, else a new session.
    root : str, PathLike or FileSystem
        The folder of ``dbfs:/``; by default ``dbfs`` in the current working directory.
    python_paths : bool
        Whether ``open`` and the functions of ``os`` find ``/dbfs/...``, ``/Volumes/...`` and ``/Workspace/...`` there.
    namespace : dict, optional
        Where the names go; by default the notebook's, and in a program those of ``__main__``.

    Returns
    -------
    Dialect
        With the ``dbutils`` of the notebook, and its files.
    """
    if _installed:
        return _installed[0][0]
    shell = front_end.ipython()
    names = namespace if namespace is not None else shell.user_ns if shell else vars(sys.modules["__main__"])
    files = root if isinstance(root, FileSystem) else FileSystem(Path(root))
    session = spark or names.get("spark")
    dialect = Dialect(files, (lambda: session) if session is not None else None, python_paths=python_paths)
    dialect.ansi_hint = _ANSI_HINT
    before = ShellState.take(shell) if shell is not None else None
    files.prepare()
    dialect.fill(names, session or dialect.get_session())
    dialect.install(names, shell)
    _installed.append((dialect, names, before))
    return dialect


def uninstall() -> None:
    """Take out what :func:`install` has brought; the session, its tables and the files stay."""
    while _installed:
        dialect, names, before = _installed.pop()
        hooks.remove("notebook_dialect")
        dialect.uninstall()
        for name in set(dialect.names) - {"spark", "sc"}:
            names.pop(name, None)
        if before is not None:
            from notebook_dialect.kernel import hints

            hints.uninstall(before.shell)
            before.restore()


@dataclass(frozen=True)
class ShellState:
    """A shell's magics, callbacks, transforms, matchers and handling of errors, at one moment.

    ``shell``: the shell; ``magics``: the functions of its magics, by kind and name; ``lists``: each changeable list
    of the shell, with its entries; ``errors``: the kinds of errors with a handler of their own, and the handler.
    """

    shell: InteractiveShell
    magics: dict[str, dict[str, Any]]
    lists: list[tuple[list[Any], list[Any]]]
    errors: tuple[Any, Any]

    @classmethod
    def take(cls, shell: InteractiveShell) -> ShellState:
        """Return the present state of a shell."""
        changing = [
            *shell.events.callbacks.values(),
            shell.input_transformer_manager.cleanup_transforms,
            shell.Completer.custom_matchers,
            logging.getLogger().filters,
        ]
        magics = {kind: dict(functions) for kind, functions in shell.magics_manager.magics.items()}
        handler = (shell.custom_exceptions, getattr(shell, "CustomTB", None))
        return cls(shell, magics, [(entries, list(entries)) for entries in changing], handler)

    def restore(self) -> None:
        """Remove what was added to the shell since, and put back what was replaced; later additions of others stay."""
        for kind, functions in self.shell.magics_manager.magics.items():
            for name, function in list(functions.items()):
                if not _is_of_package(function):
                    continue
                before = self.magics[kind].get(name)
                functions.update({name: before}) if before is not None else functions.pop(name)
        for entries, before in self.lists:
            entries[:] = [entry for entry in entries if entry in before or not _is_of_package(entry)]
        self.shell.custom_exceptions = self.errors[0]
        if self.errors[1] is not None:
            self.shell.CustomTB = self.errors[1]


def _is_of_package(entry: Any) -> bool:
    """Whether a function or an object is defined in this package."""
    entry = getattr(entry, "__wrapped__", entry)
    module = getattr(entry, "__module__", "") or type(entry).__module__
    return str(module).partition(".")[0] == __name__.partition(".")[0]
