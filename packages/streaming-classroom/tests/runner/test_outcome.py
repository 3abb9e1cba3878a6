from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from streaming_classroom.runner.engine import Observed
from streaming_classroom.runner.outcome import differences, find_failures
from streaming_classroom.runner.results import Failure


def error(value: str, name: str = "ValueError") -> dict[str, Any]:
    return {"status": "error", "ename": name, "evalue": value}


def notebook(source: str = "first\nsecond", *tags: str, traceback: str = "") -> NotebookNode:
    cell = new_code_cell(source, execution_count=1, metadata={"tags": list(tags)} if tags else {})
    if traceback:
        cell.outputs.append(new_output("error", ename="E", evalue="", traceback=[traceback]))
    return new_notebook(cells=[new_markdown_cell("# text"), cell])


def verdict(nb: NotebookNode, **seen: Any) -> list[Failure]:
    return list(find_failures(nb, Path("x.ipynb"), Observed(**seen)))


def test_the_line_of_a_short_error_is_the_innermost_one_of_the_cell() -> None:
    traceback = "line 1: first\nline 2: second\n\nNameError: name 'y' is not defined\nDid you mean `x`?"
    (failure,) = verdict(notebook(traceback=traceback), replies={1: error("no")})
    assert (failure.line, failure.source) == (2, "second")


def test_a_line_of_another_file_or_cell_in_a_short_error_is_not_the_cells() -> None:
    traceback = "line 1: first\nother.py, line 2: second\nline 2: of an earlier cell\nNameError: no"
    (failure,) = verdict(notebook(traceback=traceback), replies={1: error("no")})
    assert (failure.line, failure.source) == (1, "first")


def test_a_cell_of_a_guest_has_the_number_that_it_has_in_its_file() -> None:
    nb = notebook("query.queryName('endless')")
    nb.cells[1].metadata["source_cell"] = 7
    failures = verdict(nb, replies={1: error("no")}, streams=("endless",))
    assert [failure.cell for failure in failures] == [7, 7]


def test_a_long_error_is_cut_to_its_first_line_with_sparks_error_class() -> None:
    reply = error("Query failed\n'Plan\n[STREAM_FAILED.SOME_REASON] more", "StreamingQueryException")
    (failure,) = verdict(notebook(), replies={1: reply})
    assert failure.message == "StreamingQueryException: Query failed [STREAM_FAILED.SOME_REASON]"


def test_the_java_error_is_found_on_py4js_second_line() -> None:
    value = "An error occurred while calling o1.load.\n: java.lang.Error: no\n\tat x.y(Z.java)"
    (failure,) = verdict(notebook(), replies={1: error(value, "Py4JJavaError")})
    assert failure.message == "Py4JJavaError: An error occurred while calling o1.load.: java.lang.Error: no"


HOME = Path("/runs/1/07")


def saved_notebook(*outputs: NotebookNode, tags: tuple[str, ...] = ("nbval-check-output",)) -> NotebookNode:
    cell = new_code_cell("code", execution_count=1, outputs=list(outputs), metadata={"tags": list(tags)})
    return new_notebook(cells=[new_markdown_cell("text"), cell])


def stream(text: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=text)


def shown(**data: str) -> NotebookNode:
    return new_output("display_data", data={kind.replace("_", "/"): value for kind, value in data.items()})


def error_shown(ename: str, evalue: str) -> NotebookNode:
    return new_output("error", ename=ename, evalue=evalue, traceback=[])


def found(saved: NotebookNode, executed: NotebookNode) -> list[str]:
    return [str(failure) for failure in differences(saved, executed, Path("07-Lesson.ipynb"), HOME)]


def test_the_same_outputs_are_no_failure_however_they_were_cut_into_messages() -> None:
    saved = saved_notebook(stream("one\ntwo\n"), shown(text_plain="x", image_png="old"))
    executed = saved_notebook(stream("one\n"), shown(text_plain="x", image_png="new"), stream("two\n"))
    assert found(saved, executed) == []


def test_the_lessons_directory_is_no_difference() -> None:
    assert found(saved_notebook(stream("in /classroom/a\n")), saved_notebook(stream(f"in {HOME}/a\n"))) == []


@pytest.mark.parametrize(
    "executed",
    [
        saved_notebook(stream("3\n")),
        saved_notebook(),
        saved_notebook(stream("2\n"), stream("2\n", "stderr")),
        saved_notebook(stream("2\n"), shown(text_plain="2")),
    ],
)
def test_another_output_of_a_marked_cell_is_a_failure_that_names_it(executed: NotebookNode) -> None:
    [failure] = found(saved_notebook(stream("2\n")), executed)
    assert failure.startswith("07-Lesson.ipynb, cell 2 [1]: shows something else than the file:\n")


def test_another_output_of_a_cell_that_is_not_marked_is_none() -> None:
    assert found(saved_notebook(stream("2\n"), tags=()), saved_notebook(stream("3\n"), tags=())) == []


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (error_shown("AnalysisException", "[COLUMN_NOT_FOUND] No b."), "AnalysisException [COLUMN_NOT_FOUND]"),
        (error_shown("ValueError", "[TABLE_NOT_FOUND] No t."), "ValueError [TABLE_NOT_FOUND]"),
        (error_shown("AnalysisException", "no condition"), "failed with AnalysisException, "),
        (stream("no error"), "failed with nothing, "),
    ],
)
@pytest.mark.parametrize("tags", [("raises-exception",), ("raises-exception", "nbval-check-output")])
def test_a_cell_that_is_meant_to_fail_fails_as_the_file_says(
    now: NotebookNode, says: str, tags: tuple[str, ...]
) -> None:
    saved = saved_notebook(error_shown("AnalysisException", "[TABLE_NOT_FOUND] No t; id 5."), tags=tags)
    assert (
        found(saved, saved_notebook(error_shown("AnalysisException", "[TABLE_NOT_FOUND] No t; id 7."), tags=tags)) == []
    )
    assert says in "\n".join(found(saved, saved_notebook(now, tags=tags)))
