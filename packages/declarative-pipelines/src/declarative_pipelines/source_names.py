"""Names that a notebook finds defined on the platform, as a pipeline's files find them: ``display``, ``dbutils``.

A pipeline's files are read in order to know what they define, so what they would show is not shown.  ``dbutils`` is the
notebook's own where there is one; elsewhere it has widgets, which the update's configuration gives values, and secrets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from stream_view import front_end
from stream_view.errors import NotAvailable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from notebook_dialect.dbutils.secrets import SecretUtils
    from notebook_dialect.dbutils.widgets import Widgets


@dataclass(frozen=True)
class FileUtilities:
    """``dbutils`` outside a notebook, so far as a pipeline's files use it."""

    widgets: Widgets
    secrets: SecretUtils

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        problem = f"Outside a notebook, a pipeline's file has no dbutils.{name}."
        raise NotAvailable(problem, "It has dbutils.widgets and dbutils.secrets.")


def names_for_files(session: SparkSession, configuration: Mapping[str, str]) -> dict[str, Any]:
    """Return what Python files find defined.

    Parameters
    ----------
    configuration
        The update's: a widget has the value of the key of its name, as it has a job's parameter on the platform.
    """
    shell = front_end.ipython()
    there = shell.user_ns if shell is not None else {}
    return {
        "spark": session,
        "sc": session.sparkContext,
        "dbutils": there.get("dbutils") or _utilities(configuration),
        "display": _show_nothing,
        "displayHTML": _show_nothing,
    }


def _utilities(configuration: Mapping[str, str]) -> FileUtilities:
    # A notebook has them already, and does not need these.
    from notebook_dialect.dbutils.secrets import SecretUtils
    from notebook_dialect.dbutils.widgets import Widgets

    return FileUtilities(Widgets(lambda: configuration, dict, visible=False), SecretUtils())


def _show_nothing(*shown: Any, **options: Any) -> None:
    """Ignore what a file would show."""
