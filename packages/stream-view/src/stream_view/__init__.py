"""See Spark's streams and tables in any Jupyter notebook: ``display(df)``, live where it is a stream, and timelines.

Nothing of a classroom or of Databricks is needed: a Spark session and a notebook are enough.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "ServiceTarget": "health.service_target",
    "batches": "past_batches.batch_list",
    "compare": "past_batches.batch_list",
    "display": "displaying",
    "displayHTML": "displaying",
    "late_rows": "late_data.late_rows",
    "observed_metrics": "progress_reports",
    "replay": "past_batches.replayed_batch",
    "rows_per_batch": "progress_reports",
    "rows_read": "progress_reports",
    "stream_health": "health.stream_health",
    "timeline": "timelines.timeline",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that a module below does not wait for PySpark and widgets."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
