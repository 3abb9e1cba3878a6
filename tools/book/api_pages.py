"""The reference of a package: its public names, which Sphinx documents from their docstrings."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

# Modules of a package whose names are public as well, as its README says.
_MODULES = {
    "streaming_base": ("streaming_base.hooks", "streaming_base.waiting"),
    "stream_view": ("stream_view.console",),
    "declarative_pipelines": (
        "declarative_pipelines.definitions.decorators",
        "declarative_pipelines.testing",
        "declarative_pipelines.updates.results",
    ),
    "streaming_classroom": ("streaming_classroom.lesson.lesson", "streaming_classroom.data.data_factory"),
}


def module_of(package: Path) -> str:
    """Return the name of the module in a package's project."""
    return next(path.parent.name for path in sorted(package.glob("src/*/__init__.py")))


def public_names(module: str) -> list[str]:
    """Return the names that a module lists as public, without its version."""
    return [name for name in sorted(import_module(module).__all__, key=str.lower) if not name.startswith("__")]


def api_page(module: str) -> str:
    """Return the reference of a package as reStructuredText."""
    package = import_module(module)
    own = {name: getattr(package, name) for name in public_names(module)}
    intro = f"What ``import {module}`` gives. What is not listed here is internal, and may change."
    parts = [f"Reference of {module}\n{'=' * len(f'Reference of {module}')}", intro, *_document(module, module, own)]
    for name in _MODULES.get(module, ()):
        parts += [f"{name}\n{'-' * len(name)}", *_document(module, name, _names_of(name, list(own.values())))]
    return "\n\n".join([*parts, ""])


def _names_of(module: str, documented: list[Any]) -> dict[str, Any]:
    """Return the names that a module lists or else defines, without documented ones."""
    loaded = import_module(module)
    if hasattr(loaded, "__all__"):
        return {name: getattr(loaded, name) for name in public_names(module)}
    here = {name: value for name, value in vars(loaded).items() if getattr(value, "__module__", "") == module}
    return {
        name: value for name, value in here.items() if name[0] != "_" and callable(value) and value not in documented
    }


def _document(package: str, module: str, names: dict[str, Any]) -> list[str]:
    """Return the directives that document names of a module; Sphinx resolves references within the package."""
    directives = []
    for name, value in names.items():
        kind = "function" if callable(value) else "data"
        if inspect.isclass(value):
            kind = "exception" if issubclass(value, BaseException) else "class"
        members = "\n   :members:" if kind == "class" else ""
        directives.append(f".. auto{kind}:: {module}.{name}{members}")
    return [f".. py:module:: {module}", f".. currentmodule:: {package}", *directives]
