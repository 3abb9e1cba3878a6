"""The chart of a table's rows as a picture, for a saved notebook whose reader has no script that draws it."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING

from stream_view.errors import MissingMatplotlib
from stream_view.plots import COLORS, FAINT, cycle_colors, styled_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stream_view.tables import Table

MAX_LEVEL_LABELS = 12  # more names below an axis stand upright
MAX_SERIES = 12  # as MOST_SERIES of live/chart.js


def chart_of(table: Table, title: str) -> bytes | None:
    """Return a chart of a shown table as PNG, or None where it has no column to draw or matplotlib is missing.

    The columns are chosen as in the view's tab *Chart*: the first time, or else the first name, along the axis; the
    last number as height; of names with at most twelve values, one line or bar for each.
    """
    chosen = _chosen_columns(table)
    if chosen is None:
        return None
    x, y, group, is_time = chosen
    series: dict[str, dict[str, float]] = {}
    for row in table.rows:
        if row[x] is not None and row[y] is not None:
            points = series.setdefault("" if group is None else row[group] or "NULL", {})
            points[row[x]] = points.get(row[x], 0.0) + float(row[y])
    try:
        with styled_figure(title, 4) as (figure, axes):
            _draw_series(axes, series, is_time)
            axes.set_xlabel(table.columns[x])
            axes.set_ylabel(table.columns[y])
    except MissingMatplotlib:
        return None
    picture = BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def _chosen_columns(table: Table) -> tuple[int, int, int | None, bool] | None:
    """Return the columns of x, y and the groups, and whether x is a time."""
    times = [i for i, kind in enumerate(table.types) if kind.startswith(("timestamp", "date"))]
    names = [i for i, numeric in enumerate(table.numeric) if not numeric and i not in times]
    numbers = [i for i, numeric in enumerate(table.numeric) if numeric]
    if not numbers[1:] and not (times or names):
        return None
    keys = [*times, *names, *numbers]
    others = [i for i in names if i != keys[0] and len({row[i] for row in table.rows}) <= MAX_SERIES]
    return (keys[0], numbers[-1], others[0] if others else None, bool(times)) if numbers else None


def _in_order(names: set[str]) -> list[str]:
    """Return names in order: numbers as numbers."""
    try:
        return sorted(names, key=float)
    except ValueError:
        return sorted(names)


def _draw_series(axes: Axes, series: Mapping[str, Mapping[str, float]], is_time: bool) -> None:
    from matplotlib.dates import ConciseDateFormatter, datestr2num

    names = _in_order({x for points in series.values() for x in points})
    for number, (color, (name, points)) in enumerate(zip(cycle_colors(), sorted(series.items()), strict=False)):
        if is_time:
            ordered = sorted(points)
            style = "-" if number < len(COLORS) else "--"
            axes.plot(datestr2num(ordered), [points[x] for x in ordered], style, color=color, marker="o", label=name)
        else:
            width = 0.8 / len(series)
            places = [names.index(x) - 0.4 + width * (number + 0.5) for x in points]
            axes.bar(places, list(points.values()), width=width, color=color, label=name)
    if is_time:
        axes.xaxis_date()
        axes.xaxis.set_major_formatter(ConciseDateFormatter(axes.xaxis.get_major_locator()))
    else:
        axes.set_xticks(range(len(names)), names, rotation=90 if len(names) > MAX_LEVEL_LABELS else 0)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    if any(series):
        axes.legend(frameon=False, fontsize=9, ncols=min(len(series), len(COLORS)))
