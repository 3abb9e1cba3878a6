"""``dbutils`` as Databricks notebooks know it, outside Databricks.

:class:`DBUtils` is one notebook's: its widgets are that notebook's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from notebook_dialect.dbutils.fs import FileInfo, FileSystemUtils
from notebook_dialect.dbutils.notebook_runs import NotebookUtils, papermill_parameters
from notebook_dialect.dbutils.utilities import JobsUtils, LibraryUtils, SecretUtils, describe
from notebook_dialect.dbutils.widgets import Widgets
from streaming_base.errors import NotAvailable

if TYPE_CHECKING:
    from notebook_dialect.dbutils.notebook_runs import IsolatedNotebook
    from notebook_dialect.filesystem import FileSystem
    from notebook_dialect.include import RunningNotebooks


class DBUtils:
    """Utilities for files, widgets, notebooks and secrets.

    Parameters
    ----------
    files : FileSystem
        What ``dbfs:/`` stands for.
    running : RunningNotebooks
        The notebooks that are running.
    user : callable
        Returns the user's name.
    isolated_notebook : callable
        Gives a shell a namespace, a session and utilities of their own for a ``with`` block.
    isolated : bool
        Whether the notebook is run by another: papermill's parameters and the eyes are on that one.
    """

    def __init__(
        self,
        files: FileSystem,
        running: RunningNotebooks,
        user: Callable[[], str],
        isolated_notebook: IsolatedNotebook,
        isolated: bool = False,
    ) -> None:
        papermill = dict if isolated else papermill_parameters
        self.fs = FileSystemUtils(files)
        self.widgets = Widgets(running.arguments, papermill, visible=not isolated)
        self.notebook = NotebookUtils(running, user, isolated_notebook)
        self.secrets = SecretUtils()
        self.library = LibraryUtils()
        self.jobs = JobsUtils()

    @property
    def entry_point(self) -> object:
        """The entry point that older notebooks use: ``entry_point.getDbutils().notebook().getContext()``."""
        return self.notebook.entry_point

    def help(self) -> None:
        """Print the utilities."""
        describe(self)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotAvailable(f"Outside Databricks there is no dbutils.{name}.", "dbutils.help() lists what there is.")


__all__ = ["DBUtils", "FileInfo"]


@dataclass(frozen=True)
class FileUtilities:
    """``dbutils`` of a file that is run outside a notebook, such as a file of a pipeline."""

    widgets: Widgets
    secrets: SecretUtils

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        problem = f"Outside a notebook, a pipeline's file has no dbutils.{name}."
        raise NotAvailable(problem, "It has dbutils.widgets and dbutils.secrets.")


def file_utilities(configuration: Mapping[str, str]) -> FileUtilities:
    """Return the utilities of a pipeline's files outside a notebook.

    Parameters
    ----------
    configuration : mapping
        The pipeline's: the widget ``name`` has the value of the key ``name``.
    """
    return FileUtilities(Widgets(lambda: configuration, dict, visible=False), SecretUtils())
