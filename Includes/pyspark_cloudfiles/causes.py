"""The reason first: a failed stream's error begins with what this package had to say.

A task that writes, to Delta for instance, fails with "Task failed while writing rows", and what was wrong with the
files is only in the exception's causes, which the text does not have; elsewhere it stands below a long traceback.
"""

from __future__ import annotations

import re
from functools import wraps
from typing import Any

_MARK = "_cloudfiles_causes"
# Python's last line of a traceback, up to what the JVM adds.
_OURS = re.compile(r"pyspark_cloudfiles\.[\w.]+: (\[[A-Z_.]+\].*?)(?=\s*(?:SQLSTATE|\n\s*\n|\n\tat |\Z))", re.DOTALL)


def install(error: type) -> None:
    """Let a class of Spark's errors, classic or Spark Connect's, begin with what this package raised."""
    if _MARK in vars(error):
        return
    original = error.__str__

    @wraps(original)
    def text(self: Any) -> str:
        return with_cause(original(self), getattr(self, "_stackTrace", None) or "")

    error.__str__ = text
    setattr(error, _MARK, True)


def with_cause(text: str, stack_trace: str) -> str:
    """Return an error's text, begun by the message of ours that is somewhere in it or in its stack trace."""
    match = _OURS.search(stack_trace) or _OURS.search(text)
    if match is None or text.startswith(match[1]):
        return text
    return f"{match[1]}\n\n{text}"
