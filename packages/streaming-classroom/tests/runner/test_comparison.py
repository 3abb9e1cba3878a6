from __future__ import annotations

from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from streaming_classroom.runner.comparison import differences

HOME = Path("/runs/1/07")
NOTEBOOK = Path("07-Lesson.ipynb")


def notebook(*outputs: NotebookNode, tags: tuple[str, ...] = ("nbval-check-output",)) -> NotebookNode:
    cell = new_code_cell("code", execution_count=1, outputs=list(outputs), metadata={"tags": list(tags)})
    return new_notebook(cells=[new_markdown_cell("text"), cell])


def stream(text: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=text)


def shown(**data: str) -> NotebookNode:
    return new_output("display_data", data={kind.replace("_", "/"): value for kind, value in data.items()})


def error(ename: str, evalue: str) -> NotebookNode:
    return new_output("error", ename=ename, evalue=evalue, traceback=[])


def found(saved: NotebookNode, executed: NotebookNode) -> list[str]:
    return [str(failure) for failure in differences(saved, executed, NOTEBOOK, HOME)]


def test_the_same_outputs_are_no_failure_however_they_were_cut_into_messages() -> None:
    saved = notebook(stream("one\ntwo\n"), shown(text_plain="x", image_png="old"))
    executed = notebook(stream("one\n"), shown(text_plain="x", image_png="new"), stream("two\n"))
    assert found(saved, executed) == []


def test_the_lessons_directory_is_no_difference() -> None:
    assert found(notebook(stream("in /classroom/a\n")), notebook(stream(f"in {HOME}/a\n"))) == []


@pytest.mark.parametrize(
    "executed",
    [
        notebook(stream("3\n")),
        notebook(),
        notebook(stream("2\n"), stream("2\n", "stderr")),
        notebook(stream("2\n"), shown(text_plain="2")),
    ],
)
def test_another_output_of_a_marked_cell_is_a_failure_that_names_it(executed: NotebookNode) -> None:
    [failure] = found(notebook(stream("2\n")), executed)
    assert failure.startswith("07-Lesson.ipynb, cell 2 [1]: shows something else than the file:\n")


def test_another_output_of_a_cell_that_is_not_marked_is_none() -> None:
    assert found(notebook(stream("2\n"), tags=()), notebook(stream("3\n"), tags=())) == []


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (error("AnalysisException", "[COLUMN_NOT_FOUND] No b."), "AnalysisException [COLUMN_NOT_FOUND]"),
        (error("ValueError", "[TABLE_NOT_FOUND] No t."), "ValueError [TABLE_NOT_FOUND]"),
        (error("AnalysisException", "no condition"), "failed with AnalysisException, "),
        (stream("no error"), "failed with nothing, "),
    ],
)
@pytest.mark.parametrize("tags", [("raises-exception",), ("raises-exception", "nbval-check-output")])
def test_a_cell_that_is_meant_to_fail_fails_as_the_file_says(
    now: NotebookNode, says: str, tags: tuple[str, ...]
) -> None:
    saved = notebook(error("AnalysisException", "[TABLE_NOT_FOUND] No t; id 5."), tags=tags)
    assert found(saved, notebook(error("AnalysisException", "[TABLE_NOT_FOUND] No t; id 7."), tags=tags)) == []
    assert says in "\n".join(found(saved, notebook(now, tags=tags)))


def test_a_long_difference_is_cut() -> None:
    [failure] = found(notebook(stream("\n" * 500)), notebook(stream("x\n" * 500)))
    assert len(failure.splitlines()) < 20
