"""Makes a session ready for definitions in cells, at the first import of ``dlt`` or ``pyspark.pipelines``."""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_PIPELINES = "pyspark.pipelines"


def install() -> None:
    """Make ``import dlt`` and ``from pyspark import pipelines as dp`` give this package's names."""
    from declarative_pipelines.definitions import api_modules
    from declarative_pipelines.engine import dataset_reads

    api_modules.install()
    dataset_reads.install()


def install_when_imported() -> None:
    """Install at the first import of either, which saves a notebook without a pipeline a tenth of a second.

    An installed package ``dlt`` has precedence; :func:`install` replaces it.
    """
    if _PIPELINES in sys.modules:
        install()
    elif not any(isinstance(finder, _InstallOnImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _InstallOnImport())
        sys.meta_path.append(_DltFinder())


class _InstallOnImport(MetaPathFinder, Loader):
    """Finds ``pyspark.pipelines``, and installs after its import."""

    def __init__(self) -> None:
        self._real: Loader | None = None

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the real module's spec, loaded by this."""
        if fullname != _PIPELINES or self._real is not None:
            return None
        sys.meta_path.remove(self)  # so that the others are asked, and this only once
        spec = find_spec(fullname)
        if spec is not None:
            self._real, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module by the original loader."""
        return self._loader().create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Load the real module, then replace its names."""
        real = self._loader()
        if module.__spec__ is not None:
            module.__spec__.loader = real
        module.__loader__ = real
        real.exec_module(module)
        install()

    def _loader(self) -> Loader:
        assert self._real is not None, "a module is made by what has found it"
        return self._real


class _DltFinder(MetaPathFinder, Loader):
    """Finds ``dlt``, after everything that is installed."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return a spec for ``dlt``."""
        return ModuleSpec(fullname, self, origin="declarative_pipelines") if fullname == "dlt" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the module by installing."""
        install()
        return sys.modules.pop("dlt")

    def exec_module(self, module: ModuleType) -> None:
        """Its names are there."""
