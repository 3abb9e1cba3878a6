"""The code of a lesson, what it gave, and the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_output

from lesson_linter import check
from streaming_classroom.files import directories

UUID = "eefc66e8-850a-498a-a3c0-c50ca3974b52"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.mark.parametrize(
    ("cell", "new", "line", "rule", "says"),
    [
        (9, "1\n\n" * 15 + "1", 31, "short-cells", "15 lines at most"),
        (9, "1\n\n" + "x" * 121, 3, "length", "120 characters at most"),
        (9, "1\n(", 2, "parses", "write valid Python"),
        (9, "\n\nfor", 3, "parses", "write valid Python"),
        (9, "'\0'", 1, "parses", "write valid Python"),
        (9, "import time\ntime.sleep(6)", 2, "sleeps", "over 5 seconds"),
        (9, "\nsleep(5.5)", 2, "sleeps", "over 5 seconds"),
        (9, "try:\n    1\nexcept:\n    2", 3, "bare-excepts", "name the exception"),
        (9, "1\np['numInputRows']", 2, "figures-of-reports", "write p.numInputRows"),
        (9, "[report['inputRowsPerSecond'] for report in reports]", 1, "figures-of-reports", "None over Spark Connect"),
        (9, "1\nopen('/tmp/x')", 2, "machine-paths", "'/tmp/'"),
        (9, f"1\nopen('{directories.PROJECT.as_posix()}/x')", 2, "machine-paths", "other machines"),
        (9, "%sql\nSELECT '/home/ann/x'", 2, "machine-paths", "'/home/a'"),
        (6, MORE := "It is in\nC:\\Users\\ann.\n\n**Predict:** and?", 2, "machine-paths", "Users'"),
        (6, MORE.replace("C:\\Users\\ann", "file:/Users/ann"), 2, "machine-paths", "'/Users/a'"),
        (6, MORE.replace("C:\\Users\\ann", "`lib/site-packages`"), 2, "machine-paths", "'site-packages'"),
    ],
)
def test_a_cell_with_wrong_code(draft, one_problem, cell: int, new: str, line: int, rule: str, says: str) -> None:
    draft.cells[cell - 1].source = new
    found = one_problem()
    assert found[:3] == (cell, line, rule)
    assert says in found[3]


def test_an_empty_cell(draft) -> None:
    draft.insert(10, new_code_cell(""))
    draft.cells[9].execution_count = None
    for cell in draft.cells[10:]:
        if cell.cell_type == "code":
            cell.execution_count -= 1
    assert [(p.cell, p.line, p.rule) for p in draft.check()] == [(10, None, "length")]


@pytest.mark.parametrize(
    "source",
    [
        "1\n\n" * 14 + "1",
        "x" * 120,
        "await x",
        "%sql\nSELECT * FROM -- no Python",
        "%%time\n1",
        "%md\n# text (",
        "files = !ls\n%time files",
        "p.numInputRows, p['batchId'], p['sources'][0]['numInputRows'], frame[['numInputRows']]",
        "import time\ntime.sleep(5)\ntime.sleep(seconds)\ntime.sleep(True)",
        "try:\n    1\nexcept ValueError:\n    2",
        "'file:/home/...', '/home/…', 'dbfs:/user/home/x', 'https://x.org/home/y', '/Workspace/Users/x'",
    ],
)
def test_a_cell_that_only_looks_wrong(draft, source: str) -> None:
    draft.cells[8].source = source
    assert draft.check() == []


def test_code_may_be_wrong_where_that_is_the_lesson(draft) -> None:
    draft.cells[11].source = "for"
    draft.cells[11].outputs[0].ename = "SyntaxError"
    assert draft.check() == []


@pytest.mark.parametrize(
    ("output", "rule", "says"),
    [
        (new_output("stream", name="stdout", text="in /home/ann/x"), "machine-paths", "'/home/a' out of the output"),
        (new_output("display_data", {"text/html": f"<b>{Path.home()}/x</b>"}), "machine-paths", "out of the output"),
        (new_output("stream", name="stderr", text="WARN"), "clean", "stderr-expected"),
        (new_output("error", ename="E", evalue="", traceback=[]), "clean", "tag it raises-exception"),
        (new_output("stream", name="stdout", text="1\r2"), "clean", "progress bar"),
        (new_output("stream", name="stdout", text=" 50%|###   | 1/2 [00:01<00:01]"), "clean", "progress bar"),
        (new_output("display_data", {WIDGET: {}}), "clean", "widget"),
        (new_output("execute_result", {"text/plain": UUID}), "checked", "a UUID"),
        (new_output("execute_result", {"text/html": "<object at 0x7f6a5c0b>"}), "checked", "an address in memory"),
        (None, "checked", "give this cell an output"),
    ],
)
def test_a_cell_with_a_wrong_output(draft, one_problem, output, rule: str, says: str) -> None:
    draft.cells[8].outputs = [output] if output else []
    found = one_problem()
    assert found[:3] == (9, None, rule)
    assert says in found[3]


def test_what_a_cell_may_give_when_it_says_so(draft) -> None:
    draft.cells[1].metadata["tags"] = ["stderr-expected"]
    draft.cells[1].outputs = [new_output("stream", name="stderr", text="WARN")]
    draft.cells[11].outputs[0].evalue = UUID  # nobody compares it
    assert draft.check() == []


@pytest.mark.parametrize("count", [None, 1, 7])
def test_a_lesson_that_was_not_run_from_top_to_bottom(draft, one_problem, count: int | None) -> None:
    draft.cells[8].execution_count = count
    expected = "run it from top to bottom: python course.py run 07 --save"
    assert one_problem() == (9, None, "ran", expected)


def test_a_cell_that_is_skipped_has_no_count(draft) -> None:
    draft.insert(10, new_code_cell("1", metadata={"tags": ["skip-execution"]}))
    draft.cells[9].execution_count = None
    for cell in draft.cells[10:]:
        if cell.cell_type == "code":
            cell.execution_count -= 1
    assert draft.check() == []


def test_too_few_outputs_are_compared(draft, one_problem) -> None:
    draft.cells[8].metadata["tags"] = []
    assert one_problem() == (None, None, "checked", "tag at least 5 cells with nbval-check-output")


def test_a_misspelt_tag(draft, one_problem) -> None:
    draft.cells[13].metadata["tags"] = ["raise-exception"]
    found = one_problem()
    assert found[:3] == (14, None, "known-tags")
    assert "'raise-exception'" in found[3]


def test_another_kernel(draft, one_problem) -> None:
    draft.metadata["kernelspec"]["name"] = "scala"
    assert one_problem() == (None, None, "form", "choose the kernel python3")


@pytest.mark.parametrize(
    "change",
    [
        lambda metadata: metadata["language_info"].update(version="3.11.7"),
        lambda metadata: metadata.pop("language_info"),
        lambda metadata: metadata["kernelspec"].update(display_name=".venv"),
    ],
)
def test_metadata_that_jupyterlab_would_change(draft, one_problem, change) -> None:
    change(draft.metadata)
    found = one_problem()
    assert found[2] == "form" and "run 07 --save" in found[3]


def test_no_newline_at_the_end(draft) -> None:
    content = draft.write().read_bytes()
    draft.path.write_bytes(content.rstrip())
    assert [p.message for p in check(draft.path)] == ["end the file with a newline"]


def test_an_older_format_has_no_ids(draft) -> None:
    raw = json.loads(draft.write().read_text(encoding="utf-8"))
    raw["nbformat_minor"] = 4
    for cell in raw["cells"]:
        del cell["id"]
    draft.path.write_text(json.dumps(raw) + "\n", encoding="utf-8")
    problems = check(draft.path)
    assert problems[0].message == "save the notebook in format 4.5"
    assert {p.rule for p in problems[1:]} == {"ids"}


def test_a_file_that_is_too_large(draft, one_problem) -> None:
    draft.cells[1].outputs = [new_output("stream", name="stdout", text="x" * 300_000)]
    found = one_problem()
    assert found[:3] == (None, None, "size")
    assert "300,000 are too many" in found[3]


@pytest.mark.parametrize(
    ("cell_id", "says"),
    [
        ("8f3c1a2b", "name the cell like l07-09"),
        ("l08-08", "name the cell like l07-09"),
        ("l07-8", "name the cell like l07-09"),
        ("l07-07", "give the cell an id that no other cell has"),
    ],
)
def test_an_id_that_says_nothing_or_is_another_cells(draft, one_problem, cell_id: str, says: str) -> None:
    draft.cells[8].id = cell_id
    assert one_problem() == (9, None, "ids", says)
