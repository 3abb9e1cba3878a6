"""The figures of streams as a pandas frame, whose columns have the same types whatever the streams have."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from stream_view.health.health_page import Row
from stream_view.health.stream_reading import StreamReading
from stream_view.live.reports import PHASES

_TEXTS = ("stream", "state", "watermark", "problems", "error")


def frame_of(rows: Sequence[Row]) -> pd.DataFrame:
    """Return a row for each stream; the names of its columns are those that problems name."""
    values = [_values(row) for row in rows]
    frame = pd.DataFrame(values, columns=list(_values_of_none()))
    figures = [name for name in frame.columns if name not in (*_TEXTS, "batch", "backlog_is_estimate")]
    types = dict.fromkeys(figures, "float64") | {"batch": "Int64", "backlog_is_estimate": "bool"}
    return frame.astype(types | dict.fromkeys(_TEXTS, "object"))


def _values_of_none() -> dict[str, object]:
    """Return the columns, of a stream of which nothing is known."""
    return _values(Row(StreamReading("", "starting"), []))


def _values(row: Row) -> dict[str, object]:
    reading = row.reading
    return {
        "stream": reading.name,
        "state": reading.state,
        "batch": reading.batch,
        "age_seconds": reading.age_seconds,
        "rows_per_second": reading.rows_per_second,
        "processed_per_second": reading.processed_per_second,
        "batch_seconds": reading.batch_seconds,
        **{f"{phase}_seconds": reading.phases.get(phase) for phase in PHASES},
        "backlog_rows": reading.backlog.rows,
        "backlog_is_estimate": reading.backlog.is_estimate,
        "backlog_files": reading.backlog.files,
        "backlog_bytes": reading.backlog.size,
        "backlog_seconds": reading.backlog_seconds,
        "watermark": reading.watermark,
        "watermark_lag_seconds": reading.watermark_lag_seconds,
        "state_rows": reading.state_rows,
        "state_bytes": reading.state_bytes,
        "problems": "\n".join(problem.text for problem in row.problems),
        "error": reading.error,
    }
