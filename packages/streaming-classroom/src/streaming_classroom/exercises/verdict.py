"""A verdict, rendered: a small colored box in a notebook, text everywhere else.

The box needs no kernel and no script: hints and solution are folded parts of it, so that a saved notebook, another
front end or a page of yesterday has them as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Literal

from stream_view import front_end
from stream_view.tables import Table
from streaming_classroom.exercises.exercise import Exercise

Kind = Literal["right", "not tried", "wrong"]
COLOURS = {"right": "#009E73", "not tried": "#767676", "wrong": "#D55E00"}
MARKS = {"right": "✓", "not tried": "○", "wrong": "✗"}
_FOLDED = "display:inline-block;vertical-align:top;margin:8px 8px 0 0;max-width:100%"
_BUTTON = "cursor:pointer;border:1px solid currentColor;border-radius:4px;padding:1px 10px;width:fit-content"
_CODE = "margin:6px 0;padding:8px;overflow:auto;background:rgba(127,127,127,.12)"


class ExerciseNotSolved(AssertionError):
    """A solution was to be right and is not."""


@dataclass(frozen=True)
class Verdict:
    """What a check says; shown where it is a cell's last value.

    Attributes
    ----------
    exercise : Exercise
        What was judged.
    kind : str
        ``right``, ``not tried`` or ``wrong``.
    sentence : str
        What is said.
    difference : Table, optional
        Rows that show it.
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

        Raises
        ------
        ExerciseNotSolved
            It is another.
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
        colour = COLOURS[self.kind]
        sentence = self.sentence[:1].upper() + self.sentence[1:]
        head = f"{MARKS[self.kind]} {escape(self.exercise.id)} {escape(self.exercise.title)}"
        parts = [f'<div><strong style="color:{colour}">{head}</strong></div><div>{marked_up(sentence)}</div>']
        if self.difference:
            parts.append(f'<div style="margin-top:6px">{self.difference.to_html()}</div>')
        parts.append(_hints(self.exercise.hints) if not self.is_right else "")
        parts.append(_fold("Solution" if not self.is_right else "Compare with ours", solution_html(self.exercise)))
        return box("".join(parts), colour)


def box(html: str, colour: str = "#0072B2") -> str:
    """Return a box with a coloured edge around some HTML."""
    style = f"border-left:4px solid {colour};padding:4px 12px;margin:4px 0;overflow-wrap:anywhere;max-width:60em"
    return f'<div class="sc-verdict" style="{style}">{html}</div>'


def bundle(text: str, html: str) -> dict[str, str]:
    """Return what a notebook shows: the box where somebody looks, the text in a run without a person."""
    shown = {"text/plain": text}
    return shown | {"text/html": html} if front_end.is_interactive() or not front_end.in_notebook() else shown


def solution_html(exercise: Exercise) -> str:
    """Return an exercise's solution and the reason for it."""
    return f'<pre style="{_CODE}">{escape(exercise.solution.strip())}</pre><div>{marked_up(exercise.why)}</div>'


def marked_up(text: str) -> str:
    """Return a sentence as HTML, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)).replace("\n", "<br>")


def _hints(hints: tuple[str, ...]) -> str:
    """Return the hints, each folded into the one before."""
    html = ""
    for number in range(len(hints), 0, -1):
        name = "Hint" if number == 1 else "Next hint"
        html = _fold(name, f'<div style="margin-top:4px">{marked_up(hints[number - 1])}</div>{html}')
    return html


def _fold(name: str, html: str) -> str:
    return f'<details style="{_FOLDED}"><summary style="{_BUTTON}">{name}</summary>{html}</details>'
