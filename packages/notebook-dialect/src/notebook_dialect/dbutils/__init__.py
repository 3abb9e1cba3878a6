"""``dbutils`` as Databricks notebooks know it, outside Databricks.

:class:`DBUtils` is one notebook's: its widgets are that notebook's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from notebook_dialect.dbutils.fs import FileInfo, FileSystemUtils
from notebook_dialect.dbutils.help import describe
from notebook_dialect.dbutils.library import LibraryUtils
from notebook_dialect.dbutils.notebook_runs import NotebookUtils
from notebook_dialect.dbutils.parameters import papermill_parameters
from notebook_dialect.dbutils.secrets import SecretUtils
from notebook_dialect.dbutils.widgets import Widgets
from stream_view.errors import NotHere

if TYPE_CHECKING:
    from notebook_dialect.dialect import Dialect


class DBUtils:
    """Utilities for files, widgets, notebooks and secrets.

    Parameters
    ----------
    dialect : Dialect
        What the notebook takes for granted.
    isolated : bool
        Whether the notebook is run by another: papermill's parameters and the eyes are on that one.
    """

    def __init__(self, dialect: Dialect, isolated: bool = False) -> None:
        papermill = dict if isolated else papermill_parameters
        self.fs = FileSystemUtils(dialect.files)
        self.widgets = Widgets(dialect.running.arguments, papermill, visible=not isolated)
        self.notebook = NotebookUtils(dialect)
        self.secrets = SecretUtils()
        self.library = LibraryUtils()

    @property
    def entry_point(self) -> object:
        """Where older notebooks begin: ``entry_point.getDbutils().notebook().getContext()``."""
        return self.notebook.entry_point

    def help(self) -> None:
        """Print what there is."""
        describe(self)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotHere(f"Outside Databricks there is no dbutils.{name}.", "dbutils.help() lists what there is.")


__all__ = ["DBUtils", "FileInfo"]
