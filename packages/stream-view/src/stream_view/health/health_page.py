"""The page of a session's streams as HTML, which needs no script and no style of the page's, and as text.

What is wrong is said in a sentence above the table; its figure is marked in the table by a sign, a frame and a color.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import anywidget
import pandas as pd
import traitlets

from stream_view.health.service_target import NONE, Problem, duration, size, whole
from stream_view.health.watched_streams import StreamReading
from stream_view.live.reports import PHASES
from stream_view.live.widgets import STYLE, TEXTS

_TEXTS = ("stream", "state", "watermark", "problems", "error")


def frame_of(rows: Sequence[Row]) -> pd.DataFrame:
    """Return a row for each stream; problems refer to its columns by name."""
    values = [_values(row) for row in rows]
    frame = pd.DataFrame(values, columns=list(_values(Row(StreamReading("", "starting"), []))))
    figures = [name for name in frame.columns if name not in (*_TEXTS, "batch", "backlog_is_estimate")]
    types = dict.fromkeys(figures, "float64") | {"batch": "Int64", "backlog_is_estimate": "bool"}
    return frame.astype(types | dict.fromkeys(_TEXTS, "object"))


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


_SHARED = ("elements.js", "keys.js", "kernel.js", "frame.js")  # in this order
SCRIPT = "\n".join([*(TEXTS[part] for part in _SHARED), (Path(__file__).parent / "health.js").read_text("utf-8")])


class HealthWidget(anywidget.AnyWidget):
    """The content of the page, sent when set; ``name`` identifies the page and its static fallback."""

    _esm = SCRIPT
    _css = STYLE
    name = traitlets.Unicode().tag(sync=True)
    html = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    over = traitlets.Bool().tag(sync=True)
    beat = traitlets.Int().tag(sync=True)


WRONG = "▲"
_SIGNS = {"starting": "◌", "running": "●", "waiting": "○", "stopped": "■", "failed": WRONG}
_BAD = "#D55E00"
_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999999")
_MARKED = f"box-shadow:inset 0 0 0 2px {_BAD};background:rgba(213,94,0,.14);font-weight:600;"
_PROBLEMS = f"border-left:4px solid {_BAD};margin:.4em 0;padding:.2em .6em .2em 1.8em;overflow-wrap:anywhere"
_CELL = "padding:.3em .5em;white-space:nowrap;vertical-align:top;"
_COLUMN_WIDTH = 112  # pixels that a column takes on average
# Where not all columns have room, a stream takes several lines, each figure below its heading.
_NARROW = (
    "<style>.sh-page{{container-type:inline-size}}@container (max-width:{width}px){{.sh-{columns} thead{{display:none}}"
    ".sh-{columns} :is(table,tbody){{display:block}}"
    ".sh-{columns} tr{{display:grid;grid-template-columns:repeat(auto-fill,minmax(9em,1fr));padding:.3em 0;"
    "border-bottom:1px solid var(--jp-border-color2,#d0d7de)}}"
    ".sh-{columns} :is(td,th){{white-space:normal!important;overflow-wrap:anywhere}}"
    ".sh-{columns} [data-sh-title]::before{{content:attr(data-sh-title);display:block;font-size:85%;font-weight:400;"
    "opacity:.75}}}}</style>"
)
NOTHING = "No stream has run in this session. Start one: it appears here."


@dataclass(frozen=True)
class Row:
    """A stream and its problems."""

    reading: StreamReading
    problems: list[Problem]


def _backlog(reading: StreamReading) -> str:
    backlog = reading.backlog
    about = "≈ " if backlog.is_estimate else ""
    parts = [f"{about}{whole(backlog.rows)} rows"] if backlog.rows is not None else []
    parts += [f"{whole(backlog.files)} files"] if backlog.files is not None else []
    parts += [size(backlog.size)] if backlog.size else []
    return ", ".join(parts) or "not told"


def _last_batch(reading: StreamReading) -> str:
    if reading.batch is None:
        return NONE
    return f"{reading.batch}, {duration(reading.age_seconds)} ago"


_Column = tuple[str, tuple[str, ...], Callable[[StreamReading], str]]
#: Heading, the columns of the frame whose problems mark it, and its text.
_COLUMNS: tuple[_Column, ...] = (
    ("stream", (), lambda reading: reading.name),
    ("state", ("state",), lambda reading: f"{_SIGNS[reading.state]} {reading.state}"),
    ("last batch", ("age_seconds",), _last_batch),
    ("backlog", ("backlog_rows",), _backlog),
    ("backlog time", ("backlog_seconds",), lambda reading: duration(reading.backlog_seconds)),
    ("batch time", ("batch_seconds",), lambda reading: duration(reading.batch_seconds)),
    ("rows/s in", (), lambda reading: whole(reading.rows_per_second)),
    ("rows/s processed", (), lambda reading: whole(reading.processed_per_second)),
    ("watermark lag", ("watermark_lag_seconds",), lambda reading: duration(reading.watermark_lag_seconds)),
    ("state rows", ("state_rows",), lambda reading: whole(reading.state_rows)),
    ("state size", ("state_bytes",), lambda reading: size(reading.state_bytes)),
)


def _columns(rows: Sequence[Row]) -> list[_Column]:
    """Return the columns that are not empty for all streams: a projector has no room for the others."""
    return [column for column in _COLUMNS if any(column[2](row.reading) != NONE for row in rows)]


def summary(rows: Sequence[Row]) -> str:
    """Return the number of streams, and of those with problems."""
    if not rows:
        return NOTHING
    wrong = sum(bool(row.problems) for row in rows)
    streams = "1 stream" if len(rows) == 1 else f"{len(rows)} streams"
    return f"{streams} · {f'{WRONG} {wrong} with a problem' if wrong else 'all as expected'}"


def as_html(rows: Sequence[Row], note: str = "") -> str:
    """Return the page, with a note at its end."""
    said = "".join(
        f"<li><strong>{escape(row.reading.name)}</strong>: {escape(problem.text)}</li>"
        for row in rows
        for problem in row.problems
    )
    problems = f'<ul style="{_PROBLEMS}">{said}</ul>' if said else ""
    columns = _columns(rows)
    style = _NARROW.format(columns=len(columns), width=len(columns) * _COLUMN_WIDTH) if rows else ""
    return (
        f'{style}<div class="sh-page sh-{len(columns)}">'
        f'<div data-sh="summary"><strong>{escape(summary(rows))}</strong></div>'
        f'<div data-sh="problems" role="status">{problems}</div>'
        f'<div style="overflow:auto;max-width:100%;margin-top:.3em">{_table(rows, columns) if rows else ""}</div>'
        f'<div data-sh="note" style="opacity:.85;font-size:90%">{escape(note)}</div></div>'
    )


def as_text(rows: Sequence[Row], note: str = "") -> str:
    """Return the page as text, for terminals and logs."""
    columns = _columns(rows)
    cells = [[title for title, _of, _text in columns]]
    cells += [[text(row.reading) for _title, _of, text in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    said = [f"{WRONG} {row.reading.name}: {problem.text}" for row in rows for problem in row.problems]
    return "\n".join([summary(rows), *said, *(lines if rows else []), *([note] if note else [])])


def _table(rows: Sequence[Row], columns: Sequence[_Column]) -> str:
    heading = "padding:.3em .5em;vertical-align:bottom;text-align:left"  # of several words, in several lines
    head = "".join(f'<th scope="col" style="{heading}">{title}</th>' for title, _of, _text in columns)
    body = "".join(_html_row(row, columns) for row in rows)
    style = "margin:0;border-collapse:collapse"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _html_row(row: Row, columns: Sequence[_Column]) -> str:
    wrong = {problem.column: problem.text for problem in row.problems}
    cells = []
    for number, (title, of, text) in enumerate(columns):
        said = [wrong[column] for column in of if column in wrong]
        shown = escape(text(row.reading)) + (_phases(row.reading) if title == "batch time" else "")
        mark = f'<span aria-hidden="true">{WRONG} </span>' if said and title != "state" else ""
        attributes = f' data-sh-title="{title}"' if number else ""
        attributes += f' title="{escape(said[0])}" data-sh-wrong="{of[0]}"' if said else ""
        tag = 'th scope="row"' if number == 0 else "td"
        style = f"{_CELL}text-align:left;{_MARKED if said else ''}"
        cells.append(f'<{tag} style="{style}"{attributes}>{mark}{shown}</{tag[:2]}>')
    return f'<tr data-sh="{escape(row.reading.name)}">{"".join(cells)}</tr>'


def _phases(reading: StreamReading) -> str:
    """Return the phases of the last batch as a bar, with their seconds as text for readers and on the bar."""
    total = sum(reading.phases.values())
    if not total:
        return ""
    said = ", ".join(f"{phase} {duration(seconds)}" for phase, seconds in reading.phases.items())
    parts = "".join(
        f'<span style="display:inline-block;height:.6em;width:{100 * seconds / total:.1f}%;background:{color}"></span>'
        for seconds, color in zip(reading.phases.values(), _COLORS, strict=False)
    )
    longest = f"{reading.longest} {100 * reading.phases[reading.longest or ''] / total:.0f} %"
    style = "display:block;width:9em;max-width:100%;line-height:.6em"
    bar = f'<span role="img" aria-label="{escape(said)}" title="{escape(said)}" style="{style}">{parts}</span>'
    return f'{bar}<span style="font-size:85%;opacity:.85;font-weight:400">{escape(longest)}</span>'
