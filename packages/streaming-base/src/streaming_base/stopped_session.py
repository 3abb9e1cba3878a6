"""Whether a session was stopped, and the error that says so."""

from __future__ import annotations

import traceback
from pathlib import PurePath
from types import TracebackType

from streaming_base.errors import ExplainedError

_INSIDE = {"pyspark", "py4j"}


class SessionStopped(ExplainedError):
    """The session was stopped: run the set-up cell."""

    def __str__(self) -> str:
        return "The Spark session is stopped: run the set-up cell."


def is_stopped(spark: object) -> bool:
    """Whether a session was stopped; False over Connect, where it is unknown, and for other objects."""
    context = getattr(spark, "_sc", None)
    return context is not None and getattr(context, "_jsc", context) is None


def refuse_stopped(spark: object) -> None:
    """Do nothing with a session that answers.

    Raises
    ------
    SessionStopped
        The session was stopped.
    """
    if is_stopped(spark):
        raise SessionStopped


def is_stopped_session_error(spark: object, trace: TracebackType | None) -> bool:
    """Return whether a session is stopped and the error came up inside PySpark, which had nothing to talk to."""
    return is_stopped(spark) and any(_INSIDE & set(PurePath(f.filename).parts) for f in traceback.extract_tb(trace))
