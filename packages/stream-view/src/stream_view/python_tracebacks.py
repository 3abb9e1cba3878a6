"""A traceback of the learner's own function, as Spark hands it on, in one line.

Functions of `foreachBatch` and of columns run behind Spark's bridge to Python: what they raise comes back as the text
of a traceback, most of which is the bridge.
"""

from __future__ import annotations

import re

_TRACEBACK = "Traceback (most recent call last):\n"
_FRAME = re.compile(r'  File "(?P<file>[^"]*)", line (?P<line>\d+), in (?P<function>.+)\n(?:    (?P<code>.+)\n)?')
_OF_LIBRARIES = re.compile(
    r"[/\\](site-packages|dist-packages|lib(64)?[/\\]python\d[.\d]*|python[/\\]lib)[/\\]|\.zip[/\\]|^<frozen"
)
_OF_A_CELL = re.compile(r"ipykernel_|^<ipython-input|^<command")
#: An error that has a condition, as Spark's have, says all by itself.
_WITH_CONDITION = re.compile(r"[\w.]+: (?=\[[A-Z_.]+\] )")
_STATE = re.compile(r"(\s*SQLSTATE: \w+)+")


def in_one_line(text: str) -> str | None:
    """Return what a function raised and where, or None where the text has no traceback.

    Parameters
    ----------
    text : str
        Spark's message, up to its own frames.
    """
    _, found, trace = text.rpartition(_TRACEBACK)
    if not found:
        return None
    frames = list(_FRAME.finditer(trace))
    raised = re.sub(r"^( +[~^ ]*\n| {4}.*\n)*", "", trace[frames[-1].end() :] if frames else trace)
    error = without_state(raised).strip()
    if explained := _WITH_CONDITION.match(error):
        return error[explained.end() :]
    own = [frame for frame in frames if not _OF_LIBRARIES.search(frame["file"])]
    return f"{error} ({_place(own[-1])})" if own and error else error or None


def without_state(text: str) -> str:
    """Return a message without the SQLSTATE that each layer of Spark adds."""
    return _STATE.sub("", text)


def _place(frame: re.Match[str]) -> str:
    file = "its cell" if _OF_A_CELL.search(frame["file"]) else re.split(r"[/\\]", frame["file"])[-1]
    place = f"{frame['function']}, line {frame['line']} of {file}"
    return f"{place}: {frame['code'].strip()}" if frame["code"] else place
