from __future__ import annotations

from io import BytesIO
from typing import Any

import pandas as pd
import pytest
from matplotlib import image, pyplot

from stream_view import NothingToPlot, plot_batches, plot_reports, plot_silences, plot_updates
from stream_view.plots import COLORS, MARK, MAX_ROWS
from stream_view.table_chart import chart_of
from stream_view.tables import Table


def report(batch: int, second: float, took: float, rows: int, **more: Any) -> dict[str, Any]:
    """Return a batch's report with the fields that plots read."""
    phases = {"addBatch": took * 600, "queryPlanning": took * 100, "triggerExecution": took * 1000}
    return {"batchId": batch, "timestamp": f"2025-06-01T10:00:{second:06.3f}Z", "durationMs": phases} | {
        "numInputRows": rows,
        "sources": [],
        **more,
    }


def state(rows: int) -> dict[str, Any]:
    return {"stateOperators": [{"numRowsTotal": rows, "memoryUsedBytes": 100 * rows}]}


FAST = [report(n, 2 * n, 1.5, 3_000, **state(100 * n)) for n in range(4)]
SLOW = [report(n, 4 * n + 1, 2.0, 12_000, **state(300)) for n in range(2)]
IDLE = {"batchId": 4, "timestamp": "2025-06-01T10:00:09.000Z", "durationMs": {"latestOffset": 1}}
RECEIVED = pd.DataFrame([(0, "a", 5), (0, "b", 3), (1, "a", 6), (2, "b", 3)], columns=["batch", "device", "n"])
BEATS = pd.DataFrame(
    [("oven 1", pd.Timestamp(2025, 6, 1, 0, m)) for m in (0, 2, 4, 40, 42)]
    + [("oven 2", pd.Timestamp(2025, 6, 1, 0, m)) for m in range(0, 43, 2)],
    columns=["oven", "event_time"],
)


def bars(axes: Any) -> list[tuple[float, float, float]]:
    """Return row, start and length of each bar."""
    return [(round(b.get_y() + b.get_height() / 2), round(b.get_x(), 3), round(b.get_width(), 3)) for b in axes.patches]


def test_a_batch_is_a_bar_from_its_start_to_its_end() -> None:
    axes = plot_batches({"fast": FAST, "slow": SLOW}, title="Batches").axes[0]
    assert bars(axes) == [(0, 0, 1.5), (0, 2, 1.5), (0, 4, 1.5), (0, 6, 1.5), (1, 1, 2.0), (1, 5, 2.0)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["fast", "slow"]
    assert [text.get_text() for text in axes.texts] == ["3,000"] * 4 + ["12,000"] * 2


def test_phases_fill_a_bar_in_the_order_in_which_spark_runs_them() -> None:
    figure = plot_batches({"fast": FAST[:1]}, title="Phases", phases=True)
    whole, *phases = bars(figure.axes[0])
    assert whole == (0, 0, 1.5)
    assert [phase for phase in phases if phase[2]] == [(0, 0, 0.15), (0, 0.15, 0.9)]
    assert [text.get_text() for text in figure.legends[0].texts][3:5] == ["queryPlanning", "addBatch"]


def test_a_line_has_a_point_for_each_batch_that_reports_the_number() -> None:
    axes = plot_reports({"fast": FAST, "slow": SLOW}, "state_rows", title="State").axes[0]
    assert [list(line.get_ydata()) for line in axes.lines] == [[0, 100, 200, 300], [300, 300]]
    assert [line.get_color() for line in axes.lines] == list(COLORS[:2])
    assert [text.get_text().strip() for text in axes.texts] == ["fast", "slow"]


def test_an_idle_report_is_not_a_batch() -> None:
    [line] = plot_reports({"fast": [*FAST, IDLE]}, "rows", title="Rows").axes[0].lines
    assert list(line.get_xdata()) == [0, 1, 2, 3]


def test_a_cell_is_marked_where_the_value_of_its_key_has_changed() -> None:
    axes = plot_updates(RECEIVED, "device", "n", title="Updates").axes[0]
    cells = [(round(b.get_x() + 0.46), round(b.get_y() + 0.43)) for b in axes.patches]
    marked = [pyplot.matplotlib.colors.to_hex(b.get_facecolor()) == MARK for b in axes.patches]
    assert dict(zip(cells, marked, strict=True)) == {(0, 0): True, (0, 1): True, (1, 0): True, (2, 1): False}


def test_a_silence_is_marked_if_it_is_longer_than_allowed() -> None:
    alarms = pd.DataFrame({"oven": ["oven 1"], "event_time": [pd.Timestamp(2025, 6, 1, 0, 14)]})
    axes = plot_silences(BEATS, "oven", "event_time", title="Silences", longest=600, alarms=alarms).axes[0]
    marked = [line for line in axes.lines if line.get_linewidth() == 7]
    [(begin, end)] = [line.get_xdata() for line in marked]
    assert (pd.Timestamp(begin).minute, pd.Timestamp(end).minute) == (4, 40)
    assert [line.get_marker() for line in axes.lines][-1] == "^"


def test_a_notebook_shows_a_figure_once_as_a_picture() -> None:
    from IPython.core.formatters import DisplayFormatter

    figure = plot_batches({"fast": FAST}, title="Batches")
    shown, _metadata = DisplayFormatter().format(figure)
    assert shown["image/png"].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot_batches({"new": [IDLE]}, title=""), "No batch has ended yet: new."),
        (lambda: plot_reports({"fast": FAST}, "backlog", title=""), "No report of these queries has a value"),
        (lambda: plot_reports({"fast": FAST}, "latency", title=""), "measure must be one of rows, batch_seconds"),
        (
            lambda: plot_updates(RECEIVED, "gauge", "n", title=""),
            "no column 'gauge'; its columns are: batch",
        ),
        (lambda: plot_updates(RECEIVED[:0], "device", "n", title=""), "has no rows"),
        (
            lambda: plot_updates(pd.DataFrame({"batch": 0, "k": range(MAX_ROWS + 1), "n": 1}), "k", "n", title=""),
            "There are 61 keys in the column 'k', and a plot can show 60",
        ),
    ],
)
def test_what_cannot_be_plotted_gets_an_error_that_says_why(draw: Any, message: str) -> None:
    with pytest.raises(NothingToPlot, match=message.replace("(", "\\(")):
        draw()


BY_DEVICE = Table(
    ("device", "readings"), (False, True), (("a", "5"), ("b", "3")), cut=False, types=("string", "bigint")
)
OVER_TIME = Table(
    ("hour", "ward", "readings"),
    (False, False, True),
    (("2025-06-01 00:00:00", "north", "5"), ("2025-06-01 01:00:00", "north", "6"), ("2025-06-01 00:00:00", None, "2")),
    cut=False,
    types=("timestamp", "string", "bigint"),
)
PAIRS = Table(("id", "value"), (True, True), (("1", "5"), ("2", None)), cut=False, types=("int", "double"))
NAMES = Table(("name",), (False,), (("a",),), cut=False, types=("string",))


@pytest.mark.parametrize("table", [BY_DEVICE, OVER_TIME, PAIRS])
def test_a_chart_is_a_picture_with_colors(table: Table) -> None:
    pixels = image.imread(BytesIO(chart_of(table, "Readings")), format="png")
    assert pixels.shape[:2] == (300, 900)
    assert (pixels[..., 2] - pixels[..., 0] > 0.4).sum() > 100  # the blue of the first series


def test_each_of_twelve_names_has_a_line_as_in_the_live_chart() -> None:
    hours = [f"2025-06-01 {hour:02}:00:00" for hour in range(3)]
    rows = tuple((hour, f"ward {ward:02}", str(100 * ward)) for hour in hours for ward in range(12))
    wards = Table(
        ("hour", "ward", "readings"), (False, False, True), rows, cut=False, types=("timestamp", "string", "bigint")
    )
    pixels = image.imread(BytesIO(chart_of(wards, "Readings")), format="png")
    assert (pixels[..., 0] - pixels[..., 2] > 0.7).sum() > 100  # the red of the second series


def test_a_table_without_numbers_has_no_chart() -> None:
    assert chart_of(NAMES, "Names") is None
