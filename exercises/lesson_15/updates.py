"""Check pipeline updates in lesson 15."""

from __future__ import annotations

from streaming_classroom.exercises import Attempt, Mistake


def must_have_completed(attempt: Attempt) -> None:
    """Raise a mistake with the error of the update if it has failed."""
    error = getattr(attempt.value("update"), "error", None)
    if error is not None:
        raise Mistake(f"The update has failed: {str(error).splitlines()[0]}")


IMPORTS = """
from pyspark import pipelines as dp
from pyspark.sql import functions as F
"""
