"""The reason that a sink has wrapped: shown in the text of a failed stream's error.

A task that writes, to Delta for instance, fails with "Task failed while writing rows", and what was wrong with the
files is only in the exception's causes, which the text does not have.
"""

from __future__ import annotations

import re
from functools import wraps

from pyspark.errors.exceptions.captured import StreamingQueryException

_MARK = "_cloudfiles_causes"
# Python's last line of a traceback, up to what the JVM adds.
_OURS = re.compile(r"pyspark_cloudfiles\.[\w.]+: (\[[A-Z_.]+\].*?)(?=\s*(?:SQLSTATE|\n\s*\n|\n\tat |\Z))", re.DOTALL)


def install() -> None:
    """Let the errors of streams in classic sessions name their cause, if this package raised it."""
    if getattr(StreamingQueryException, _MARK, False):
        return
    original = StreamingQueryException.__str__

    @wraps(original)
    def text(self: StreamingQueryException) -> str:
        return with_cause(original(self), self._stackTrace or "")

    StreamingQueryException.__str__ = text  # type: ignore[method-assign]
    setattr(StreamingQueryException, _MARK, True)


def with_cause(text: str, stack_trace: str) -> str:
    """Return an error's text, begun by the message of ours that is somewhere in it or in its stack trace."""
    match = _OURS.search(stack_trace) or _OURS.search(text)
    if match is None or text.startswith(match[1]):
        return text
    return f"{match[1]}\n\n{text}"
