"""The reference of a package: its public names, which Sphinx documents from their docstrings."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

# Modules of a package whose names are public as well, as its README says.
_MODULES = {
    "stream_view": ("stream_view.waiting", "stream_view.console"),
    "declarative_pipelines": (
        "declarative_pipelines.definitions.decorators",
        "declarative_pipelines.testing",
        "declarative_pipelines.updates.progress",
    ),
    # What `start_lesson` returns.
    "streaming_classroom": ("streaming_classroom.lesson.lesson", "streaming_classroom.data.data_factory"),
}


def module_of(package: Path) -> str:
    """Return the name of the module in a package's project."""
    return next(path.parent.name for path in sorted(package.glob("src/*/__init__.py")))


def api_page(module: str) -> str:
    """Return the reference of a package as reStructuredText."""
    intro = f"What ``import {module}`` gives. What is not listed here is internal, and may change."
    blocks = [_heading(f"Reference of {module}", "="), intro, *_within(module, module, public_names(module))]
    for name in _MODULES.get(module, ()):
        blocks += [_heading(name, "-"), *_within(module, name, _names_of(name, module))]
    return "\n\n".join([*blocks, ""])


def _within(package: str, module: str, names: list[str]) -> list[str]:
    """Return what documents names of a module; what docstrings refer to is looked for in the package."""
    directives = [_directive(f"{module}.{name}") for name in names]
    return [f".. py:module:: {module}", f".. currentmodule:: {package}", *directives]


def _names_of(module: str, package: str) -> list[str]:
    """Return the names of a module that its package does not give: those that it lists, else all that it defines."""
    loaded = import_module(module)
    if hasattr(loaded, "__all__"):
        return public_names(module)
    given = [_resolved(f"{package}.{name}") for name in public_names(package)]
    here = [(name, value) for name, value in vars(loaded).items() if not name.startswith("_") and value not in given]
    return [name for name, value in here if getattr(value, "__module__", "") == module and _kind(value) != "data"]


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def public_names(module: str) -> list[str]:
    """Return the names that a module lists as public, without its version."""
    return [name for name in sorted(import_module(module).__all__, key=str.lower) if not name.startswith("__")]


def _directive(name: str) -> str:
    """Return the directive that documents a name, by what it is."""
    kind = _kind(_resolved(name))
    options = ["   :members:"] if kind == "class" else []
    return "\n".join([f".. auto{kind}:: {name}", *options])


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"


def _resolved(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)
