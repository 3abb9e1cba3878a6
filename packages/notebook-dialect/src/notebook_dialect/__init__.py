"""Databricks notebooks in a stock Jupyter kernel: source format, ``%run``, ``%sql``, ``dbutils``, ``dbfs:/``.

:class:`~notebook_dialect.dialect.Dialect` holds the parts together; no part knows it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from notebook_dialect.dialect import Dialect as Dialect
    from notebook_dialect.files.filesystem import FileSystem as FileSystem

_HOMES = {"Dialect": "dialect", "FileSystem": "files.filesystem"}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: reading notebook files must not wait for PySpark."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext notebook_dialect``: the dialect over the folder ``dbfs`` beside the notebook, and its session."""
    from pathlib import Path

    # As above.
    from notebook_dialect.dialect import Dialect
    from notebook_dialect.files.filesystem import FileSystem

    dialect = Dialect(FileSystem(Path.cwd() / "dbfs"))
    dialect.ansi_hint = "ANSI mode makes this an error; older clusters give NULL: SET spark.sql.ansi.enabled = false."
    spark = shell.user_ns.get("spark") or dialect.get_session()
    dialect.fill(shell.user_ns, spark)
    dialect.install(shell.user_ns, shell)
