"""Declarative pipelines on open-source Spark: ``import dlt`` and ``pyspark.pipelines`` in a notebook's own session."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "event_log": "pipeline",
    "forget_cells": "definitions.registry",
    "install": "installation",
    "install_when_imported": "installation",
    "run_continuously": "pipeline",
    "run_pipeline": "pipeline",
    "PipelineError": "errors",
    "Update": "updates.results",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that a module below does not wait for PySpark."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
