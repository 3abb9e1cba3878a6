"""An error's message as a reader needs it: what is wrong, without the plans and stack traces that follow it."""

from __future__ import annotations

import re

# Where a message turns from what is wrong to how Spark sees it: plans, JVM frames, query progress.
# Errors of cloudFiles begin with their reason; what follows is how it reached the user.
_PLUMBING = re.compile(
    r"\n(?:\s*JVM stacktrace:|\s*at org\.|=== Streaming Query ===|['~!+*] ?\w|\+- |:- "
    r"|\n\[(?:STREAM_FAILED|PYTHON_DATA_SOURCE_ERROR)\])"
)


def short_message(error: BaseException) -> str:
    """Return what is wrong, without the plans and stack traces that follow it."""
    text = str(error).strip()
    if cut := _PLUMBING.search(text):
        text = text[: cut.start()]
    return _without_volatile(text).rstrip().removesuffix(";").rstrip()


def _without_volatile(text: str) -> str:
    """Return the text without what differs from run to run and helps nobody."""
    text = re.sub(r"\[STREAM_FAILED\] Query \[id = \S+, runId = \S+\] terminated with exception: ", "", text)
    return re.sub(r'File "[^"]*ipykernel_[^"]*"', 'File "this notebook"', text)
