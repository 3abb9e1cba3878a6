"""What docs/ci.md tells others to run, run as it is written; and a strict run of notebooks that break rules."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_notebook, new_output

from streaming_classroom import cli

PROJECT = Path(__file__).parents[1]
PAGE = (PROJECT / "docs" / "ci.md").read_text(encoding="utf-8")
LEAKED = PROJECT / "packages/streaming-classroom/tests/runner/notebooks/leaked-stream.ipynb"

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="the page's commands are for a Unix shell"),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a checkout with one small lesson, under the name that the page uses, and this environment."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    cell = new_code_cell("print(1 + 1)", execution_count=1, metadata={"tags": ["nbval-check-output"]})
    cell.outputs = [new_output("stream", name="stdout", text="2\n")]
    write(tmp_path / "notebooks" / "01-Understanding-Incremental-Data.ipynb", cell)
    return tmp_path


def write(path: Path, *cells: nbformat.NotebookNode) -> Path:
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new_notebook(cells=list(cells), metadata=metadata), path)
    return path


def usual_tools() -> str:
    """Return the page's block with nbval and papermill."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    [block] = [block for block in blocks if "papermill" in block]
    return block


def run(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-e", "-c", block]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=180)


def test_nbval_and_papermill_run_as_the_page_says(checkout: Path) -> None:
    assert "--nbval-lax" in usual_tools()
    done = run(usual_tools(), checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert nbformat.read(checkout / "executed.ipynb", 4).cells[0].outputs[0].text == "2\n"


def test_the_workflow_for_others_runs_a_command_that_exists() -> None:
    [block] = [block for block in PAGE.split("```")[1::2] if block.startswith("yaml\n")]
    *_others, last = yaml.safe_load(block.removeprefix("yaml\n"))["steps"]
    program, course, *words = shlex.split(last["run"])
    assert (program, course) == ("python", "course/course.py")
    options = cli.parse(words)
    assert options.strict and options.github and options.junit and options.lessons == ["notebooks"]


def test_papermill_counts_a_failure_that_is_meant_and_nbval_does_not(checkout: Path) -> None:
    lesson = checkout / "notebooks" / "01-Understanding-Incremental-Data.ipynb"
    write(lesson, new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]}))
    cd, nbval, papermill = usual_tools().splitlines()
    assert run(f"{cd}\n{nbval}", checkout).returncode == 0
    assert run(f"{cd}\n{papermill}", checkout).returncode == 1


def test_a_strict_run_names_every_problem_with_its_file_cell_and_rule(tmp_path: Path) -> None:
    """Somebody else's repository: one notebook is sound, one leaves a stream and sleeps, and both are as they were."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    sound = write(theirs / "sound.ipynb", new_code_cell("print(1 + 1)"))
    shutil.copy(LEAKED, theirs / "leaking.ipynb")
    leaking = nbformat.read(theirs / "leaking.ipynb", 4)
    leaking.cells.append(new_code_cell("import time\nif False:\n    time.sleep(60)"))
    nbformat.write(leaking, theirs / "leaking.ipynb")
    before = {path: path.read_bytes() for path in theirs.iterdir()}
    environ = os.environ | {"CLASSROOM_HOME": str(tmp_path / "home"), "GITHUB_WORKSPACE": str(tmp_path)}
    environ |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "PYTHONUTF8": "1"}
    options = ["--strict", "--github", "--junit", "results.xml", "theirs"]
    command = [sys.executable, "-m", "streaming_classroom", "run", *options]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    annotations = [line.partition("::error ")[2] for line in done.stdout.splitlines() if line.startswith("::error ")]
    properties = [dict(pair.split("=", 1) for pair in line.partition("::")[0].split(",")) for line in annotations]
    assert [each["title"] for each in properties] == ["leaking%3A sleeps", "leaking%3A stream left active"]
    assert {each["file"] for each in properties} == {"theirs/leaking.ipynb"}
    lines = (theirs / "leaking.ipynb").read_text(encoding="utf-8").splitlines()
    assert [lines[int(each["line"]) - 1].strip() for each in properties] == [
        '"    time.sleep(60)"',
        '"    .queryName(\\"left_behind\\")\\n",',
    ]
    assert "leaking.ipynb, cell 5, line 3: sleeps: wait for the stream" in done.stdout
    assert "| leaking | **failed** | 4/4 |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    cases = ElementTree.parse(tmp_path / "results.xml").getroot().iter("testcase")
    assert {case.get("name"): [child.get("type") for child in case] for case in cases} == {
        "leaking": ["sleeps, stream left active"],
        sound.stem: [],
    }
    assert {path: path.read_bytes() for path in theirs.iterdir()} == before
