"""Plots of what streams did, for a lesson or a report: each function draws one figure with matplotlib.

They share one look: a title that the caller writes, labels beside the lines instead of a legend, colors that a
color-blind reader tells apart, and a white ground, so that the saved picture reads the same in a dark notebook, in a
book and on a projector.  Pyplot, whose backend and settings are the notebook's own, is not used: a figure brings its
picture, and a notebook shows it once, as the value of its cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from stream_view.errors import MissingMatplotlib, NothingToPlot
from stream_view.live.reports import PHASES, Report, report_of
from streaming_base.progress_reports import is_batch

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery

    Frame: TypeAlias = pd.DataFrame | DataFrame
    #: One query, several of them, or queries and lists of progress reports by the label that the plot gives them.
    Queries: TypeAlias = (
        StreamingQuery | Iterable[StreamingQuery] | Mapping[str, StreamingQuery | Iterable[Mapping[str, Any]]]
    )

Measure = Literal["rows", "batch_seconds", "backlog", "state_rows", "state_bytes", "watermark_lag_seconds"]

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito
INK, SOFT, FAINT, MARK = "#1f2328", "#57606a", "#d0d7de", "#fff3c4"
WIDTH = 9.0  # inches, which a notebook shows at its full width
ROW_HEIGHT = 0.45  # inches of a row of bars, dots or cells
_LABEL_WIDTH = 0.05  # of an axis, that a number of rows takes
_LABEL_HEIGHT = 0.06  # of an axis, that the name of a line takes
MAX_ROWS = 60  # more rows could not be read
_STYLE: Any = {"font.size": 11, "text.color": INK, "axes.labelcolor": SOFT, "xtick.color": SOFT, "ytick.color": INK}

_AXIS = {
    "rows": "rows read by the batch",
    "batch_seconds": "seconds that the batch took",
    "backlog": "left to read after the batch",
    "state_rows": "rows in the state",
    "state_bytes": "bytes of state",
    "watermark_lag_seconds": "seconds from the watermark to the newest event",
}
_MEASURES: dict[str, Callable[[Report], float | None]] = {
    "rows": lambda report: report.rows,
    "batch_seconds": lambda report: report.work.took if report.work else None,
    "backlog": lambda report: report.backlog,
    "state_rows": lambda report: report.state_rows,
    "state_bytes": lambda report: report.state_bytes,
    "watermark_lag_seconds": lambda report: report.watermark_lag,
}


def plot_batches(queries: Queries, *, title: str, phases: bool = False, every: float | None = None) -> Figure:
    """Draw each batch as a bar from its start to its end, one row per query, on one axis of seconds.

    Parameters
    ----------
    queries : query, iterable of queries, or mapping of labels to queries or progress reports
        Their reports are read once, as far as Spark keeps them (``recentProgress``).
    title : str
        What the picture shows.
    phases : bool
        Color each bar by its phases, as Spark names them in ``durationMs``; otherwise the bar has its number of rows.
    every : float, optional
        Seconds between vertical lines, such as the interval of the trigger, counted from whole seconds of the clock
        as Spark counts its intervals.

    Raises
    ------
    NothingToPlot
        No batch has ended yet.
    MissingMatplotlib
        matplotlib is not installed.
    """
    streams = {
        name: [report for report in reports if report.work] for name, reports in _reports_by_label(queries).items()
    }
    begin = min(report.work.began for reports in streams.values() for report in reports if report.work)
    with styled_figure(title, len(streams)) as (figure, axes):
        end = max(report.work.ended for reports in streams.values() for report in reports if report.work)
        for row, reports in enumerate(streams.values()):
            labelled = -1.0  # the end of the last number of rows, which the next one must not touch
            for report in reports:
                assert report.work is not None
                start, took = report.work.began - begin, report.work.took
                if phases:
                    _draw_phases(axes, row, start, report)
                    continue
                axes.barh(row, took, left=start, height=0.6, color=COLORS[row % len(COLORS)], edgecolor="white")
                if start >= labelled:
                    axes.text(start, row - 0.36, f"{report.rows:,}", fontsize=8, color=SOFT, va="bottom")
                    labelled = start + _LABEL_WIDTH * (end - begin)
        if every:
            first = every - begin % every
            for tick in range(int((end - begin - first) // every) + 1):
                axes.axvline(first + tick * every, color=FAINT, linewidth=1, zorder=0)
        if phases:
            _add_phase_legend(figure)
        _label_rows(axes, list(streams))
        axes.set_xlabel("seconds since the first batch started" + ("" if phases else "; above a bar: its rows"))
    return figure


def plot_reports(queries: Queries, measure: Measure, *, title: str) -> Figure:
    """Draw one number of the progress reports over the batches, a line per query.

    Parameters
    ----------
    queries : query, iterable of queries, or mapping of labels to queries or progress reports
        Their reports are read once, as far as Spark keeps them (``recentProgress``).
    measure : str
        ``rows``, ``batch_seconds``, ``backlog`` (rows of Kafka, files of Delta and ``cloudFiles``), ``state_rows``,
        ``state_bytes`` or ``watermark_lag_seconds``.
    title : str
        What the picture shows.

    Raises
    ------
    NothingToPlot
        No batch has ended yet, or no report has this number.
    MissingMatplotlib
        matplotlib is not installed.
    """
    if measure not in get_args(Measure):
        raise NothingToPlot(f"measure must be one of {', '.join(get_args(Measure))}; it is {measure!r}.")
    lines = {}
    for name, reports in _reports_by_label(queries).items():
        points = [(report.batch, _MEASURES[measure](report)) for report in reports]
        lines[name] = [(batch, value) for batch, value in points if value is not None]
    if not any(lines.values()):
        raise NothingToPlot(f"No report of these queries has a value for {measure!r}.")
    with styled_figure(title, 6) as (figure, axes):
        for color, points in zip(cycle_colors(), lines.values(), strict=False):
            if points:
                batches, values = zip(*points, strict=True)
                axes.plot(batches, values, color=color, marker="o", markersize=4, linewidth=2)
        axes.set_ylim(bottom=0)
        _name_lines(axes, lines)
        axes.grid(axis="y", color=FAINT, linewidth=0.8)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("batch")
        axes.set_ylabel(_AXIS[measure])
    return figure


def _name_lines(axes: Axes, lines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Write each line's name at its end, and names that would stand on each other one above the other."""
    height = _LABEL_HEIGHT * axes.get_ylim()[1]
    ends = [
        (points[-1], name, color)
        for color, (name, points) in zip(cycle_colors(), lines.items(), strict=False)
        if points
    ]
    lowest = float("-inf")
    for (batch, value), name, color in sorted(ends, key=lambda end: end[0][1]):
        lowest = max(value, lowest + height)
        axes.annotate(f" {name}", (batch, lowest), color=color, va="center", annotation_clip=False)


def plot_updates(
    frames: Frame | Mapping[str, Frame], key: str, value: str, *, title: str, batch: str = "batch"
) -> Figure:
    """Draw what a sink received as a grid of keys and batches, with each changed cell marked.

    Parameters
    ----------
    frames : pandas or Spark frame, or mapping of labels to frames
        The rows that the sink received, with the batch that brought each. A mapping, such as one frame per output
        mode, is drawn side by side with the same keys.
    key, value, batch : str
        Columns: the key of a row, the value that the cell shows, and the number of the batch.
    title : str
        What the picture shows.

    Raises
    ------
    NothingToPlot
        A column is missing, there is no row, or there are more than 60 keys.
    MissingMatplotlib
        matplotlib is not installed.

    Notes
    -----
    A cell is empty where the batch brought no row of the key. It is marked where the value differs from the one that
    the key had last.
    """
    panels = dict(frames) if isinstance(frames, Mapping) else {"": frames}
    rows = {name: _rows(frame, [batch, key, value]) for name, frame in panels.items()}
    keys = _sorted_keys(row[1] for found in rows.values() for row in found)
    batches = sorted({row[0] for found in rows.values() for row in found})
    _check_rows(keys, f"keys in the column {key!r}")
    with styled_figure(title, len(keys) + 1, panels=len(panels)) as (figure, *grid):
        for axes, (name, found) in zip(grid, rows.items(), strict=True):
            _draw_cells(axes, found, keys, batches)
            axes.set_xlabel("batch")
            if name:
                axes.text(0, -0.8, name, fontweight="bold", color=INK, ha="left")
        _label_rows(grid[0], [str(found) for found in keys])
        for axes in grid[1:]:
            axes.set_yticks([])
            axes.set_ylim(*grid[0].get_ylim())
    return figure


def plot_silences(
    events: Frame, key: str, time: str, *, title: str, longest: float, alarms: Frame | None = None
) -> Figure:
    """Draw each event as a dot in the row of its key, and each silence that is too long as a bar.

    Parameters
    ----------
    events : pandas or Spark frame
        The events.
    key, time : str
        Columns: the row of an event, and its time.
    title : str
        What the picture shows.
    longest : float
        Seconds between two events of a key up to which nothing is marked.
    alarms : pandas or Spark frame, optional
        Moments that are marked with a triangle, with the same two columns.

    Raises
    ------
    NothingToPlot
        A column is missing, there is no row, or there are more than 60 keys.
    MissingMatplotlib
        matplotlib is not installed.
    """
    import pandas as pd

    with _matplotlib():
        from matplotlib.dates import ConciseDateFormatter
    frame = pd.DataFrame(_rows(events, [key, time]), columns=["key", "time"]).sort_values("time")
    frame["time"] = pd.to_datetime(frame["time"])
    keys = _sorted_keys(frame["key"])
    _check_rows(keys, f"keys in the column {key!r}")
    with styled_figure(title, len(keys)) as (figure, axes):
        for row, found in enumerate(keys):
            times = frame.loc[frame["key"] == found, "time"]
            axes.plot(times, [row] * len(times), "o", color=COLORS[0], markersize=4)
            silent = times.diff().dt.total_seconds() > longest
            for begin, end in zip(times.shift()[silent], times[silent], strict=True):
                axes.plot([begin, end], [row, row], color=COLORS[1], linewidth=7, alpha=0.45, solid_capstyle="butt")
        if alarms is not None:
            raised = [(found, moment) for found, moment in _rows(alarms, [key, time]) if found in keys]
            rows = [keys.index(found) for found, _ in raised]
            moments = [pd.to_datetime(moment) for _, moment in raised]
            axes.plot(moments, rows, "^", color=COLORS[4], markeredgecolor=INK, markersize=8)
        _label_rows(axes, [str(found) for found in keys])
        axes.xaxis.set_major_formatter(ConciseDateFormatter(axes.xaxis.get_major_locator()))
        note = f"dot: an event; bar: longer than {longest:g} s without one"
        axes.set_xlabel(note + ("; triangle: alarm" if alarms is not None else ""))
    return figure


@contextmanager
def styled_figure(title: str, rows: int, panels: int = 1) -> Iterator[tuple[Any, ...]]:
    """Yield a figure and its axes in the common look."""
    with _matplotlib():
        from matplotlib import rc_context
    with rc_context(_STYLE):
        height = max(1.8, rows * ROW_HEIGHT + 1.2)
        figure = _shown_figure()(figsize=(WIDTH, height), dpi=100, facecolor="white", layout="constrained")
        grid = figure.subplots(1, panels, squeeze=False)
        for axes in grid[0]:
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.spines["bottom"].set_color(FAINT)
            axes.tick_params(length=0)
        figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK)
        yield figure, *grid[0]


@cache
def _shown_figure() -> type[Figure]:
    """Return the class of the figures: one that a notebook shows whatever backend matplotlib has there."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png")
            return picture.getvalue()

    return ShownFigure


@contextmanager
def _matplotlib() -> Iterator[None]:
    """Raise an error that names the package if an import in the block finds no matplotlib."""
    try:
        yield
    except ModuleNotFoundError:
        raise MissingMatplotlib from None


def _sorted_keys(keys: Iterable[Any]) -> list[Any]:
    """Return the distinct keys, numbers as numbers; keys of several types are kept apart."""
    return sorted(set(keys), key=lambda key: (str(type(key)), key))


def _label_rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.6)


def _draw_phases(axes: Axes, row: int, start: float, report: Report) -> None:
    """Draw a batch's phases one after the other, in Spark's order of running them; the rest of the batch is faint."""
    assert report.work is not None
    axes.barh(row, report.work.took, left=start, height=0.6, color=FAINT, edgecolor="white")
    for phase in _RUN_ORDER:
        seconds = report.phases[phase] / 1000
        axes.barh(row, seconds, left=start, height=0.6, color=COLORS[PHASES.index(phase)])
        start += seconds


_NARROW: Any = {"handlelength": 1.0, "columnspacing": 1.2}
_RUN_ORDER = ("latestOffset", "walCommit", "getBatch", "queryPlanning", "addBatch", "commitOffsets")


def _add_phase_legend(figure: Figure) -> None:
    from matplotlib.patches import Patch

    patches = [Patch(color=COLORS[PHASES.index(phase)], label=phase) for phase in _RUN_ORDER]
    patches.append(Patch(color=FAINT, label="the rest"))
    figure.legend(handles=patches, ncols=len(patches), fontsize=9, frameon=False, loc="outside lower left", **_NARROW)


def _draw_cells(axes: Axes, rows: Sequence[tuple[Any, ...]], keys: Sequence[Any], batches: Sequence[Any]) -> None:
    last: dict[Any, Any] = {}
    for number, found, value in sorted(rows, key=lambda row: row[0]):
        column, row = batches.index(number), keys.index(found)
        has_changed = found not in last or last[found] != value
        last[found] = value
        color, edge = (MARK, COLORS[4]) if has_changed else ("white", FAINT)
        axes.barh(row, 0.92, left=column - 0.46, height=0.86, color=color, edgecolor=edge)
        axes.text(column, row, f"{value}", ha="center", va="center", color=INK if has_changed else SOFT)
    axes.set_xticks(range(len(batches)), [str(number) for number in batches])
    axes.set_xlim(-0.6, len(batches) - 0.4)


def _reports_by_label(queries: Queries) -> dict[str, list[Report]]:
    """Return the reports of the batches that have ended, by the label of the query."""
    if isinstance(queries, Mapping):
        named = dict(queries)
    else:
        several: list[Any] = [queries] if hasattr(queries, "recentProgress") else list(queries)  # type: ignore[arg-type]
        named = {query.name or f"query {str(query.id)[:8]}": query for query in several}
    reports = {}
    for name, query in named.items():
        found = getattr(query, "recentProgress", query)
        reports[name] = [report_of(dict(report)) for report in found if is_batch(report)]
    if not any(reports.values()):
        raise NothingToPlot(f"No batch has ended yet: {', '.join(named) or 'no query'}.")
    return reports


def _rows(frame: Frame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the rows of some columns of a pandas or Spark frame."""
    missing = [column for column in columns if column not in list(frame.columns)]
    if missing:
        there = ", ".join(map(str, frame.columns)) or "none"
        raise NothingToPlot(f"The frame has no column {missing[0]!r}; its columns are: {there}.")
    selected: Any = frame[list(columns)]
    pandas = selected.toPandas() if hasattr(selected, "toPandas") else selected
    if pandas.empty:
        raise NothingToPlot("The frame has no rows.")
    return list(pandas.itertuples(index=False, name=None))


def _check_rows(keys: Sequence[Any], what: str) -> None:
    if len(keys) > MAX_ROWS:
        raise NothingToPlot(f"There are {len(keys)} {what}, and a plot can show {MAX_ROWS}: filter the frame first.")


def cycle_colors() -> Iterator[str]:
    """Yield the colors of a plot's series, again from the first one after the last."""
    return cycle(COLORS)
