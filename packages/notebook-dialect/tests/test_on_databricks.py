"""On Databricks the platform's own names, magics and functions stay as they are."""

from __future__ import annotations

import pytest

PLATFORM = """
import builtins, io, os, sys
from pyspark.sql import DataFrame
from pyspark.sql.streaming import DataStreamWriter

class Platforms:
    pass

names = ("spark", "display", "displayHTML", "dbutils", "sql", "table", "sc", "getArgument")
theirs = {name: Platforms() for name in names}
globals().update(theirs)
shell = get_ipython()
shell.register_magic_function(lambda line, cell="": print("the platform's"), "line_cell", "sql")
shell.register_magic_function(lambda line: print("the platform's run"), "line", "run")

def state():
    line, cell = (shell.magics_manager.magics[kind] for kind in ("line", "cell"))
    return (
        list(shell.input_transformer_manager.cleanup_transforms),
        sorted(line), sorted(cell), line["run"], line["sql"], cell["sql"],
        builtins.open, io.open, os.stat, os.listdir, os.rename,
        DataFrame.__dict__.get("display"), DataStreamWriter.__dict__.get("table"),
        DataStreamWriter.start, DataStreamWriter.format,
        shell.custom_exceptions, sys.displayhook,
    )

before = state()
"""


@pytest.fixture(scope="module")
def workspace(open_notebook):
    """Have a notebook in what looks like a Databricks runtime, with the platform's own objects."""
    notebook = open_notebook(DATABRICKS_RUNTIME_VERSION="17.3")
    notebook.ok(PLATFORM)
    yield notebook
    notebook.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    ["from streaming_classroom import set_up_notebook\nset_up_notebook(globals())", "%load_ext streaming_classroom"],
)
def test_nothing_is_installed_over_what_the_platform_provides(workspace, cell: str) -> None:
    workspace.ok(cell)
    assert workspace.value("[name for name in names if globals()[name] is not theirs[name]]") == []
    assert workspace.value("state() == before") is True
    # Of the dialect, only what knows where the platform has its files.
    loaded = workspace.value("sorted(name for name in sys.modules if name.startswith('notebook_dialect'))")
    assert loaded == ["notebook_dialect", "notebook_dialect.files", "notebook_dialect.filesystem"]


def test_the_waiting_helpers_are_there(workspace) -> None:
    workspace.ok("%load_ext streaming_classroom")
    assert workspace.value("(callable(untilStreamIsReady), callable(stopAllStreams))") == (True, True)
