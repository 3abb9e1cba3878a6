"""Unit tests of pipelines: mocked inputs, a part of the datasets, and rows and counts as results."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from declarative_pipelines.testing.harness import PipelineTest as PipelineTest
    from declarative_pipelines.testing.harness import PipelineTestResult as PipelineTestResult

_HOMES = {"PipelineTest": "harness", "PipelineTestResult": "harness"}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: pytest loads the plugin whether or not a test runs a pipeline."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
