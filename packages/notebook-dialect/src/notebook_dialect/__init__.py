"""Databricks notebooks in a stock Jupyter kernel: source format, ``%run``, ``%sql``, ``dbutils``, ``dbfs:/``.

:class:`~notebook_dialect.dialect.Dialect` holds the parts together; no part knows it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from notebook_dialect.conversion import convert as convert
    from notebook_dialect.dialect import Dialect as Dialect
    from notebook_dialect.dialect import install as install
    from notebook_dialect.dialect import uninstall as uninstall
    from notebook_dialect.filesystem import FileSystem as FileSystem
    from notebook_dialect.include import BadRunLine as BadRunLine
    from notebook_dialect.include import IncludeCycle as IncludeCycle
    from notebook_dialect.include import NotebookNotFound as NotebookNotFound

_HOMES = {
    "BadRunLine": "include",
    "Dialect": "dialect",
    "FileSystem": "filesystem",
    "IncludeCycle": "include",
    "NotebookNotFound": "include",
    "convert": "conversion",
    "install": "dialect",
    "uninstall": "dialect",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: reading notebook files must not wait for PySpark."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext notebook_dialect``: the dialect over the folder ``dbfs`` beside the notebook, and its session."""
    from notebook_dialect.dialect import install

    install(namespace=shell.user_ns)


def unload_ipython_extension(_shell: Any) -> None:
    """``%unload_ext notebook_dialect``: the shell and Spark's classes as they were before."""
    from notebook_dialect.dialect import uninstall

    uninstall()
