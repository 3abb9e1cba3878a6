"""The commands of docs/ci.md for nbval and papermill run as they are written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

PAGE = Path(__file__).parents[1] / "docs" / "ci.md"
LESSON = "01-Understanding-Incremental-Data.ipynb"  # which the page's command names

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the page's commands are for a Unix shell"),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a checkout with one small lesson and this environment."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return tmp_path


def run_page(checkout: Path, saved: str) -> subprocess.CompletedProcess[str]:
    """Run the page's commands on a lesson that prints 2 and has another saved output."""
    cell = new_code_cell("print(1 + 1)", execution_count=1, metadata={"tags": ["nbval-check-output"]})
    cell.outputs = [new_output("stream", name="stdout", text=saved)]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new_notebook(cells=[cell], metadata=metadata), checkout / "notebooks" / LESSON)
    blocks = re.findall(r"^```\w*\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    [block] = [block for block in blocks if "papermill" in block]
    return subprocess.run(["sh", "-e", "-c", block], cwd=checkout, capture_output=True, text=True, timeout=300)


def test_nbval_and_papermill_run_a_lesson(checkout: Path) -> None:
    done = run_page(checkout, saved="2\n")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert nbformat.read(checkout / "executed.ipynb", 4).cells[0].outputs[0].text == "2\n"


def test_nbval_rejects_a_saved_output_that_differs(checkout: Path) -> None:
    done = run_page(checkout, saved="3\n")

    assert done.returncode == 1
    assert "1 failed" in done.stdout
