"""The includes: a few lines each, no logic, and what a stock kernel has after running one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

from streaming_classroom.files import directories

INCLUDES = sorted((directories.PROJECT / "Includes").glob("*.py")) + sorted(
    (directories.PROJECT / "Includes" / "Common-Notebooks").glob("*.py")
)


@pytest.mark.slow
def test_the_includes_work_in_a_stock_kernel_by_the_names_that_older_notebooks_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    outputs = _outputs(
        "%run ./Includes/4.1-setup",
        "print(DA.lesson, spark.table('bronze').count())",
        "%run ./Includes/Classroom-Setup",
        "print(username, userhome, workingDir, DA.paths.exists(workingDir))",
        "%run ./Includes/Common-Notebooks/Utility-Methods",
        "print(untilStreamIsReady.__name__, stopAllStreams.__name__)",
        "%run ./Includes/Classroom-Cleanup",
        "print(DA.paths.exists(DA.paths.working_dir))",
    )
    home = "dbfs:/user/learner"
    assert outputs == [
        "Landed 2025-06-01.json in bronze: 1,152 rows; 29 batches left.\n",
        "4.1 1152\n",
        "",
        f"learner {home} {home}/streaming-classroom/working_dir True\n",
        "",
        "untilStreamIsReady stopAllStreams\n",
        "Lesson 4.1 is cleaned up.\nRemoved dbfs:/user/learner/streaming-classroom/working_dir.\n",
        "False\n",
    ]


@pytest.mark.slow
def test_with_a_person_an_include_shows_one_line_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    messages: list[dict[str, Any]] = []
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(directories.PROJECT))
    try:
        start = 'DA = start_lesson("01", dataset="device-readings/readings", into_table="bronze")'
        for cell in ("%run ./Includes/Classroom-Setup", start, "%run ./Includes/Common-Notebooks/Utility-Methods"):
            client.execute_interactive(cell, allow_stdin=True, timeout=120, output_hook=messages.append)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    shown = [message for message in messages if message["msg_type"] not in ("status", "execute_input")]
    assert {message["msg_type"] for message in shown} == {"display_data", "update_display_data"}
    outputs = [message["content"]["transient"]["display_id"] for message in shown]
    assert len(set(outputs)) == 3  # one for each cell, which changes
    last = {output: message["content"]["data"] for output, message in zip(outputs, shown, strict=True)}
    ready = [re.sub(r"\d+ s", "n s", data["text/plain"]) for data in last.values()]
    assert ready == [
        "Spark is ready (n s).",
        "Lesson 01 is ready (n s). Nothing has landed yet.",
        "Spark is ready (n s).",
    ]


def test_the_includes_find_the_packages_beside_them_where_nothing_is_installed(tmp_path: Path) -> None:
    """As in a Git folder of Databricks, where the notebook's folder is the current one."""
    (tmp_path / "notebooks").mkdir()
    for name in ("Includes", "packages"):
        (tmp_path / name).symlink_to(directories.PROJECT / name, target_is_directory=True)
    for include in INCLUDES:
        head = include.read_text(encoding="utf-8").partition("from streaming_classroom")[0]
        code = f"{head}\nimport importlib.util as util\nprint(util.find_spec('streaming_classroom').origin)"
        command = [sys.executable, "-S", "-c", code]
        done = subprocess.run(command, cwd=tmp_path / "notebooks", capture_output=True, text=True, timeout=120)
        assert "packages/streaming-classroom/src/streaming_classroom/__init__.py" in done.stdout, done.stderr


def _outputs(*cells: str) -> list[str]:
    """Run the cells in a fresh kernel, in a folder beside the includes; return what each printed."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    resources = {"metadata": {"path": str(directories.PROJECT)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]
