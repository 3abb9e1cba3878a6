"""Declarative pipelines on open-source Spark: ``import dlt`` and ``pyspark.pipelines`` in a notebook's own session."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from declarative_pipelines.definitions.api_modules import install as install
    from declarative_pipelines.definitions.api_modules import install_when_imported as install_when_imported
    from declarative_pipelines.definitions.api_modules import uninstall as uninstall
    from declarative_pipelines.definitions.registry import forget_cells as forget_cells
    from declarative_pipelines.errors import PipelineError as PipelineError
    from declarative_pipelines.pipeline import event_log as event_log
    from declarative_pipelines.pipeline import run_continuously as run_continuously
    from declarative_pipelines.pipeline import run_pipeline as run_pipeline
    from declarative_pipelines.updates.results import Update as Update

_HOMES = {
    "event_log": "pipeline",
    "forget_cells": "definitions.registry",
    "install": "definitions.api_modules",
    "install_when_imported": "definitions.api_modules",
    "run_continuously": "pipeline",
    "run_pipeline": "pipeline",
    "uninstall": "definitions.api_modules",
    "PipelineError": "errors",
    "Update": "updates.results",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that a module below does not wait for PySpark."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
