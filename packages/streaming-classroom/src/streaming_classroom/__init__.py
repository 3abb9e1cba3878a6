"""The helpers of the course: session, lesson, data factory, display.

A lesson needs :func:`get_spark` and :func:`start_lesson`; an include calls :func:`set_up_notebook` first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see
    from stream_view import display as display
    from stream_view import displayHTML as displayHTML
    from stream_view import observed_metrics as observed_metrics
    from stream_view import rows_per_batch as rows_per_batch
    from stream_view import rows_read as rows_read
    from stream_view import timeline as timeline
    from streaming_classroom.errors import ClassroomError as ClassroomError
    from streaming_classroom.kafka.servers import bootstrap_servers as bootstrap_servers
    from streaming_classroom.lesson.crash_points import CRASH_POINTS as CRASH_POINTS
    from streaming_classroom.lesson.crash_points import kill_at as kill_at
    from streaming_classroom.lesson.lesson import start_lesson as start_lesson
    from streaming_classroom.notebook_setup import cleanup as cleanup
    from streaming_classroom.notebook_setup import set_up_notebook as set_up_notebook
    from streaming_classroom.notebook_setup import set_up_user as set_up_user
    from streaming_classroom.session.spark_session import get_spark as get_spark

_HOMES = {
    "ClassroomError": "streaming_classroom.errors",
    "bootstrap_servers": "streaming_classroom.kafka.servers",
    "cleanup": "streaming_classroom.notebook_setup",
    "display": "stream_view",
    "displayHTML": "stream_view",
    "CRASH_POINTS": "streaming_classroom.lesson.crash_points",
    "get_spark": "streaming_classroom.session.spark_session",
    "kill_at": "streaming_classroom.lesson.crash_points",
    "observed_metrics": "stream_view",
    "rows_per_batch": "stream_view",
    "rows_read": "stream_view",
    "set_up_notebook": "streaming_classroom.notebook_setup",
    "set_up_user": "streaming_classroom.notebook_setup",
    "start_lesson": "streaming_classroom.lesson.lesson",
    "timeline": "stream_view",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: `course.py` must not wait for PySpark to say its usage."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def load_ipython_extension(shell: Any) -> None:
    """Do what a set-up include does, for a notebook without one: ``%load_ext streaming_classroom``."""
    from streaming_classroom.notebook_setup import set_up_notebook  # as above

    set_up_notebook(shell.user_ns, guest=True)
