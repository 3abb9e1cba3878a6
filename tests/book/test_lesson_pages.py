"""A committed lesson as a page of the book."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup

from book.lesson_pages import WIDGET, lesson_page
from book.repository import UNPUBLISHED, Repository
from streaming_classroom.exercises import catalogue
from streaming_classroom.exercises.exercise import Exercise
from streaming_classroom.exercises.question import Choice, Question

LESSONS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
QUESTION = Question("Which?", (Choice("a", "r1"), Choice("b", "r2", True), Choice("c", "r3")))
EXERCISE = Exercise("02.1", "Title", "starter", ("a hint",), "the solution", "why", lambda attempt: None, ())
FRAME = "<table><tr><td>1</td></tr></table><div>counts · running when this was saved · batch 3</div>"


def shown(**data: str) -> Any:
    return nbformat.v4.new_output("display_data", {name.replace("__", "/"): value for name, value in data.items()})


def page_of(*cells: Any, repository: Repository = UNPUBLISHED, title: str = "# 02 · A lesson\n\nWhy.") -> Any:
    first = nbformat.v4.new_markdown_cell(title)
    notebook = nbformat.v4.new_notebook(cells=[first, *cells], metadata={"widgets": {"state": {}}})
    page = lesson_page(notebook, "02-A-Lesson.ipynb", repository, (QUESTION,), {"02.1": EXERCISE})
    assert notebook.cells[0].source == title, "the committed notebook is not changed"
    return page


def cell(source: str, *outputs: Any) -> Any:
    return nbformat.v4.new_code_cell(source, outputs=list(outputs))


def html_of(page: Any, number: int = 1) -> str:
    return "".join(output.data["text/html"] for output in page.cells[number].outputs)


def test_of_a_live_view_its_static_frame_is_shown() -> None:
    widget = shown(text__plain="StreamWidget()")
    widget.data[WIDGET] = {"model_id": "1"}
    page = page_of(cell("display(stream)", widget, shown(text__html=FRAME, text__plain="counts")))
    assert html_of(page) == FRAME
    assert len(page.cells[1].outputs) == 1
    assert "widgets" not in page.metadata


def test_a_widget_with_html_of_its_own_is_shown_as_that() -> None:
    output = shown(text__html=FRAME, text__plain="counts")
    output.data[WIDGET] = {"model_id": "1"}
    assert html_of(page_of(cell("display(stream)", output))) == FRAME


def test_other_outputs_stay_as_they_are() -> None:
    printed = nbformat.v4.new_output("stream", name="stdout", text="12\n")
    picture = shown(image__png="iVBOR", text__plain="<Figure>")
    page = page_of(cell("print(12)", printed), cell("plt.show()", picture))
    assert page.cells[1].outputs == [printed]
    assert page.cells[2].outputs == [picture]


def test_a_chart_is_named_by_its_axes() -> None:
    page = page_of(cell('axes.set(xlabel="batch", ylabel="rows")', shown(image__png="iVBOR")))
    assert page.cells[1].metadata["mystnb"]["image"]["alt"] == "Chart of the cell above, x axis 'batch', y axis 'rows'"


def test_a_quiz_answers_and_an_exercise_has_hints_but_no_solution() -> None:
    text = shown(text__plain="not tried yet")
    page = page_of(cell("DA.quiz(1)", text), cell('DA.check("02.1")', text))
    assert len(BeautifulSoup(html_of(page), "html.parser").find_all("details")) == 3
    assert "a hint" in html_of(page, 2)
    assert "the solution" not in nbformat.writes(page)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name.partition("-")[0])
def test_a_lesson_of_the_course_has_all_its_questions_and_hints_and_no_solution(path: Path) -> None:
    number = path.name.partition("-")[0]
    questions, exercises = catalogue.quiz_of(number), {one.id: one for one in catalogue.of_lesson(number)}
    notebook = nbformat.read(path, as_version=4)
    page = lesson_page(notebook, path.name, UNPUBLISHED, questions, exercises)
    shown = [
        output.data.get("text/html", "") for one in page.cells for output in one.get("outputs", []) if "data" in output
    ]
    assert sum(html.startswith('<div class="quiz"') for html in shown) == len(questions)
    assert sum(html.startswith('<div class="exercise-check"') for html in shown) == len(exercises)
    text = "\n".join([*shown, *(one.source for one in page.cells)])
    assert [one.id for one in exercises.values() if one.solution.strip() in text] == []


def test_without_an_address_a_lesson_opens_here_and_in_databricks_alone() -> None:
    links = BeautifulSoup(page_of().cells[0].source, "html.parser").find_all("a")
    assert [link["href"] for link in links] == [
        "http://localhost:8888/lab/tree/notebooks/02-A-Lesson.ipynb",
        "02-A-Lesson.ipynb",
        "../docs/on-databricks.html",
    ]


def test_with_an_address_on_github_it_opens_in_codespaces_and_binder_too() -> None:
    page = page_of(repository=Repository("https://github.com/owner/name"))
    links = [link["href"] for link in BeautifulSoup(page.cells[0].source, "html.parser").find_all("a")]
    assert links[1:3] == [
        "https://codespaces.new/owner/name",
        "https://mybinder.org/v2/gh/owner/name/HEAD?urlpath=lab/tree/notebooks/02-A-Lesson.ipynb",
    ]


def test_the_links_stand_below_the_title_and_the_text_follows() -> None:
    source = page_of().cells[0].source
    assert source.startswith("# 02 · A lesson\n\n<details")
    assert source.endswith("</details>\n\nWhy.")
