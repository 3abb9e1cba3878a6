from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from notebook_dialect.kernel import short_errors
from streaming_base.errors import StreamNotFound, short_message

Run = Callable[[str], str]
Library = Callable[[str], str]


@pytest.fixture
def run(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run a cell in a real IPython shell with short errors; give what it printed, stderr and log lines as well."""
    shell = InteractiveShell.instance()
    shell.run_line_magic("colors", "nocolor")
    short_errors.install(shell)
    short_errors.install(shell)
    shell.user_ns.update(spark=spark, StreamNotFound=StreamNotFound)

    def run_cell(cell: str) -> str:
        capfd.readouterr()
        shell.run_cell(cell, store_history=True)
        return "".join(capfd.readouterr())

    yield run_cell
    InteractiveShell.clear_instance()


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """Write a module; give the line that imports it."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(source: str) -> str:
        (tmp_path / "broken_library.py").write_text(source)
        return "import broken_library"

    yield write
    sys.modules.pop("broken_library", None)


@pytest.mark.parametrize(
    ("message", "short"),
    [
        ("[A] It is wrong.;\n'Project ['x]\n+- Range (0, 3)\n", "[A] It is wrong."),
        ("[A] It is wrong.\n\nJVM stacktrace:\norg.apache.spark.X\n\tat org.apache.Y", "[A] It is wrong."),
        ("[A] It is wrong.\n\tat org.apache.spark.X.y(Z.scala:1)", "[A] It is wrong."),
        ("It broke.\n=== Streaming Query ===\nIdentifier: [id = 1]", "It broke."),
        ("[A] Two lines;\nboth of them. SQLSTATE: 1", "[A] Two lines;\nboth of them. SQLSTATE: 1"),
        ("[A] Near.\n\n== SQL ==\nSELEC 1\n^^^\n", "[A] Near.\n\n== SQL ==\nSELEC 1\n^^^"),
        ("[STREAM_FAILED] Query [id = 5-a, runId = 6-b] terminated with exception: [B] Bad.", "[B] Bad."),
        ('At File "/tmp/ipykernel_77/12.py", line 1', 'At File "this notebook", line 1'),
    ],
)
def test_a_message_ends_where_the_plumbing_begins(message: str, short: str) -> None:
    assert short_message(Exception(message)) == short


def test_a_cell_shows_its_own_line_and_the_message(run: Run) -> None:
    printed = run("x = 1\nspark.table('nowhere')")
    assert "line 2: spark.table('nowhere')" in printed
    assert "AnalysisException: [TABLE_OR_VIEW_NOT_FOUND]" in printed
    assert "pyspark/sql" not in printed and "UnresolvedRelation" not in printed
    assert len(printed.splitlines()) <= 8


def test_the_whole_traceback_is_not_lost(run: Run) -> None:
    run("spark.table('nowhere')")
    assert issubclass(sys.last_type, PySparkException)
    whole = run("%tb")
    assert "pyspark/sql/session.py" in whole and "nowhere" in whole


def test_an_error_of_the_learners_own_is_shown_as_ever(run: Run) -> None:
    assert "Traceback (most recent call last)" in run("1 / 0")


@pytest.mark.parametrize(
    "module",
    ["import no_such_module", "import os\nos.no_such_name", "from os import no_such_name", "print(no_such_name)"],
)
def test_an_error_in_a_library_keeps_its_traceback(run: Run, library: Library, module: str) -> None:
    printed = run(library(module))
    assert "broken_library.py" in printed and module.splitlines()[-1] in printed


def test_a_syntax_error_of_an_imported_module_keeps_its_frames(run: Run, library: Library) -> None:
    printed = run(f"x = 1\n{library('x = (')}")
    assert "import broken_library" in printed and "broken_library.py" in printed
    assert "line 1: x = (" not in printed


def test_an_error_of_sparks_that_an_interrupt_has_led_to_is_shown_as_the_interrupt(run: Run) -> None:
    cell = """
from pyspark.errors import PySparkException
try:
    raise KeyboardInterrupt
except KeyboardInterrupt:
    raise PySparkException("the connection was cut")"""
    assert run(cell).strip() == "Interrupted."
    assert "the connection was cut" in run(cell + " from None")


def test_a_reason_that_stands_first_is_shown_alone() -> None:
    text = "[CF_STATE_LOST] The log is gone.\n\n[STREAM_FAILED] Query [id = 1, runId = 2] terminated: Traceback ..."
    assert short_message(Exception(text)) == "[CF_STATE_LOST] The log is gone."
