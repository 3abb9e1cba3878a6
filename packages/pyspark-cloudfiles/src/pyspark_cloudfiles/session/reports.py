"""A stream's progress and final error, reported in Auto Loader's words.

Spark gives a Python data source no way to report metrics, so they are read from the offsets that it does report.

An error begins with what this package had to say.  A task that writes, to Delta for instance, fails with "Task failed
while writing rows", and what was wrong with the files is only in the exception's causes, which the text does not have;
elsewhere it stands below a long traceback.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from pyspark.sql.streaming.listener import SourceProgress, StreamingQueryProgress

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.log.offsets import SOURCE_VERSION, Offset
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

# Python's last line of a traceback, up to what the JVM adds; a worker without this package's errors raises Python's.
_OURS = re.compile(
    r"(?:pyspark_cloudfiles\.[\w.]+: |ImportError: (?=\[CF_))"
    r"(\[[A-Z_.]+\].*?)(?=\s*(?:SQLSTATE|\n\s*\n|\n\tat |\Z))",
    re.DOTALL,
)

# What Databricks' text has as well, from the JVM: programs that start a stream again look for the name.
_UNKNOWN_FIELD = "org.apache.spark.sql.catalyst.util.UnknownFieldException"


def install_progress() -> None:
    """Let the sources of progress reports be described as Auto Loader does."""
    _wrap(SourceProgress, "__init__", _describing, "files outstanding in a stream's progress")
    for kind in (SourceProgress, StreamingQueryProgress):
        for name, indent in (("json", None), ("prettyJson", 4)):
            _wrap(kind, name, partial(_printing, indent), "the same in the JSON of a report")


def _wrap(kind: type, name: str, make: Callable[[Any], Any], why: str) -> None:
    hooks.wrap(kind, name, make, by=PACKAGE, layer="source", why=why)


def _describing(original: Any) -> Any:
    @wraps(original)
    def initialise(self: SourceProgress, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.update(described(self))

    return initialise


def _printing(indent: int | None, original: Any) -> property:
    """Let a report's JSON, which Spark takes from the JVM, say the same as its fields."""

    def text(self: dict) -> str:
        said = original.fget(self)
        content = json.loads(said)
        sources = content.get("sources", [content])
        return json.dumps(content, indent=indent) if _describe_all(sources) else said

    return property(text)


def _describe_all(sources: list[dict[str, Any]]) -> bool:
    """Describe those that are ours; return whether there is one."""
    return [_describe(source) for source in sources].count(True) > 0


def _describe(source: dict[str, Any]) -> bool:
    changes = described(source)
    source.update(changes)
    return bool(changes)


def described(source: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be changed in a source's progress: nothing, if it is not ours.

    The description is ``CloudFilesSource[<path>]``; ``metrics`` has, as strings, ``numFilesOutstanding`` and
    ``numBytesOutstanding``: files found and not yet in a batch.
    """
    end, latest = _offset(source.get("endOffset")), _offset(source.get("latestOffset"))
    if end is None:
        return {}
    latest = latest or end
    outstanding = {
        "numFilesOutstanding": str(max(0, latest.seq_num - end.seq_num)),
        "numBytesOutstanding": str(max(0, latest.num_bytes - end.num_bytes)),
    }
    return {"description": f"CloudFilesSource[{end.path}]", "metrics": {**source.get("metrics", {}), **outstanding}}


def _offset(text: Any) -> Offset | None:
    try:
        content = json.loads(text) if isinstance(text, str) else text
        return Offset.from_json(content) if content["sourceVersion"] == SOURCE_VERSION else None
    except (ValueError, KeyError, TypeError, StateLost):
        return None


def install_errors(error: type) -> None:
    """Let a class of Spark's errors, classic or Spark Connect's, begin with what this package raised."""
    _wrap(error, "__str__", _beginning_with_cause, "the cause of a stream's end stands first")


def _beginning_with_cause(original: Any) -> Any:
    @wraps(original)
    def text(self: Any) -> str:
        return with_cause(original(self), getattr(self, "_stackTrace", None) or "")

    return text


def with_cause(text: str, stack_trace: str) -> str:
    """Return an error's text, begun by the message of ours that is somewhere in it or in its stack trace."""
    match = _OURS.search(stack_trace) or _OURS.search(text)
    if match is None:
        return text
    cause, rest = match[1], text.removeprefix(match[1])
    if cause.startswith("[UNKNOWN_FIELD_EXCEPTION") and _UNKNOWN_FIELD not in rest:
        rest = f"{_UNKNOWN_FIELD}\n\n{rest.lstrip()}"
    elif rest != text:
        return text
    return f"{cause}\n\n{rest}"
