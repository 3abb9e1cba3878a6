"""SQL text without the prefix ``LIVE.``, which older pipelines write before a dataset's name."""

from __future__ import annotations

import re

_LEFT = re.compile(
    r"--[^\n]*|/\*.*?\*/|r?'(?:[^'\\]|\\.|'')*'|r?\"(?:[^\"\\]|\\.|\"\")*\"|(?P<live>(?<![\w.`])`?LIVE`?\s*\.\s*(?=[\w`]))",
    re.IGNORECASE | re.DOTALL,
)


def without_live_names(text: str) -> str:
    """Return SQL text, or a name, without ``LIVE.``; comments and strings stay as they are."""
    return _LEFT.sub(lambda found: "" if found["live"] else found[0], text)
