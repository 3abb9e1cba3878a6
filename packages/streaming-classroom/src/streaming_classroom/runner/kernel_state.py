"""Code that runs in the kernel after the last cell: which streams are still active."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

# The package is installed where the kernel runs: it is the same interpreter.
EXPRESSION = f"__import__({__name__!r}, fromlist=['active_streams']).active_streams()"


def active_streams() -> list[str]:
    """Return the names of the streams that are active in this process, sorted.

    Spark is not started, nor even imported, if the lesson did not.
    """
    sql = sys.modules.get("pyspark.sql")
    if sql is None:
        return []
    queries = {str(query.id): query for session in _sessions(sql) for query in session.streams.active}
    return sorted(query.name or f"unnamed, id {id}" for id, query in queries.items())


def _sessions(sql: Any) -> Iterator[Any]:
    """The active session and every one the lesson holds, for each has streams of its own."""
    session_class = sql.SparkSession
    active = session_class.getActiveSession()
    if active is None:
        # Active is a property of a thread, and another thread may have made the session.
        active = getattr(session_class, "_instantiatedSession", None)
    if active is None:
        return
    yield active
    held = vars(sys.modules["__main__"]).values()
    yield from [value for value in held if type(value) is type(active) and value is not active]
