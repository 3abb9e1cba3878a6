"""See Spark's streams and tables in any Jupyter notebook: ``display(df)``, live where it is a stream, and timelines.

Nothing of a classroom or of Databricks is needed: a Spark session and a notebook are enough.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from stream_view.checkpoint_batches import batches as batches
    from stream_view.displaying import display as display
    from stream_view.displaying import displayHTML as displayHTML
    from stream_view.errors import CheckpointInUse as CheckpointInUse
    from stream_view.errors import CheckpointOfAnotherSource as CheckpointOfAnotherSource
    from stream_view.errors import MissingMatplotlib as MissingMatplotlib
    from stream_view.errors import NameInUse as NameInUse
    from stream_view.errors import NothingToPlot as NothingToPlot
    from stream_view.health.service_target import ServiceTarget as ServiceTarget
    from stream_view.health.stream_health import stream_health as stream_health
    from stream_view.late_data.late_rows import late_rows as late_rows
    from stream_view.plots import plot_batches as plot_batches
    from stream_view.plots import plot_reports as plot_reports
    from stream_view.plots import plot_silences as plot_silences
    from stream_view.plots import plot_updates as plot_updates
    from stream_view.replayed_batch import compare as compare
    from stream_view.replayed_batch import replay as replay
    from stream_view.starts.start_hooks import install as install
    from stream_view.starts.start_hooks import uninstall as uninstall
    from stream_view.timelines.timeline import timeline as timeline
    from streaming_base.errors import StreamNotFound as StreamNotFound
    from streaming_base.errors import StreamTimeout as StreamTimeout
    from streaming_base.progress_reports import observed_metrics as observed_metrics
    from streaming_base.progress_reports import rows_per_batch as rows_per_batch
    from streaming_base.progress_reports import rows_read as rows_read

_HOMES = {
    "CheckpointInUse": "stream_view.errors",
    "CheckpointOfAnotherSource": "stream_view.errors",
    "MissingMatplotlib": "stream_view.errors",
    "NameInUse": "stream_view.errors",
    "NothingToPlot": "stream_view.errors",
    "ServiceTarget": "stream_view.health.service_target",
    "StreamNotFound": "streaming_base.errors",
    "StreamTimeout": "streaming_base.errors",
    "batches": "stream_view.checkpoint_batches",
    "compare": "stream_view.replayed_batch",
    "display": "stream_view.displaying",
    "displayHTML": "stream_view.displaying",
    "install": "stream_view.starts.start_hooks",
    "late_rows": "stream_view.late_data.late_rows",
    "observed_metrics": "streaming_base.progress_reports",
    "plot_batches": "stream_view.plots",
    "plot_reports": "stream_view.plots",
    "plot_silences": "stream_view.plots",
    "plot_updates": "stream_view.plots",
    "replay": "stream_view.replayed_batch",
    "rows_per_batch": "streaming_base.progress_reports",
    "rows_read": "streaming_base.progress_reports",
    "stream_health": "stream_view.health.stream_health",
    "timeline": "stream_view.timelines.timeline",
    "uninstall": "stream_view.starts.start_hooks",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that a module below does not wait for PySpark and widgets."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
