"""Programs that run a notebook without Jupyter's server start the course's kernel without a line of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbformat.v4 import new_code_cell, new_notebook, new_output

# Of what a program writes, lines of the course's own; ipykernel and pyzmq have lines of theirs, at the end as well.
OURS = re.compile(r"streaming_classroom|notebook_dialect|IPython extension|JPY_SESSION_NAME")
EXTENSION = "streaming_classroom.kernel_start"
CELL = f"print({EXTENSION!r} in get_ipython().extension_manager.loaded)"


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a notebook among the learner's lessons, whose kernel nobody tells its name."""
    monkeypatch.setenv("CLASSROOM_WORK", str(tmp_path))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    cell = new_code_cell(CELL, execution_count=1)
    cell.outputs = [new_output("stream", name="stdout", text="True\n")]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new_notebook(cells=[cell], metadata=metadata), tmp_path / "01-Lesson.ipynb")
    return tmp_path / "01-Lesson.ipynb"


def run_module(lesson: Path, *arguments: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=lesson.parent, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("papermill", "--no-progress-bar", "--log-level", "ERROR", "01-Lesson.ipynb", "executed.ipynb"),
        (
            "nbconvert",
            "--log-level",
            "ERROR",
            "--to",
            "notebook",
            "--execute",
            "--output",
            "executed",
            "01-Lesson.ipynb",
        ),
    ],
    ids=["papermill", "nbconvert"],
)
def test_papermill_and_nbconvert_show_what_the_cells_print_alone(lesson: Path, arguments: tuple[str, ...]) -> None:
    stdout, stderr = run_module(lesson, *arguments)
    assert stdout == "" and not OURS.search(stderr), stderr
    [output] = nbformat.read(lesson.with_name("executed.ipynb"), 4).cells[0].outputs
    assert output.text == "True\n"


def test_nbval_finds_the_saved_output_alone(lesson: Path) -> None:
    stdout, stderr = run_module(lesson, "pytest", "--nbval", "-q", "-p", "no:cacheprovider", lesson.name)
    assert "1 passed" in stdout and not OURS.search(stdout + stderr), stdout + stderr


def test_a_kernel_of_vs_code_writes_nothing(lesson: Path) -> None:
    with (lesson.parent / "kernel.log").open("w+", encoding="utf-8") as log:
        manager, client = start_new_kernel(startup_timeout=120, cwd=str(lesson.parent), stdout=log, stderr=log)
        try:
            outputs: list[str] = []
            cell = f"__vsc_ipynb_file__ = {str(lesson)!r}\n{CELL}"
            client.execute_interactive(
                cell, timeout=120, output_hook=lambda message: outputs.append(message["content"].get("text", ""))
            )
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
        log.seek(0)
        assert "".join(outputs) == "True\n" and not OURS.search(written := log.read()), written
