"""The verdict on an attempt: the rows that differ, and a small colored box in a notebook, text everywhere else.

The box needs neither a kernel nor a script: hints and solution are folded parts of it, so a saved notebook and other
front ends have them as well.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from stream_view.tables import Table
from streaming_base import front_end
from streaming_classroom.exercises.exercise import Exercise

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROW_LIMIT = 200_000  # an exercise's table has far fewer rows; a query that multiplies rows has more
_SHOWN_ROWS = 3  # of each kind
_DIGITS = 9  # of a floating-point number: a sum depends a little on the order of its rows

Kind = Literal["right", "not tried", "wrong"]
#: Dark enough for text on white; in a dark theme, the style of each box sets lighter ones.
COLORS = {
    "right": "var(--sc-right, #00664b)",
    "not tried": "var(--sc-untried, #57606a)",
    "wrong": "var(--sc-wrong, #a83a00)",
}
_DARK = 'body[data-jp-theme-light="false"], body.vscode-dark, body.vscode-high-contrast, html[data-theme="dark"]'
_STYLE = (
    f"<style>:is({_DARK}) .sc-verdict {{ --sc-right: #4cd3ae; --sc-untried: #a8b0b8; --sc-wrong: #ff9f6b; }}"
    ".sc-verdict details[open] { display: block !important; }</style>"  # else it pushes the next button far right
)
MARKS = {"right": "✓", "not tried": "○", "wrong": "✗"}
_FOLDED = "display:inline-block;vertical-align:top;margin:8px 8px 0 0;max-width:100%"
_BUTTON = "cursor:pointer;border:1px solid currentColor;border-radius:4px;padding:1px 10px;width:fit-content"
_CODE = "margin:6px 0;padding:8px;overflow:auto;background:rgba(127,127,127,.12)"


class ExerciseNotSolved(AssertionError):
    """The verdict on a solution is not that it is right."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on an attempt, displayed if it is a cell's last value.

    ``exercise``: the exercise that was checked; ``kind``: ``right``, ``not tried`` or ``wrong``; ``sentence``: which
    mistake it is, or that the attempt is right; ``difference``: rows that show the mistake.
    """

    exercise: Exercise
    kind: Kind
    sentence: str
    difference: Table | None = None

    @property
    def is_right(self) -> bool:
        """Whether the exercise is solved."""
        return self.kind == "right"

    def or_fail(self) -> Verdict:
        """Return this verdict if it is right.

        Raises ExerciseNotSolved: the verdict is another one.
        """
        if not self.is_right:
            raise ExerciseNotSolved(str(self))
        return self

    def __str__(self) -> str:
        text = f"{MARKS[self.kind]} {self.exercise.id} {self.exercise.title}: {self.sentence}"
        return f"{text}\n\n{self.difference.to_text()}" if self.difference else text

    __repr__ = __str__

    def _repr_mimebundle_(self, **_what) -> dict[str, str]:
        return bundle(str(self), self._html())

    def _html(self) -> str:
        color = COLORS[self.kind]
        sentence = self.sentence[:1].upper() + self.sentence[1:]
        head = f"{MARKS[self.kind]} {escape(self.exercise.id)} {escape(self.exercise.title)}"
        parts = [f'<div><strong style="color:{color}">{head}</strong></div><div>{marked_up(sentence)}</div>']
        if self.difference:
            parts.append(f'<div style="margin-top:6px">{self.difference.to_html()}</div>')
        parts.append(_hints(self.exercise.hints) if not self.is_right else "")
        parts.append(_fold("Solution" if not self.is_right else "Compare with ours", solution_html(self.exercise)))
        return box("".join(parts), color)


@dataclass(frozen=True)
class Guidance:
    """A hint, a solution or another text, displayed if it is a cell's last value."""

    text: str
    html: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_mimebundle_(self, **_what) -> dict[str, str]:
        return bundle(self.text, self.html)


def hint_shown(exercise: Exercise, number: int) -> Guidance:
    """Return one hint of an exercise, counted from 1; without hints, a sentence that says so."""
    if not exercise.hints:
        none = f"{exercise.id} has no hints: what it needs is in the lessons before it."
        return Guidance(none, box(f"<div>{escape(none)}</div>"))
    hint, total = exercise.hints[number - 1], len(exercise.hints)
    head = f"Hint {number} of {total}"
    more = f' Ask for the next with DA.hint("{exercise.id}").' if number < total else ""
    html = f"<strong>{head}</strong><div>{marked_up(hint)}</div>"
    return Guidance(f"{head}: {hint}{more}", box(html + (f"<div><i>{escape(more)}</i></div>" if more else "")))


def solution_shown(exercise: Exercise) -> Guidance:
    """Return the solution of an exercise and the explanation."""
    head = f"{exercise.id} {exercise.title}"
    html = f"<strong>{escape(head)}</strong>{solution_html(exercise)}"
    return Guidance(f"{head}\n\n{exercise.solution.strip()}\n\n{exercise.why}", box(html))


def box(html: str, color: str = "#0072B2") -> str:
    """Return a box with a colored edge around some HTML."""
    style = f"border-left:4px solid {color};padding:4px 12px;margin:4px 0;overflow-wrap:anywhere;max-width:60em"
    return f'{_STYLE}<div class="sc-verdict" style="{style}">{html}</div>'


def bundle(text: str, html: str) -> dict[str, str]:
    """Return the output for a notebook: the box if it is interactive, the text in a headless run."""
    shown = {"text/plain": text}
    return shown | {"text/html": html} if front_end.is_interactive() or not front_end.in_notebook() else shown


def solution_html(exercise: Exercise) -> str:
    """Return an exercise's solution and explanation as HTML."""
    return f'<pre style="{_CODE}">{escape(exercise.solution.strip())}</pre><div>{marked_up(exercise.why)}</div>'


def marked_up(text: str) -> str:
    """Return a sentence as HTML, with the text between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)).replace("\n", "<br>")


def _hints(hints: tuple[str, ...]) -> str:
    """Return the hints, each folded into the previous one."""
    html = ""
    for number in range(len(hints), 0, -1):
        name = "Hint" if number == 1 else "Next hint"
        html = _fold(name, f'<div style="margin-top:4px">{marked_up(hints[number - 1])}</div>{html}')
    return html


def _fold(name: str, html: str) -> str:
    return f'<details style="{_FOLDED}"><summary style="{_BUTTON}">{name}</summary>{html}</details>'


class RowDifference(NamedTuple):
    """The difference between rows and the right ones, as a sentence and as a small table."""

    sentence: str
    table: Table | None


@dataclass(frozen=True)
class Rows:
    """Collected rows in the form in which they are compared: numbers without last digits, times and arrays as text."""

    columns: tuple[str, ...]
    rows: Counter[tuple]

    @classmethod
    def from_frame(cls, frame: DataFrame) -> Rows:
        """Collect the rows of a frame."""
        return cls(tuple(frame.columns), Counter(tuple(map(_comparable, row)) for row in frame.collect()))

    def to_json(self) -> dict[str, Any]:
        """Return a value for :meth:`from_json`; equal rows have equal values."""
        rows = sorted(self.rows.elements(), key=lambda row: [str(value) for value in row])
        return {"columns": list(self.columns), "rows": [list(row) for row in rows]}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Rows:
        """Return rows from a value of :meth:`to_json`."""
        return cls(tuple(kept["columns"]), Counter(map(tuple, kept["rows"])))


def difference(made: DataFrame, right: DataFrame | Rows, name: str) -> RowDifference | None:
    """Return how rows differ from the right ones, as multisets; None if they are equal.

    Column names are case-insensitive, as in SQL; their order does not matter.

    ``made``: A batch frame; ``right``: the right rows; ``name``: the name of the learner's table in the sentence.
    """
    columns = list(right.columns)
    if said := _columns_differ(made.columns, columns, name):
        return RowDifference(said, None)
    made_rows = _rows(made, columns)
    right_rows = right.rows if isinstance(right, Rows) else _rows(right, columns)
    if made_rows is None:
        said = f"`{name}` has more than {ROW_LIMIT:,} rows, {_count(right_rows)} would be right."
        return RowDifference(said, None)
    missing, surplus = right_rows - made_rows, made_rows - right_rows
    if not missing and not surplus:
        return None
    return RowDifference(_sentence(name, made_rows, right_rows, missing, surplus), _table(columns, missing, surplus))


def _columns_differ(made: list[str], right: list[str], name: str) -> str:
    have, want = [column.lower() for column in made], [column.lower() for column in right]
    missing = [column for column in right if column.lower() not in have]
    surplus = [column for column in made if column.lower() not in want]
    if not missing and not surplus:
        return ""
    parts = [f"{_the_columns(missing)} {'is' if len(missing) == 1 else 'are'} missing"] * bool(missing)
    parts += [f"{_the_columns(surplus)} {'was' if len(surplus) == 1 else 'were'} not asked for"] * bool(surplus)
    return f"In `{name}` {' and '.join(parts)}."


def _rows(frame: DataFrame, columns: list[str]) -> Counter[tuple] | None:
    rows = frame.select(*columns).limit(ROW_LIMIT + 1).collect()
    if len(rows) > ROW_LIMIT:
        return None
    return Counter(tuple(map(_comparable, row)) for row in rows)


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, (list, dict, tuple)):
        return repr(value)
    if isinstance(value, (date, Decimal, bytes, bytearray)):
        return str(bytes(value) if isinstance(value, bytearray) else value)
    return value


def _sentence(name: str, made: Counter, right: Counter, missing: Counter, surplus: Counter) -> str:
    if not made:
        return f"`{name}` is empty; {_count(right)} would be right."
    if not missing and set(surplus) <= set(right):
        return f"`{name}` has rows more than once: {_count(made)} instead of {right.total():,}."
    parts = [f"{_count(missing)} {_is(missing)} missing"] * bool(missing)
    parts += [f"{_count(surplus)} should not be there"] * bool(surplus)
    return f"In `{name}` {' and '.join(parts)}; it has {_count(made)}, and {right.total():,} would be right."


def _table(columns: list[str], missing: Counter, surplus: Counter) -> Table:
    rows = [("missing", *row) for row in list(missing.elements())[:_SHOWN_ROWS]]
    rows += [("too many", *row) for row in list(surplus.elements())[:_SHOWN_ROWS]]
    texts = tuple(tuple(None if value is None else str(value) for value in row) for row in rows)
    numeric = tuple(
        all(isinstance(row[i], (int, float)) for row in rows if row[i] is not None) for i in range(len(columns) + 1)
    )
    return Table(("", *columns), numeric, texts, cut=missing.total() > _SHOWN_ROWS or surplus.total() > _SHOWN_ROWS)


def _count(rows: Counter | None) -> str:
    number = rows.total() if rows is not None else 0
    return "1 row" if number == 1 else f"{number:,} rows"


def _is(rows: Counter) -> str:
    return "is" if rows.total() == 1 else "are"


def _the_columns(names: list[str]) -> str:
    return f"the column{'' if len(names) == 1 else 's'} {', '.join(f'`{name}`' for name in names)}"
