"""The module ``dlt``, and this package's names in place of those of ``pyspark.pipelines``.

``dlt`` is a module made here.  The names of ``pyspark.pipelines``, which speak to a Connect server, are replaced while
this is installed; :func:`uninstall` restores them.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_PIPELINES = "pyspark.pipelines"
_replaced: dict[str, Any] = {}


class _DltModule(ModuleType):
    """The module ``dlt``, which explains a missing name."""

    def __getattr__(self, name: str) -> Any:
        from declarative_pipelines.definitions import registry
        from declarative_pipelines.errors import UnsupportedFeature

        if name in registry.MODULE:
            raise UnsupportedFeature(registry.location(), f"{self.__name__}.{name}: {registry.MODULE[name]}")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def install() -> None:
    """Make ``import dlt`` and ``from pyspark import pipelines as dp`` give this package's names.

    Calling it again changes nothing.
    """
    from pyspark import pipelines

    from declarative_pipelines.definitions import decorators
    from declarative_pipelines.engine.session import install_interception

    install_interception()
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
    """Restore the names of ``pyspark.pipelines`` and the methods of Spark's classes, and remove ``dlt``."""
    from pyspark import pipelines

    from streaming_base import hooks

    hooks.remove("declarative_pipelines")
    for name, original in _replaced.items():
        names = sys.modules if name == "dlt" else vars(pipelines)
        names.pop(name, None)
        if original is not None:
            names[name] = original
    _replaced.clear()


def install_when_imported() -> None:
    """Install at the first import of either module, which saves a notebook without a pipeline a tenth of a second.

    An installed package ``dlt`` has precedence; :func:`install` replaces it.
    """
    if _PIPELINES in sys.modules:
        install()
    elif not any(isinstance(finder, _InstallOnImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _InstallOnImport(_PIPELINES))
        sys.meta_path.append(_InstallOnImport("dlt"))  # after everything that is installed


class _InstallOnImport(MetaPathFinder, Loader):
    """Finds a module, and gives the one that is there after the installation."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._spec: ModuleSpec | None = None

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return a spec that this loads."""
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)  # so that the installation finds the real module
        return ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the module by installing."""
        install()
        module = sys.modules.pop(spec.name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec; its names are there."""
        module.__spec__ = self._spec
