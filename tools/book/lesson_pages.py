"""A lesson as a page: the committed notebook, with quizzes that answer, hints that fold, and the links of *open in*.

Nothing is executed.  What the notebook holds is shown; of a live view, its static frame.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from html import escape
from typing import Any
from urllib.parse import quote

import nbformat

from streaming_classroom.exercises.exercise import Exercise, Question

from .cell_lexer import NAME as LEXER
from .guidance import hints_html, quiz_html
from .repository import Repository

LAB = "http://localhost:8888/lab/tree/notebooks/"  # where `course.py lab` opens lessons, unless the port is busy
WIDGET = "application/vnd.jupyter.widget-view+json"
_QUIZ = re.compile(r"DA\.quiz\((\d+)\)")
_CHECK = re.compile(r'DA\.check\("([^"]+)"\)')
_TITLE = re.compile(r"\A# .+$", re.MULTILINE)
_AXIS = re.compile(r'\b(?P<axis>title|xlabel|ylabel)="(?P<text>[^"]+)"')


def lesson_page(
    notebook: nbformat.NotebookNode,
    name: str,
    repository: Repository,
    questions: tuple[Question, ...] = (),
    exercises: Mapping[str, Exercise] | None = None,
) -> nbformat.NotebookNode:
    """Return the notebook that Sphinx reads in the place of a lesson's.

    Parameters
    ----------
    notebook : NotebookNode
        The committed lesson; it is not changed.
    name : str
        The file's name.
    repository : Repository
        For the links that need its address.
    questions : tuple of Question
        The lesson's quiz.
    exercises : mapping, optional
        Its exercises by their ids.
    """
    page = deepcopy(notebook)
    page.metadata.pop("widgets", None)  # without the state of widgets, no page asks for their scripts
    page.metadata.setdefault("language_info", {})["pygments_lexer"] = LEXER
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs = _outputs(cell, questions, exercises or {})
            if any("image/png" in output.get("data", {}) for output in cell.outputs):
                cell.metadata["mystnb"] = {"image": {"alt": _chart_in_words(cell.source)}}
    first = page.cells[0]
    first.source = _TITLE.sub(lambda title: f"{title[0]}\n\n{_open_in(name, repository)}", first.source, count=1)
    return page


def _outputs(cell: Any, questions: tuple[Question, ...], exercises: Mapping[str, Exercise]) -> list[Any]:
    """Return what a page shows below a cell."""
    source = cell.source.strip()
    if (found := _QUIZ.fullmatch(source)) and int(found[1]) <= len(questions):
        return [_html(quiz_html(int(found[1]), questions[int(found[1]) - 1]))]
    if (found := _CHECK.fullmatch(source)) and found[1] in exercises:
        return [_html(hints_html(exercises[found[1]]))]
    if source.startswith("DA.predict("):
        return []  # that nobody has predicted anything yet is for a notebook
    return [output for output in map(_shown, cell.outputs) if output is not None]


def _html(text: str) -> Any:
    return nbformat.v4.new_output("display_data", {"text/html": text})


def _shown(output: Any) -> Any:
    """Return an output as a page shows it; None for a widget, which a kernel would have to keep alive."""
    data = output.get("data")
    if data is None:
        return output
    kept = {mime: value for mime, value in data.items() if mime != WIDGET}
    if len(kept) < len(data) and "text/html" not in kept:
        return None  # its text is the name of a class; the view's static frame is the output beside it
    output["data"] = kept
    return output


def _chart_in_words(source: str) -> str:
    """Return an alt text for what a cell draws: what its axes are called; what it shows, the lesson's text says."""
    names = [f"{found['axis'].replace('label', ' axis')} {found['text']!r}" for found in _AXIS.finditer(source)]
    return (
        f"Chart of the cell above, {', '.join(names)}" if names else "Drawing of the cell above, explained in the text"
    )


def _open_in(name: str, repository: Repository) -> str:
    """Return the links that open the lesson where it runs."""
    file = quote(name)
    links = [(f"{LAB}{file}", "JupyterLab here", "while <code>python course.py lab</code> runs on this machine")]
    if repository.github:
        links += [
            (f"https://codespaces.new/{repository.github}", "Codespaces", "on GitHub, in your browser"),
            (
                f"https://mybinder.org/v2/gh/{repository.github}/HEAD?urlpath=lab/tree/notebooks/{file}",
                "Binder",
                "without an account; the first start takes minutes",
            ),
        ]
    items = [f'<li><a href="{escape(url)}">{label}</a>, {where}</li>' for url, label, where in links]
    guide = '<a href="../docs/on-databricks.html">The lessons on Databricks</a>'
    items.append(
        f'<li><a href="{file}" download>The notebook, {escape(name)}</a>, for Databricks: import it in a workspace '
        f"beside the course's <code>Includes</code>. {guide} says how.</li>"
    )
    # One block without a blank line, which Markdown leaves as it is.
    return f'<details class="open-in"><summary>Open this lesson in …</summary><ul>{"".join(items)}</ul></details>'
