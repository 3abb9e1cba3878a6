"""What a sandbox is lent of a notebook's variables (sandbox.py)."""

from __future__ import annotations

import datetime
import linecache
import math
from types import SimpleNamespace
from typing import Any

from streaming_classroom.exercises import sandbox


def notebook(source: str, **variables: Any) -> dict[str, Any]:
    """Run a cell as a kernel does, which keeps its text for whoever asks for a function's source."""
    file = f"<ipython-input-{abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {"__name__": "__main__", **variables}
    exec(compile(source, file, "exec"), namespace)
    return namespace


def test_modules_functions_of_libraries_and_plain_values_are_lent() -> None:
    given = {"math": math, "sqrt": math.hypot, "limits": {"a": [1, 2.5, None]}, "day": datetime.date(2024, 3, 5)}
    lent = sandbox.copy_variables(given)
    assert lent["math"] is math and lent["day"] == given["day"] and lent["limits"] == given["limits"]


def test_a_value_that_a_cell_changes_is_a_copy() -> None:
    seen: list[int] = []
    sandbox.copy_variables({"seen": seen})["seen"].append(1)
    assert seen == []


def test_what_could_reach_the_learners_data_is_not_lent() -> None:
    frame = SimpleNamespace()
    given = {"frame": frame, "frames": [frame], "spark": 1, "DA": 2, "display": 3, "_hidden": 4}
    assert sandbox.copy_variables(given) == {}


def test_a_function_of_the_notebook_uses_the_names_of_the_sandbox() -> None:
    cells = notebook("table = 'mine'\n\n\ndef read():\n    return spark + table\n", spark="outer ")
    lent = sandbox.copy_variables(cells)
    lent["spark"] = "inner "
    assert cells["read"]() == "outer mine" and lent["read"]() == "inner mine"


def test_a_function_with_a_decorator_is_not_run_again() -> None:
    calls: list[str] = []
    cells = notebook("@note\ndef read():\n    return 1\n", note=lambda function: calls.append("made") or function)
    lent = sandbox.copy_variables(cells)
    assert "read" not in lent and calls == ["made"]
