"""Brings the dialect into this kernel or program, and takes it out again."""

from __future__ import annotations

import sys
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_dialect.dialect import Dialect
from notebook_dialect.files.filesystem import FileSystem
from streaming_base import front_end, hooks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from notebook_dialect.kernel.shell_state import ShellState

_ANSI_HINT = "ANSI mode makes this an error; older clusters give NULL: SET spark.sql.ansi.enabled = false."
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
    before = None
    if shell is not None:
        from notebook_dialect.kernel.shell_state import ShellState

        before = ShellState.take(shell)
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
            from notebook_dialect.kernel import last_lines

            last_lines.uninstall(before.shell)
            before.restore()
