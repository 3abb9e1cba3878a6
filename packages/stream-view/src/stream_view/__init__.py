"""See Spark's streams and tables in any Jupyter notebook: ``display(df)``, live where it is a stream, and timelines.

Nothing of a classroom or of Databricks is needed: a Spark session and a notebook are enough.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from stream_view.displaying import display as display
    from stream_view.displaying import displayHTML as displayHTML
    from stream_view.health.service_target import ServiceTarget as ServiceTarget
    from stream_view.health.stream_health import stream_health as stream_health
    from stream_view.late_data.late_rows import late_rows as late_rows
    from stream_view.past_batches.batch_list import batches as batches
    from stream_view.past_batches.batch_list import compare as compare
    from stream_view.past_batches.replayed_batch import replay as replay
    from stream_view.progress_reports import observed_metrics as observed_metrics
    from stream_view.progress_reports import rows_per_batch as rows_per_batch
    from stream_view.progress_reports import rows_read as rows_read
    from stream_view.timelines.timeline import timeline as timeline

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
