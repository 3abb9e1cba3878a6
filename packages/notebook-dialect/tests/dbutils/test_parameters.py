from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import nbformat
import papermill
import pytest

from notebook_dialect.dbutils.notebook_runs import papermill_parameters
from streaming_base import front_end


def have_run(monkeypatch: pytest.MonkeyPatch, *cells: str) -> None:
    """Have an IPython with these cells in its history."""
    history = SimpleNamespace(input_hist_raw=["", *cells])
    monkeypatch.setattr(front_end, "ipython", lambda: SimpleNamespace(history_manager=history))


@pytest.mark.parametrize("more", ["print(a)", "b = a", "a.b = 1", "a, b = 1, 2", "a += 1", "import os", "a = (", "%fs"])
def test_a_learners_cell_with_the_same_first_line_is_no_parameters(monkeypatch: pytest.MonkeyPatch, more: str) -> None:
    have_run(monkeypatch, f"# Parameters\na = 1\n{more}")
    assert papermill_parameters() == {}


_LESSON = """
import json
from notebook_dialect.dbutils.widgets import Widgets
widgets = Widgets(dict)
widgets.text("rows", "10")
widgets.text("unset", "default")
widgets.dropdown("mode", "fast", ["fast", "slow"])
print(json.dumps(widgets.getAll() | {"got": widgets.get("no widget".replace(" ", "_"))}))
"""


@pytest.mark.slow
def test_papermill_sets_widgets_in_a_real_kernel(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(_LESSON)])
    notebook.metadata["kernelspec"] = {"name": "python3", "language": "python", "display_name": "python3"}
    nbformat.write(notebook, tmp_path / "in.ipynb")
    given = {"rows": 5, "mode": "slow", "no_widget": 'a "quoted"\ntext é', "ratio": float("nan"), "on": True}
    done = papermill.execute_notebook(
        tmp_path / "in.ipynb", tmp_path / "out.ipynb", parameters=given, progress_bar=False, execution_timeout=60
    )
    [output] = done.cells[-1].outputs  # a display of a widget would be a second one: nobody is there to see it
    assert json.loads(output.text) == {
        "rows": "5",
        "unset": "default",
        "mode": "slow",
        "no_widget": 'a "quoted"\ntext é',
        "got": 'a "quoted"\ntext é',
        "ratio": "nan",
        "on": "True",
    }
