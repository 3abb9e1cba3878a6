from __future__ import annotations

import io
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from rich.console import Console

from streaming_classroom.runner import Failure, LessonResult, SuiteResult, report


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a notebook into a repository, in a folder whose name needs escapes."""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    folder = tmp_path / "a,b: 100%"
    folder.mkdir()
    nbformat.write(new_notebook(cells=[new_code_cell("a = 1\nb = 2")]), folder / "x.ipynb")
    return folder / "x.ipynb"


def result(*failures: Failure, notebook: Path = Path("x.ipynb")) -> SuiteResult:
    outcome = "failed" if failures else "passed"
    lesson = LessonResult("x", notebook, outcome, 1.25, 3, 4, failures)
    return SuiteResult((lesson,), 2.0, Path("runs"))


def told(given: SuiteResult) -> list[str]:
    console = Console(file=io.StringIO(), width=20)
    report.report_to_github(given, console)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def test_an_annotation_names_the_line_of_the_file_and_escapes_what_github_would_read(notebook: Path) -> None:
    failure = Failure(notebook, 1, 2, "b = 2", "failed cell", "ValueError: 50%, [red]a[/]\r\nb::c", 1)
    lines = notebook.read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, start=1) if line.strip() == '"b = 2"')
    assert told(result(failure)) == [
        f"::error file=a%2Cb%3A 100%25/x.ipynb,line={number},title=x%3A failed cell"
        "::cell 1 [1], line 2: ValueError: 50%25, [red]a[/]%0D%0Ab::c"
    ]


def test_a_failure_without_a_line_has_that_of_its_cell_and_one_without_a_cell_none(notebook: Path) -> None:
    cell, nowhere = (Failure(notebook, cell, None, None, "deadline", "late") for cell in (1, None))
    first, second = told(result(cell, nowhere))
    assert ",line=" in first and "::cell 1: late" in first
    assert second == "::error file=a%2Cb%3A 100%25/x.ipynb,title=x%3A deadline::late"


def test_a_broken_rule_is_named_and_a_line_of_source_format_is_the_files(notebook: Path) -> None:
    source = notebook.with_suffix(".py")
    [line] = told(result(Failure(source, None, 7, None, "rule", "wait", rule="sleeps")))
    assert line == "::error file=a%2Cb%3A 100%25/x.py,line=7,title=x%3A sleeps::line 7: wait"


def test_what_a_notebook_prints_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO())
    with pytest.raises(KeyboardInterrupt), report.without_commands(console):
        console.print("::add-mask::everything")
        raise KeyboardInterrupt
    stop, command, go_on = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    token = stop.removeprefix("::stop-commands::")
    assert len(token) == 32 and go_on == f"::{token}::"
    assert command == "::add-mask::everything"


def test_the_summary_is_a_table_of_notebooks_times_and_results_as_github_reads_it(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from markdown_it import MarkdownIt

    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("of an earlier step\n\n")
    told(result(Failure(notebook, 1, 2, None, "stderr", "wrote a|b <i> `c`\n| d |")))
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert text.startswith("of an earlier step\n\n### 0 of 1 notebooks passed in 2.0 s\n")
    html = MarkdownIt("commonmark").enable("table").render(text)
    cells = [part.partition("</td>")[0].partition(">")[2] for part in html.split("<td")[1:]]
    assert cells == ["x", "<strong>failed</strong>", "3/4", "1.2", "stderr (cell 1, line 2)"]
    assert "<li>x.ipynb, cell 1, line 2: wrote a|b &lt;i&gt; `c` | d |</li>" in html


def test_a_summary_that_github_would_refuse_is_cut_at_a_line() -> None:
    many = [Failure(Path("x.ipynb"), 1, None, None, "stderr", "ä" * 400) for _ in range(2000)]
    text = report.summary(result(*many))
    assert len(text.encode()) < 2**20
    assert text.endswith("ä\n\nThe rest is in the log.\n")
