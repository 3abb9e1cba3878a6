"""Auto Loader for open-source Spark: the streaming source ``cloudFiles``.

Spark finds it by itself when this package can be imported: its name begins with ``pyspark_``, and it defines
``DefaultSource``.  :func:`install` adds what Spark's interface for data sources has no place for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from pyspark_cloudfiles.errors import CloudFilesError as CloudFilesError
    from pyspark_cloudfiles.errors import CloudFilesWarning as CloudFilesWarning
    from pyspark_cloudfiles.source.data_source import CloudFilesDataSource as DefaultSource
    from pyspark_cloudfiles.wrappers import install as install
    from pyspark_cloudfiles.wrappers import uninstall as uninstall

__version__ = "0.1.0"
__all__ = ["CloudFilesError", "CloudFilesWarning", "DefaultSource", "__version__", "install", "uninstall"]


def __getattr__(name: str) -> Any:
    # Each process needs one of the two, and importing the other would cost it time.
    if name in ("install", "uninstall"):
        from pyspark_cloudfiles import wrappers

        return getattr(wrappers, name)
    if name in ("CloudFilesError", "CloudFilesWarning"):
        from pyspark_cloudfiles import errors

        return getattr(errors, name)
    if name == "DefaultSource":
        from pyspark_cloudfiles.source.data_source import CloudFilesDataSource

        return CloudFilesDataSource
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
