"""What a kernel of the course knows before set-up (kernel_start.py)."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from streaming_classroom import kernel_start
from streaming_classroom.files import directories

NEEDS_SET_UP = "run the set-up cells first"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    """Return a shell as a kernel has it at its start, in a notebook of somebody's own."""
    monkeypatch.setenv("JPY_SESSION_NAME", "/elsewhere/mine.ipynb")
    shell = InteractiveShell()
    kernel_start.load_ipython_extension(shell)
    return shell


def shown(shell: InteractiveShell, cell: str) -> str:
    with capture_output() as captured:
        shell.run_cell(cell)
    return captured.stdout + captured.stderr


@pytest.mark.parametrize(
    "cell",
    [
        "%sql\nSELECT 1",
        "%sql SELECT 1",
        "%md\n# A title",
        "%fs ls /",
        "DA.data_factory.load()",
        "x = spark.range(1)",
        "dbutils.fs.ls('/')",
        "stopAllStreams()",
    ],
)
def test_a_cell_that_needs_the_lesson_says_that_set_up_comes_first(shell: InteractiveShell, cell: str) -> None:
    text = shown(shell, cell)
    assert NEEDS_SET_UP in text and "SyntaxError" not in text and "Traceback" not in text


def test_in_a_lesson_any_name_that_is_missing_says_so(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSROOM_WORK", "/elsewhere/work")
    assert NEEDS_SET_UP not in shown(shell, "bronze.count()")
    for folder in (directories.PROJECT, directories.work()):
        monkeypatch.setenv("JPY_SESSION_NAME", str(folder / "notebooks" / "01-Lesson.ipynb"))
        assert NEEDS_SET_UP in shown(shell, "bronze.count()")


def test_an_error_that_explains_itself_is_its_sentence_alone(shell: InteractiveShell) -> None:
    cell = "from streaming_classroom.errors import LessonBusy\nraise LessonBusy('05', 'dbfs:/05')"
    [line] = shown(shell, cell).strip().splitlines()
    assert line.startswith("LessonBusy: Lesson 05 is already running in another kernel")
