"""The source and the error of the last cell of an exercise, and copies of the notebook's variables for another run.

A cell belongs to the exercise in its line ``DA.exercise("05.2")``, even if the cell could not be run. A cell in SQL has
no such line: it is recognized by the names of what it creates.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import inspect
import re
import types
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from streaming_base import front_end
from streaming_classroom.exercises.exercise import Exercise

_SQL = re.compile(r"\s*(?:--[^\n]*\n|#[^\n]*\n|\s)*%sql\b")
_BEGINS = re.compile(r"""\bDA\.exercise\(\s*["']([^"']+)["']""")
_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, datetime.date, datetime.timedelta, decimal.Decimal,
)  # fmt: skip
_CONTAINERS = (list, tuple, set, frozenset, dict)
_SHELL_NAMES = {
    "In", "Out", "exit", "quit", "open", "get_ipython", "spark", "sc", "DA", "display", "displayHTML", "sql",
}  # fmt: skip


def source_of(exercise: Exercise) -> str | None:
    """Return the source of the last cell that was run for an exercise; None if there is no history of cells.

    A cell in Python has a line ``DA.exercise("01.2")``, or else assigns or creates what the exercise asks for; a cell
    in SQL creates it.
    """
    history = getattr(front_end.ipython(), "history_manager", None)
    cells = reversed(history.input_hist_raw) if history is not None else ()
    return next((cell for cell in cells if _belongs_to(cell, exercise)), None)


def is_sql(source: str) -> bool:
    """Whether a cell is in SQL."""
    return _SQL.match(source) is not None


def statements_of(source: str) -> str:
    """Return the statements of a cell in SQL, without its magic."""
    return _SQL.sub("", source, count=1)


def _belongs_to(cell: str, exercise: Exercise) -> bool:
    if begun := begun_in(cell):
        return begun.lower() == exercise.id.lower()
    if "DA.exercise(" in exercise.starter or "DA.check(" in cell:
        return False
    return any(_makes(cell, name) for name in exercise.makes.names)


def _makes(cell: str, name: str) -> bool:
    if is_sql(cell):
        cell = re.sub(r"\bDROP\s+\w+\s+(IF\s+EXISTS\s+)?`?\w+`?", "", cell, flags=re.IGNORECASE)
        made = rf"\b(?:VIEW|TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?`?{name}\b"
        return "CREATE" in cell.upper() and re.search(made, cell, re.IGNORECASE) is not None
    return re.search(rf"^{name}\s*=|View\(\s*[\"']{name}[\"']", cell, re.MULTILINE) is not None


_error: BaseException | None = None
_begun = ""
_source = ""


def watch() -> None:
    """Register the callback that records the error of each cell; ignored outside a notebook and when repeated."""
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _record not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", _record)


def error(exercise: str, made: Collection[str] = ()) -> BaseException | None:
    """Return the error of the last cell; None if it has none, or belongs to another exercise.

    ``exercise``: the exercise's id. A cell belongs to the exercise that was begun last, in this cell or in an earlier
    one; ``made``: names of what the exercise makes. A cell with one of them that begins no exercise belongs to this
    one.
    """
    is_begun = _begun.lower() == exercise.lower()
    return _error if is_begun or (not begun_in(_source) and _names(made)) else None


def begun_in(cell: str) -> str:
    """Return the exercise that a cell begins, the last one of several; an empty text if it begins none."""
    return found[-1] if (found := _BEGINS.findall(cell)) else ""


def _names(made: Collection[str]) -> bool:
    return bool(set(re.findall(r"\w+", _source.lower())) & {name.lower() for name in made})


def _record(result: Any) -> None:
    global _error, _begun, _source
    _error = result.error_before_exec or result.error_in_exec
    _source = getattr(getattr(result, "info", None), "raw_cell", None) or ""
    _begun = begun_in(_source) or _begun


def copy_variables(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a new namespace with copies of a notebook's variables that give no access to the learner's data.

    A function of the notebook is defined again from its source, so that it uses the names of the sandbox.
    """
    lent: dict[str, Any] = {}
    for name, value in list(notebook.items()):
        if name.startswith("_") or name in _SHELL_NAMES:
            continue
        if isinstance(value, (type, types.FunctionType)) and getattr(value, "__module__", None) == "__main__":
            with suppress(Exception):  # without a source, or with a decorator, which may have side effects: left out
                source = inspect.getsource(value)
                if not source.startswith("@"):
                    exec(compile(source, "<notebook>", "exec"), lent)  # the learner's own function
        elif _is_library(value) or _is_plain(value):
            with suppress(Exception):  # a value that cannot be copied is left out
                lent[name] = value if _is_library(value) else copy.deepcopy(value)
    return lent


def _is_library(value: Any) -> bool:
    of_library = callable(value) and getattr(value, "__module__", None) not in ("__main__", None)
    return isinstance(value, types.ModuleType) or (of_library and isinstance(value, (type, types.FunctionType)))


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, [*value.keys(), *value.values()]))
    if isinstance(value, _CONTAINERS):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN) or type(value).__module__ == "pyspark.sql.types"
