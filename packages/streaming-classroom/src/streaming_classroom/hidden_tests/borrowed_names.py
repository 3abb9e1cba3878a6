"""What a cell in a sandbox is lent of the notebook's variables: modules, functions, and copies of plain values.

What could reach the learner's own data is not lent: frames, streams, the session, the lesson.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import inspect
import types
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, datetime.date, datetime.timedelta, decimal.Decimal,
)  # fmt: skip
_CONTAINERS = (list, tuple, set, frozenset, dict)
_OF_THE_SHELL = {
    "In",
    "Out",
    "exit",
    "quit",
    "open",
    "get_ipython",
    "spark",
    "sc",
    "DA",
    "display",
    "displayHTML",
    "sql",
}


def lend(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a new namespace with what may be lent of a notebook's variables.

    A function of the notebook is made again from its source, so that the names it uses are those of the sandbox.
    """
    lent: dict[str, Any] = {}
    for name, value in list(notebook.items()):
        if name.startswith("_") or name in _OF_THE_SHELL:
            continue
        if _is_of_notebook(value):
            _define_again(value, lent)
        elif _is_library(value) or _is_plain(value):
            with suppress(Exception):  # a value that cannot be copied is not lent
                lent[name] = value if _is_library(value) else copy.deepcopy(value)
    return lent


def _is_library(value: Any) -> bool:
    of_library = callable(value) and getattr(value, "__module__", None) not in ("__main__", None)
    return isinstance(value, types.ModuleType) or (of_library and isinstance(value, (type, types.FunctionType)))


def _is_of_notebook(value: Any) -> bool:
    return isinstance(value, (type, types.FunctionType)) and getattr(value, "__module__", None) == "__main__"


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, [*value.keys(), *value.values()]))
    if isinstance(value, _CONTAINERS):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN) or type(value).__module__ == "pyspark.sql.types"


def _define_again(value: Any, lent: dict[str, Any]) -> None:
    with suppress(Exception):  # without a source, or with a decorator that does something: it is not lent
        source = inspect.getsource(value)
        if not source.startswith("@"):
            exec(compile(source, "<notebook>", "exec"), lent)  # the learner's own function
