"""The modules from which notebooks and their helper files import what Databricks defines.

``from pyspark.dbutils import DBUtils`` and ``from databricks.sdk.runtime import *`` give the notebook's own objects.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

NAMES = ("dbutils", "display", "displayHTML", "spark", "sql", "table", "udf", "getArgument", "sc")


def install(namespace: dict[str, Any]) -> None:
    """Make the modules importable; a module that is really installed is left alone."""
    _make("pyspark.dbutils", DBUtils=lambda _spark=None: namespace["dbutils"])
    if "databricks" not in sys.modules and find_spec("databricks") is None:
        for package in ("databricks", "databricks.sdk"):
            _make(package, __path__=[])
        there = {name: namespace[name] for name in NAMES if name in namespace}
        _make("databricks.sdk.runtime", __all__=list(there), **there)


def _make(name: str, **contents: Any) -> None:
    module = ModuleType(name, "Made by the course, with the notebook's own objects.")
    module.__dict__.update(contents)
    sys.modules[name] = module
