"""The helpers of the course: session, lesson, data factory, display.

A lesson needs :func:`get_spark` and :func:`start_lesson`; an include calls :func:`set_up_notebook` first.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "ClassroomError": "errors",
    "bootstrap_servers": "kafka",
    "cleanup": "lesson",
    "display": "views",
    "displayHTML": "views",
    "get_spark": "session",
    "set_up_notebook": "notebook",
    "set_up_user": "notebook",
    "start_lesson": "lesson",
    "timeline": "live.timeline",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: `course.py` must not wait for PySpark to say its usage."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def load_ipython_extension(shell: Any) -> None:
    """Do what a set-up include does, for a notebook without one: ``%load_ext streaming_classroom``."""
    from streaming_classroom.notebook import set_up_notebook

    set_up_notebook(shell.user_ns)
