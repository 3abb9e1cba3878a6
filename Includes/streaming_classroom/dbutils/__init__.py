"""``dbutils`` as Databricks notebooks know it, outside Databricks.

:class:`DBUtils` is one notebook's: its widgets are that notebook's own.
"""

from __future__ import annotations

from typing import NoReturn

from streaming_classroom.dbutils.fs import FileInfo, FileSystemUtils
from streaming_classroom.dbutils.help import describe
from streaming_classroom.dbutils.library import LibraryUtils
from streaming_classroom.dbutils.notebook import NotebookUtils
from streaming_classroom.dbutils.parameters import papermill_parameters
from streaming_classroom.dbutils.secrets import SecretUtils
from streaming_classroom.dbutils.widgets import Widgets
from streaming_classroom.errors import NotHere


class DBUtils:
    """Utilities for files, widgets, notebooks and secrets.

    Parameters
    ----------
    isolated : bool
        Whether the notebook is run by another: papermill's parameters and the eyes are on that one.
    """

    def __init__(self, isolated: bool = False) -> None:
        from streaming_classroom.dialect import context

        self.fs = FileSystemUtils()
        self.widgets = Widgets(context.arguments, dict if isolated else papermill_parameters, visible=not isolated)
        self.notebook = NotebookUtils()
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
