"""A kernel gets the dialect by one line, and is as before after another; a program has it from the shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.slow

STATE = """
from IPython import get_ipython
from streaming_base import hooks
shell = get_ipython()
entries = lambda found: sorted(f"{type(one).__module__}.{getattr(one, '__qualname__', type(one).__name__)}" for one in found)
state = (
    [sorted(magics) for magics in shell.magics_manager.magics.values()],
    shell.magics_manager.magics["line"]["run"].__qualname__,
    {event: entries(found) for event, found in shell.events.callbacks.items()},
    len(shell.input_transformer_manager.cleanup_transforms),
    [hook.name for hook in hooks.table() if hook.by == "notebook_dialect"],
    shell.custom_exceptions,
    "dbutils" in globals(), "sql" in globals(),
    [str(kind) for kind in shell.display_formatter.formatters["text/plain"].type_printers if "DataStreamWriter" in str(kind)],
    [name for _, name in shell.display_formatter.formatters["text/plain"].deferred_printers if name == "DataStreamWriter"],
)
"""


def test_a_kernel_is_as_before_once_the_extension_is_unloaded(open_notebook) -> None:
    notebook = open_notebook()
    notebook.ok(f"{STATE}before = state")
    notebook.ok("%load_ext notebook_dialect")
    assert "7" in notebook.ok("%sql SELECT 3 + 4 AS sum").text
    assert notebook.value("dbutils.widgets.getAll()") == {}

    notebook.ok("%unload_ext notebook_dialect")

    notebook.ok(STATE)
    assert notebook.value("state == before"), notebook.value("(before, state)")
    assert notebook.value("spark.sql('SELECT 1 AS one').first().one") == 1
    notebook.ok("%load_ext notebook_dialect")
    assert notebook.value("sql('SELECT 2 AS two').first().two") == 2
    notebook.close()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "Sum.py"
    path.write_text(
        "# Databricks notebook source\n"
        'dbutils.widgets.text("to", "3")\n'
        "# COMMAND ----------\n"
        "# MAGIC %sql CREATE OR REPLACE TEMP VIEW numbers AS SELECT * FROM range(1, 100)\n"
        "# COMMAND ----------\n"
        'total = spark.table("numbers").where(f"id <= {dbutils.widgets.get(\'to\')}").groupBy().sum("id").first()[0]\n'
        "dbutils.notebook.exit(str(total))\n"
    )
    return path


def shell(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "notebook_dialect", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_a_notebook_runs_from_the_shell_with_parameters(source: Path, tmp_path: Path) -> None:
    done = shell("run", str(source), "-p", "to=10", folder=tmp_path)

    assert (done.stdout.splitlines()[-1:], done.returncode) == (["55"], 0), done.stderr


def test_a_notebook_is_converted_from_the_shell(source: Path, tmp_path: Path) -> None:
    done = shell("convert", str(source), folder=tmp_path)

    assert done.returncode == 0, done.stderr
    cells = nbformat.read(tmp_path / "Sum.ipynb", as_version=4).cells
    assert cells[0].source.endswith("%load_ext notebook_dialect")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nowhere.py"), "There is no notebook nowhere.py."),
        (("run", "Sum.py", "-p", "to"), "'to' is not NAME=VALUE."),
        (("convert", "nowhere.py"), "nowhere.py"),
    ],
)
def test_a_mistake_is_one_sentence(source: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = shell(*arguments, folder=tmp_path)

    assert done.returncode != 0
    assert said in done.stderr and "Traceback" not in done.stderr
