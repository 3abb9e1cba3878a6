"""Whole lessons in other authors' styles, run unmodified by ``course.py run PATH`` and after ``convert``."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from rich.console import Console

from notebook_dialect.conversion import convert
from streaming_classroom.files import directories
from streaming_classroom.runner.results import SuiteResult
from streaming_classroom.runner.suite import run_lessons

pytestmark = pytest.mark.slow

FOREIGN = Path(__file__).parent / "foreign"
ORDERS, CLICKS, STOCK, JOB = (
    "retail/02 - Orders Pipeline.py",  # Databricks source with widgets, volumes and MERGE
    "clicks/SS 03 - Clicks.py",  # older utilities and mounts
    "warehouse/1.3 Stock.sql",  # SQL language
    "exported/job.ipynb",  # exported, a job of two notebooks
)
LENDING = "library/Lending.py"  # catalogs, volumes, COPY INTO
OLDER = "older/Devices.py"  # SQL that only Databricks has, casts that give NULL
# What each shows when it is run.
LESSONS = {
    ORDERS: ("2024-05-01.json", "rows; so far", "by_status", "Stopping by_status"),
    CLICKS: ("Clicks of three hours.", "All done!", "The stream lesson03_1p is active and ready.", "cleaned up"),
    STOCK: ("bolt; M6", "display_query_1: 3 rows", "Stopping True", "MERGE", "begin; end"),
    LENDING: (
        "rejected: ['days', 'reader']",
        "copied: 3 rows, again: 0",
        "latest: ['Atlas', 'Birds', 'Clouds']",
        "tables: ['incoming', 'late', 'loans', 'shelf']",
        "restored: ['OLD', 'OLD']",
        "kept: 2 of the rejected",
        "task value: 4",
    ),
    JOB: ("The result goes back as text.", "Notebook exited: {"),
}


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """Have the lessons where nothing of the course is near."""
    return Path(shutil.copytree(FOREIGN, tmp_path / "somebody's lessons"))


def run(lesson: Path, home: Path, **options) -> SuiteResult:
    console = Console(file=io.StringIO())
    return run_lessons(
        [lesson], home=home, console=console, course=directories.notebooks(), cell_timeout=240, **options
    )


def failures(result: SuiteResult) -> list[str]:
    return [str(failure) for lesson in result.lessons for failure in lesson.failures]


@pytest.mark.parametrize(
    ("lesson", "shows"), LESSONS.items(), ids=lambda value: Path(value).stem if isinstance(value, str) else ""
)
def test_an_unmodified_lesson_of_somebody_else_runs(
    foreign: Path, tmp_path: Path, lesson: str, shows: tuple[str, ...]
) -> None:
    before = (foreign / lesson).read_bytes()
    result = run(foreign / lesson, tmp_path / "home")
    assert result.passed, failures(result)
    book = nbformat.read(result.lessons[0].executed, 4)
    shown = "".join(str(cell.get("outputs", "")) for cell in book.cells)
    assert [text for text in shows if text not in shown] == []
    assert (foreign / lesson).read_bytes() == before


def test_a_lesson_for_an_older_cluster_runs_without_ansi_mode(foreign: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLASSROOM_ANSI", "off")
    result = run(foreign / OLDER, tmp_path / "home")
    assert result.passed, failures(result)
    book = nbformat.read(result.lessons[0].executed, 4)
    shown = "".join(str(cell.get("outputs", "")) for cell in book.cells)
    for text in ("arriving: 2 rows", "day%201.txt", "read_at", "by hand", "as it was: 2 rows"):
        assert text in shown


def test_parameters_reach_the_widgets(foreign: Path, tmp_path: Path) -> None:
    result = run(foreign / JOB, tmp_path / "home", parameters={"tag": "go on"})
    assert "not reached without a parameter" in failures(result)[0]


def test_an_exit_in_the_middle_ends_a_lesson_that_passes(foreign: Path, tmp_path: Path) -> None:
    result = run(foreign / JOB, tmp_path / "home")
    book = nbformat.read(result.lessons[0].executed, 4)
    assert result.passed
    assert "Notebook exited: {" in str(book.cells[-2].outputs)
    assert book.cells[-1].outputs == []


def test_a_failure_names_the_line_of_the_source_file(foreign: Path, tmp_path: Path) -> None:
    broken = foreign / "broken.py"
    broken.write_text("# Databricks notebook source\n\nx = 1\n\n# COMMAND ----------\n\n# fine\nprint(x)\nprint(y)\n")
    [failure] = run(broken, tmp_path / "home").lessons[0].failures
    assert (failure.line, failure.source, failure.place) == (9, "print(y)", "line 9")
    assert "NameError" in failure.message


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("script.py", b"print(1)", "it is a script: its first line is not '# Databricks notebook source'."),
        ("latin.sql", "-- Databricks notebook source\nSELECT 'é'".encode("latin-1"), "is not UTF-8"),
        ("broken.ipynb", b"{", "it is not in notebook format 4"),
        (
            "scala.ipynb",
            b'{"cells": [], "metadata": {"language_info": {"name": "scala"}}, "nbformat": 4}',
            "written in Scala",
        ),
    ],
)
def test_a_file_that_is_no_notebook_is_invalid(tmp_path: Path, name: str, text: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(text)
    [failure] = run(tmp_path / name, tmp_path / "home").lessons[0].failures
    assert failure.kind == "invalid" and says in failure.message


def test_the_command_runs_a_path_with_a_parameter_in_its_own_directory(foreign: Path, tmp_path: Path) -> None:
    asks = "# Databricks notebook source\ndbutils.widgets.text('n', '0')\nassert dbutils.widgets.get('n') == '5'\n"
    (foreign / "asks.py").write_text(asks + "assert open('beside.txt').read() == 'here'\n")
    (foreign / "beside.txt").write_text("here")
    command = [sys.executable, str(directories.PROJECT / "course.py"), "run", str(foreign / "asks.py"), "-p", "n=5"]
    environ = os.environ | {"CLASSROOM_HOME": str(tmp_path / "home")}
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cell with tag" not in done.stdout + done.stderr


def test_a_converted_lesson_runs_in_a_stock_kernel(foreign: Path, tmp_path: Path, monkeypatch) -> None:
    from nbclient import NotebookClient

    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    target = convert(foreign / ORDERS, extension="streaming_classroom")
    book = nbformat.read(target, 4)
    NotebookClient(book, timeout=240, resources={"metadata": {"path": str(target.parent)}}).execute()
    assert sum(len(cell.get("outputs", [])) for cell in book.cells) > 4
