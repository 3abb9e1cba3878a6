"""What a Databricks notebook takes for granted in one kernel: its files, its session, its user, its utilities.

This is the only module that knows all parts of the package.  Each part is handed what it needs, never the whole.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

from notebook_dialect.catalogs import execution as catalogs
from notebook_dialect.dbutils import DBUtils
from notebook_dialect.dbutils.imports import NotebookModules
from notebook_dialect.display import display, displayHTML
from notebook_dialect.files.filesystem import FileSystem
from notebook_dialect.files.python_files import PythonFiles
from notebook_dialect.notebooks.running_notebooks import RunningNotebooks
from notebook_dialect.session import spark_methods
from streaming_base import waiting
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import SparkSession


_NAMES = ("spark", "sql", "table", "dbutils", "getArgument", "display", "displayHTML", "udf")


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

        spark_methods.install()  # before the session's methods are taken
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
        spark_methods.install()
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
        from notebook_dialect.kernel import (
            completion,
            interrupts,
            last_lines,
            magics,
            python_advice,
            short_errors,
            stream_loops,
        )

        magics.install(
            shell, magics.MagicContext(self.files, self.running, lambda: self.dbutils, lambda: self.get_session())
        )
        completion.install(shell)
        last_lines.install(shell)
        stream_loops.install(shell)
        interrupted = interrupts.Interrupts(lambda: shell.user_ns.get("spark"), lambda: self.stopping_all)
        interrupted.install(shell)
        short_errors.install(shell, self.running.compiled, self.ansi_hint, interrupted.explain, self.set_up_names)
        if (show_console_output := function_of_sibling("show_console_output")) is not None:
            show_console_output()
        if self._python_files is not None:
            self._python_files.install()
            python_advice.install(shell, self._python_files.explain)

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
