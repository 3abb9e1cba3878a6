"""``display`` of a stream on compute that refuses endless triggers: a frame now, and one below each landing.

Databricks' own ``display`` starts a query that does not end, which serverless compute refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

from streaming_classroom.session.repeated_query import RepeatedQuery

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_OF_A_STREAM = ("streamName", "trigger", "processingTime", "checkpointLocation", "outputMode", "view")
_numbers = count(1)
_shown: list[tuple[RepeatedQuery, Callable[[], None]]] = []


def wrap_display(platform_display: Callable[..., None]) -> Callable[..., None]:
    """Return a ``display`` that shows a streaming frame's rows so far, and anything else as the platform does."""

    def display(*values: Any, **options: Any) -> None:
        of_stream = {name: options.pop(name) for name in _OF_A_STREAM if name in options}
        for value in values:
            if getattr(value, "isStreaming", False):
                _show_stream(value, of_stream, platform_display)
            else:
                platform_display(value, **options)

    return display


def show_again() -> None:
    """Show the rows of each displayed stream that is still active."""
    _shown[:] = [(query, show) for query, show in _shown if query.isActive]
    for _query, show in _shown:
        show()


def _show_stream(frame: DataFrame, options: dict[str, Any], platform_display: Callable[..., None]) -> None:
    spark = frame.sparkSession
    name = options.get("streamName") or f"display_query_{next(_numbers)}"
    for earlier, _show in _shown:  # the cell is run again
        if earlier.name == name:
            earlier.stop()
    query = _start(frame, name, options)
    query.processAllAvailable()

    def show() -> None:
        platform_display(spark.table(f"`{name}`"))

    show()
    _shown.append((query, show))


def _start(frame: DataFrame, name: str, options: dict[str, Any]) -> Any:
    """Start a query into a table: in complete mode where the query allows it, else in append mode."""
    from pyspark.errors import PySparkException

    def start(mode: str) -> Any:
        writer = frame.writeStream.format("memory").queryName(name).outputMode(mode)
        if checkpoint := options.get("checkpointLocation"):
            writer = writer.option("checkpointLocation", checkpoint)
        return writer.start()

    if mode := options.get("outputMode"):
        return start(mode)
    try:
        return start("complete")
    except PySparkException:
        return start("append")
