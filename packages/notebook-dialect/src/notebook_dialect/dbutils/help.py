"""``help()`` of each utility: what is in it, from the docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from notebook_dialect.dbutils.execution_errors import UnknownMethod


def describe(utility: object, method: str | None = None) -> None:
    """Print the parts and methods of a utility with one sentence each, or all about one method.

    Raises
    ------
    UnknownMethod
        The utility has no method of that name.
    """
    print(_about(utility, method) if method else _about_all(utility))


def _about_all(utility: object) -> str:
    parts = {name: _sentence(type(part)) for name, part in _parts(utility).items()}
    methods = {_signature(name, call): _sentence(call) for name, call in _methods(utility).items()}
    lines = [f"  {written} -> {sentence}" for written, sentence in (parts | methods).items()]
    return "\n".join([_sentence(type(utility)), "", *lines])


def _about(utility: object, name: str) -> str:
    methods = _methods(utility)
    if name not in methods:
        raise UnknownMethod(name, tuple(methods))
    return f"{_signature(name, methods[name])}\n\n{inspect.getdoc(methods[name]) or ''}".rstrip()


def _parts(utility: object) -> dict[str, object]:
    """Return the utilities that this one is made of, as ``dbutils`` is of ``fs`` and ``widgets``."""
    attributes = getattr(utility, "__dict__", {})
    return {name: part for name, part in attributes.items() if not name.startswith("_") and hasattr(part, "help")}


def _methods(utility: object) -> dict[str, Callable]:
    """Return the public methods in the order in which they are written."""
    written = vars(type(utility)).items()
    return {name: getattr(utility, name) for name, it in written if inspect.isfunction(it) and name[0] != "_"}


def _signature(name: str, call: Callable) -> str:
    """Return the call as a learner writes it, without Python's notes on types."""
    parameters = inspect.signature(call).parameters.values()
    return f"{name}({', '.join(str(p.replace(annotation=p.empty)) for p in parameters)})"


def _sentence(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]
