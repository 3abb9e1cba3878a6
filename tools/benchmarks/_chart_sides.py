"""The two sides of the benchmark of charts, in the kernel: the same data as Vega-Lite and through our own view.

Our own draws the charts of batches on its tab *Dashboard*, and the one of rows on its tab *Chart*.
"""

from __future__ import annotations

import math
import threading
import time
from datetime import datetime, timedelta
from typing import Any

from IPython.display import display

from stream_view.live.static_frame import interactive_html
from stream_view.live.stream_widget import StreamWidget
from stream_view.tables import Table

SIDES = {"ours": "our own", "vega": "Vega-Lite, as it comes", "tuned": "Vega-Lite, SVG, no menu, no PNG"}
CHARTS = {"line": "line, 120 batches x 2", "stack": "stacked bars, 120 x 6", "rows": "line, 1,000 rows"}
TABS = {"line": "Dashboard", "stack": "Dashboard", "rows": "Chart"}
UPDATES, EVERY = 20, 0.25  # seconds; the live view is drawn four times a second at most
MIME_TYPE = "application/vnd.vegalite.v5+json"  # the newest that JupyterLab 4.6 knows
SERIES = {
    "line": ("rate", "capacity"),
    "stack": ("addBatch", "getBatch", "latestOffset", "queryPlanning", "walCommit", "commitOffsets"),
}
TYPES = {"time": "timestamp", "batch": "int", "series": "string", "value": "double"}
NUMERIC = ("batch", "value")
OPTIONS = {"tuned": {MIME_TYPE: {"embed_options": {"renderer": "svg", "actions": False}}}}
# With a picture in the bundle JupyterLab makes none. This one has a single pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

sent: dict[str, list[float]] = {}  # when each message was, in seconds since 1970
_shown: dict[str, Any] = {}


def show(side: str, chart: str, name: str) -> None:
    """Put a chart on the screen, and note when."""
    sent[name] = [time.time()]
    if side == "ours":
        part, content = our_values(chart, 0)
        header = {"name": chart, "state": "running", "batch": 120, "rows": 1, "rate": 1}
        _shown[chart] = StreamWidget(f"sc-{chart}", lambda: None, header=header, **{part: content})
        display(_shown[chart])
    else:
        _shown[chart] = display(bundle(side, chart, 0), metadata=OPTIONS.get(side), raw=True, display_id=True)


def update(side: str, chart: str, name: str) -> None:
    """Update a chart again and again from a thread, as a live view is, and note when."""
    make = our_values if side == "ours" else lambda chart, first: bundle(side, chart, first)
    prepared = [make(chart, first) for first in range(1, UPDATES + 1)]
    sent[name] = []

    def send() -> None:
        for one in prepared:
            time.sleep(EVERY)
            sent[name].append(time.time())
            if side == "ours":
                setattr(_shown[chart], *one)
            else:
                _shown[chart].update(one, metadata=OPTIONS.get(side), raw=True)

    threading.Thread(target=send).start()


def leave(side: str, chart: str) -> None:
    """Put what stays of a chart when the stream has ended."""
    display({"text/html": table_html(chart)} if side == "ours" else bundle(side, chart, 0), raw=True)


def table_html(chart: str) -> str:
    """Return our own static frame of a chart's rows."""
    names, rows = _rows(chart, 0)
    numeric, types = tuple(name in NUMERIC for name in names), tuple(TYPES[name] for name in names)
    return interactive_html(Table(names, numeric, tuple(rows), cut=False, types=types))


def our_values(chart: str, first: int) -> tuple[str, dict[str, Any]]:
    """Return which value of the widget a chart is drawn from, and the value."""
    if chart != "rows":
        batches = range(first, first + 120)
        series = {name: [_value(i, at) for at in batches] for i, name in enumerate(SERIES[chart])}
        return "reports", {"batch": list(batches), **series}
    names, rows = _rows(chart, first)
    columns = [{"name": name, "type": TYPES[name], "numeric": name in NUMERIC} for name in names]
    return "table", {"columns": columns, "rows": rows, "caption": "1,000 rows"}


def bundle(side: str, chart: str, first: int) -> dict[str, Any]:
    """Return a chart as Vega-Lite."""
    names, rows = _rows(chart, first)
    values = [{n: float(v) if n in NUMERIC else v for n, v in zip(names, row, strict=True)} for row in rows]
    mark: dict[str, Any] = {"type": "line", "point": True, "tooltip": True}
    x: dict[str, Any] = {"field": names[0], "type": "temporal" if chart == "rows" else "quantitative"}
    if chart == "stack":
        mark = {"type": "bar", "tooltip": True}
        x |= {"type": "ordinal", "axis": {"labelOverlap": True}}
    encoding = {"x": x, "y": {"field": "value", "type": "quantitative"}}
    if chart != "rows":
        encoding["color"] = {"field": "series", "type": "nominal"}
    specification = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": CHARTS[chart],
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
        "width": 560,
        "height": 250 if chart == "rows" else 150,
    }
    picture = {"image/png": PIXEL} if side == "tuned" else {}
    return {MIME_TYPE: specification, "text/plain": CHARTS[chart]} | picture


def _rows(chart: str, first: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the data of a chart as a table: names, and rows of texts."""
    if chart == "rows":
        start = datetime(2026, 1, 1)
        times = [(at, (start + timedelta(seconds=at)).isoformat(" ")) for at in range(first, first + 1000)]
        return ("time", "value"), [(text, str(_value(0, at))) for at, text in times]
    batches = range(first, first + 120)
    named = [(str(at), name, str(_value(i, at))) for i, name in enumerate(SERIES[chart]) for at in batches]
    return ("batch", "series", "value"), named


def _value(series: int, at: int) -> float:
    return round(500 + 300 * math.sin(at / 9 + series) + 40 * math.sin(at * (series + 2)), 1)
