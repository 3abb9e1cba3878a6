"""``dbutils.library``: what is left of it on Databricks, one function that notebooks call after ``%pip install``."""

from __future__ import annotations

from notebook_dialect.dbutils.help import describe


class LibraryUtils:
    """Utilities for libraries of the notebook."""

    def restartPython(self) -> None:
        """Do nothing here but say so: a kernel cannot restart itself and go on with the next cell."""
        print(
            "The kernel goes on. What %pip has installed can be imported, unless an older version was imported "
            "before: then use Kernel > Restart Kernel, and run the notebook again from here."
        )

    def help(self, method: str | None = None) -> None:
        """Print what there is."""
        describe(self, method)
