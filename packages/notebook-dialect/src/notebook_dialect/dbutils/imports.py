"""The modules ``pyspark.dbutils`` and ``databricks.sdk.runtime``, for notebooks that import them.

``from pyspark.dbutils import DBUtils`` and ``from databricks.sdk.runtime import *`` give the notebook's own objects.
They are found by Python's import system, after everything that is really installed.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAMES = ("dbutils", "display", "displayHTML", "spark", "sql", "table", "udf", "getArgument", "sc")
_PACKAGES = ("databricks", "databricks.sdk")
_MODULES = ("databricks.sdk.runtime", "pyspark.dbutils")


class NotebookModules(MetaPathFinder, Loader):
    """Finds the modules that are made of a notebook's objects; asked last, so that installed ones win."""

    def __init__(self) -> None:
        self._namespace: dict[str, Any] = {}

    def install(self, namespace: dict[str, Any]) -> None:
        """Make the modules importable, with the objects of this notebook; calling it again changes nothing."""
        self._namespace = namespace
        others = [finder for finder in sys.meta_path if not isinstance(finder, NotebookModules)]
        sys.meta_path[:] = [*others, self]
        for module in [module for name in _MODULES if (module := sys.modules.get(name))]:
            if isinstance(module.__spec__ and module.__spec__.loader, NotebookModules):
                self.exec_module(module)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return where a module comes from: from here, if it is one of these."""
        if fullname not in (*_PACKAGES, *_MODULES):
            return None
        return ModuleSpec(fullname, self, origin="the notebook's own objects", is_package=fullname in _PACKAGES)

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        if module.__name__ == "pyspark.dbutils":
            vars(module)["DBUtils"] = lambda _spark=None: self._namespace["dbutils"]
        elif module.__name__ == "databricks.sdk.runtime":
            there = {name: self._namespace[name] for name in NAMES if name in self._namespace}
            module.__dict__.update(there, __all__=list(there))
