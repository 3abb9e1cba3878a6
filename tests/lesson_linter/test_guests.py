from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lesson_linter import guests
from lesson_linter.__main__ import main

PROJECT = Path(__file__).parents[2]
STDERR = new_output("stream", name="stderr", text="WARN\n")
ADDRESS = new_output("stream", name="stdout", text="<object at 0x7f00aa11>\n")
CHECKED = {"tags": ["nbval-check-output"]}


@pytest.fixture
def broken(tmp_path: Path) -> Callable[..., list[str]]:
    """Check a notebook of these cells; return the rules that it breaks."""

    def rules(*cells: nbformat.NotebookNode, without: frozenset[str] = frozenset()) -> list[str]:
        path = tmp_path / "theirs.ipynb"
        nbformat.write(new_notebook(cells=list(cells)), path)
        return [problem.rule for problem in guests.check(path, without)]

    return rules


CASES = {
    "parses": new_code_cell("x = = 1"),
    "bare-excepts": new_code_cell("try:\n    1\nexcept:\n    2"),
    "sleeps": new_code_cell("import time\ntime.sleep(60)"),
    "machine-paths": new_code_cell('path = "/home/ada/data"'),
    "in-order": new_code_cell("1", execution_count=7),
    "clean": new_code_cell("1", execution_count=1, outputs=[STDERR]),
    "checked": new_code_cell("1", execution_count=1, outputs=[ADDRESS], metadata=CHECKED),
    "tags": new_markdown_cell("<b>never closed"),
    "link-targets": new_markdown_cell("[a file](gone.md)"),
    "link-texts": new_markdown_cell("[here](https://spark.apache.org/docs/latest/)"),
    "alt": new_markdown_cell("![](attachment:a.png)"),
    "local": new_markdown_cell("![A picture that is somewhere else](https://example.org/a.png)"),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_notebook_of_others_is_told_the_rule_that_it_breaks(rule: str, broken) -> None:
    assert broken(CASES[rule]) == [rule]
    assert broken(CASES[rule], without=frozenset([rule])) == []


def test_every_rule_has_a_case() -> None:
    assert CASES.keys() == guests.RULES.keys()


def test_another_form_and_another_language_are_no_problem(broken) -> None:
    text = "Das ist ein Heft, oder auch mehr! TODO: die die fehlen\n\n![Ein Bild, das im Heft ist](attachment:a.png)"
    assert broken(new_markdown_cell(text), new_code_cell("x = 1\n" * 40)) == []


def test_a_file_in_source_format_is_told_by_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "theirs.py"
    path.write_text("# Databricks notebook source\nx = 1\n\n# COMMAND ----------\n\ny = 2\nz = = 3\n")
    [problem] = guests.check(path)
    assert (problem.cell, problem.line, problem.rule) == (None, 7, "parses")
    assert str(problem).endswith("theirs.py: line 7: write valid Python: invalid syntax")


@pytest.mark.parametrize(("name", "text"), [("a.ipynb", "{"), ("a.py", "x = 1\n")])
def test_what_is_no_notebook_is_one_problem(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert [problem.rule for problem in guests.check(tmp_path / name)] == ["notebook"]


def test_for_a_program_a_lesson_keeps_its_form_and_a_guest_the_rules_for_guests(draft, monkeypatch, capsys) -> None:
    from streaming_classroom.files import directories

    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    draft.insert(9, new_code_cell("x = 1"))
    guest = draft.directory.parent / "guest.ipynb"
    nbformat.write(new_notebook(cells=[CASES["sleeps"]]), guest)
    del draft.cells[-1]
    assert main(["--json", str(draft.write()), str(guest)]) == 1
    [line] = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert {one["rule"] for one in found if one["notebook"] == str(draft.path)} >= {"cleanup"}
    assert [one for one in found if one["notebook"] == str(guest)] == [
        {
            "notebook": str(guest),
            "cell": 1,
            "line": 2,
            "rule": "sleeps",
            "message": "wait for the stream, not for a time over 5 seconds",
        }
    ]


def test_the_page_on_ci_lists_exactly_these_rules() -> None:
    page = (PROJECT / "docs" / "ci.md").read_text(encoding="utf-8")
    table = page.partition("| rule |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == list(guests.RULES)
