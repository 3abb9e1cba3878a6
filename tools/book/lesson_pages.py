"""A lesson as a page: the committed notebook, with quizzes that answer, hints that fold, and links that open it.

Nothing is executed: the page shows the saved outputs, and for a live view its static frame or, if there is one, its
recording.  Quizzes and hints fold without a script, and no page has a solution.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from html import escape
from string import ascii_lowercase
from typing import Any
from urllib.parse import quote

import nbformat

from streaming_classroom.exercises import Exercise, Question
from streaming_classroom.exercises.verdict import MARKS, marked_up

LEXER = "lesson-cell"
LAB = "http://localhost:8888/lab/tree/notebooks/"  # where `course.py lab` opens lessons, unless the port is busy
RECORDINGS = "recordings"  # the folder of the site that has their scripts
WIDGET = "application/vnd.jupyter.widget-view+json"
Recordings = Mapping[str, list[dict[str, Any]]]
_QUIZ = re.compile(r"DA\.quiz\((\d+)\)")
_CHECK = re.compile(r'DA\.check\("([^"]+)"\)')
_TITLE = re.compile(r"\A# .+$", re.MULTILINE)
_AXIS = re.compile(r'\b(title|xlabel|ylabel)="([^"]+)"')


def lesson_page(
    notebook: nbformat.NotebookNode,
    name: str,
    address: str,
    questions: tuple[Question, ...] = (),
    exercises: Mapping[str, Exercise] | None = None,
    recordings: Recordings | None = None,
) -> nbformat.NotebookNode:
    """Return the notebook that Sphinx reads in the place of a lesson's.

    Parameters
    ----------
    notebook : NotebookNode
        The committed lesson; it is not changed.
    name : str
        The file's name.
    address : str
        Where the repository is published; empty if it is not.
    questions : tuple of Question
        The lesson's quiz.
    exercises : mapping, optional
        Its exercises by their ids.
    recordings : mapping, optional
        What moved in its cells, by their ids; see :mod:`.recordings`.
    """
    page = deepcopy(notebook)
    page.metadata.pop("widgets", None)  # without the state of widgets, no page asks for their scripts
    page.metadata.setdefault("language_info", {})["pygments_lexer"] = LEXER
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs = _outputs(cell, questions, exercises or {})
            _offer_recordings(cell, f"{RECORDINGS}/{quote(name.removesuffix('.ipynb'))}.js", recordings or {})
            if any("image/png" in output.get("data", {}) for output in cell.outputs):
                cell.metadata["mystnb"] = {"image": {"alt": _alt_of_chart(cell.source)}}
    first = page.cells[0]
    first.source = _TITLE.sub(lambda title: f"{title[0]}\n\n{_open_in(name, address)}", first.source, count=1)
    return page


def _outputs(cell: Any, questions: tuple[Question, ...], exercises: Mapping[str, Exercise]) -> list[Any]:
    """Return the outputs of a page for a cell: a quiz, hints, or the saved ones without widgets."""
    source = cell.source.strip()
    if (found := _QUIZ.fullmatch(source)) and int(found[1]) <= len(questions):
        return [_html(quiz_html(int(found[1]), questions[int(found[1]) - 1]))]
    if (found := _CHECK.fullmatch(source)) and found[1] in exercises:
        return [_html(hints_html(exercises[found[1]]))]
    if source.startswith("DA.predict("):
        return []  # a note for the reader of a notebook
    # The text of a widget is the name of a class; the view's static frame is the output beside it.
    shown = [
        output for output in cell.outputs if not {WIDGET} <= {*output.get("data", {})} or "text/html" in output.data
    ]
    for output in shown:
        output.get("data", {}).pop(WIDGET, None)
    return shown


def _offer_recordings(cell: Any, script: str, recordings: Recordings) -> None:
    """Put each output that has a recording into a part that the page's player finds."""
    shown = [output for output in cell.outputs if "text/html" in output.get("data", {})]
    for number, recording in enumerate(recordings.get(cell.id, [])):
        if recording["place"] >= len(shown):
            continue  # the notebook was saved by a run that did not show it
        data = shown[recording["place"]].data
        names = {"data-script": f"../{script}", "data-cell": cell.id, "data-number": str(number)}
        attributes = " ".join(f'{name}="{escape(value)}"' for name, value in names.items())
        data["text/html"] = f'<div class="recording" {attributes}><div class="saved">{data["text/html"]}</div></div>'


def quiz_html(number: int, question: Question) -> str:
    """Return a question whose choices open, and say whether they are right and why."""
    name = f"quiz-{number}"
    html = f'<p class="quiz-question" id="{name}"><span>Question {number}</span> {marked_up(question.text)}</p>'
    for letter, choice in zip(ascii_lowercase, question.choices, strict=False):
        kind, word = ("right", "Right.") if choice.is_right else ("wrong", "Not this one.")
        html += f'<details class="choice {kind}"><summary>{letter}) {marked_up(choice.text)}</summary>'
        html += f"<p><strong>{MARKS[kind]} {word}</strong> {marked_up(choice.reason)}</p></details>"
    return f'<div class="quiz" role="group" aria-labelledby="{name}">{html}</div>'


def hints_html(exercise: Exercise) -> str:
    """Return an exercise's hints, each folded into the previous one, and where an answer is checked."""
    html = ""
    for number, hint in reversed(list(enumerate(exercise.hints, start=1))):
        head = f"<summary>Hint {number} of {len(exercise.hints)}</summary>"
        html = f'<details class="hint">{head}<p>{marked_up(hint)}</p>{html}</details>'
    where = f'Write your answer in the lesson: <code>DA.check("{escape(exercise.id)}")</code> names your mistake.'
    return f'<div class="exercise-check"><p>{where}</p>{html}</div>'


def _html(text: str) -> Any:
    return nbformat.v4.new_output("display_data", {"text/html": text})


def _alt_of_chart(source: str) -> str:
    """Return an alt text for a cell's drawing from the names of its axes; the lesson's text explains it."""
    names = [f"{axis.replace('label', ' axis')} {text!r}" for axis, text in _AXIS.findall(source)]
    return (
        f"Chart of the cell above, {', '.join(names)}" if names else "Drawing of the cell above, explained in the text"
    )


def _open_in(name: str, address: str) -> str:
    """Return the links that open the lesson where it runs."""
    file = quote(name)
    links = [(f"{LAB}{file}", "JupyterLab here", "while <code>python course.py lab</code> runs on this machine")]
    if found := re.fullmatch(r"https://github\.com/([^/]+/[^/]+)", address):
        binder = f"https://mybinder.org/v2/gh/{found[1]}/HEAD?urlpath=lab/tree/notebooks/{file}"
        links.append((f"https://codespaces.new/{found[1]}", "Codespaces", "on GitHub, in your browser"))
        links.append((binder, "Binder", "without an account; the first start takes minutes"))
    items = [f'<li><a href="{escape(url)}">{label}</a>, {where}</li>' for url, label, where in links]
    guide = '<a href="../docs/on-databricks.html">The lessons on Databricks</a>'
    items.append(
        f'<li><a href="{file}" download>The notebook, {escape(name)}</a>, for Databricks: import it in a workspace '
        f"beside the course's <code>Includes</code>. {guide} says how.</li>"
    )
    # One block without a blank line, which Markdown leaves as it is.
    return f'<details class="open-in"><summary>Open this lesson in …</summary><ul>{"".join(items)}</ul></details>'
