"""The module ``dlt``, and this package's names in place of those of ``pyspark.pipelines``.

``dlt`` is a module made here.  Those of ``pyspark.pipelines``, which speak to a Connect server, are replaced while this
is installed; :func:`uninstall` gives them back.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from declarative_pipelines.definitions import decorators, registry
from declarative_pipelines.definitions.registry import location
from declarative_pipelines.errors import UnsupportedFeature

_replaced: dict[str, Any] = {}


class _DltModule(ModuleType):
    """The module ``dlt``, which explains a missing name."""

    def __getattr__(self, name: str) -> Any:
        if name in registry.MODULE:
            raise UnsupportedFeature(location(), f"{self.__name__}.{name}: {registry.MODULE[name]}")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def install() -> None:
    """Make both imports give this package's names; calling it again changes nothing."""
    from pyspark import pipelines

    if _replaced:
        return
    module = _DltModule("dlt", "The names of Databricks' pipelines, by declarative_pipelines.")
    module.__spec__ = ModuleSpec("dlt", None, origin="declarative_pipelines")  # find_spec() fails where it is None
    _replaced["dlt"] = sys.modules.get("dlt")
    for name in decorators.NAMES:
        setattr(module, name, getattr(decorators, name))
        _replaced[name] = getattr(pipelines, name, None)
        setattr(pipelines, name, getattr(decorators, name))
    _replaced["__getattr__"] = vars(pipelines).get("__getattr__")
    vars(pipelines)["__getattr__"] = module.__getattr__
    sys.modules["dlt"] = module


def uninstall() -> None:
    """Restore the names of ``pyspark.pipelines``, and remove ``dlt``."""
    from pyspark import pipelines

    for name, original in _replaced.items():
        if name == "dlt":
            sys.modules.pop("dlt", None)
            if original is not None:
                sys.modules["dlt"] = original
        elif original is None:
            vars(pipelines).pop(name, None)
        else:
            setattr(pipelines, name, original)
    _replaced.clear()
