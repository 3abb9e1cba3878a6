"""Notebooks of other authors are checked for what fails, leaks or misleads, whatever their form."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lesson_linter.rules import GUEST_RULES, check_guest

PROJECT = Path(__file__).parents[2]
STDERR = new_output("stream", name="stderr", text="WARN\n")
ADDRESS = new_output("stream", name="stdout", text="<object at 0x7f00aa11>\n")
CHECKED = {"tags": ["nbval-check-output"]}
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


def broken_rules(path: Path, cell: nbformat.NotebookNode, without: frozenset[str] = frozenset()) -> list[str]:
    """Write a notebook of one cell; return the rules that it breaks."""
    nbformat.write(new_notebook(cells=[cell]), path)
    return [problem.rule for problem in check_guest(path, without)]


@pytest.mark.parametrize("rule", GUEST_RULES)
def test_each_rule_finds_its_error_and_can_be_left_out(rule: str, tmp_path: Path) -> None:
    assert broken_rules(tmp_path / "theirs.ipynb", CASES[rule]) == [rule]
    assert broken_rules(tmp_path / "theirs.ipynb", CASES[rule], frozenset([rule])) == []


def test_the_form_and_the_language_are_not_checked(tmp_path: Path) -> None:
    text = "Das ist ein Heft, oder auch mehr! TODO: die die fehlen\n\n![Ein Bild, das im Heft ist](attachment:a.png)"
    assert broken_rules(tmp_path / "theirs.ipynb", new_markdown_cell(text)) == []


def test_a_problem_of_a_file_in_source_format_has_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "theirs.py"
    path.write_text("# Databricks notebook source\nx = 1\n\n# COMMAND ----------\n\ny = 2\nz = = 3\n")
    [problem] = check_guest(path)
    assert str(problem).endswith("theirs.py: line 7: write valid Python: invalid syntax")


def test_the_page_on_ci_lists_exactly_these_rules() -> None:
    page = (PROJECT / "docs" / "ci.md").read_text(encoding="utf-8")
    table = page.partition("| rule |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == list(GUEST_RULES)
