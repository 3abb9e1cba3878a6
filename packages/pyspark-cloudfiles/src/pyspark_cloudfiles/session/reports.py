"""A stream's progress and final error, reported in Auto Loader's words.

Spark has no metrics of Python data sources, so they are computed from the offsets that it does report.

An error begins with the message of this package.  A task that writes, to Delta for instance, fails with "Task failed
while writing rows", and the problem of the files is only in the exception's causes, which the text does not have;
elsewhere it is below a long traceback.
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

# The last line of Python's traceback, up to the JVM's addition; a worker without this package's errors raises Python's.
_OURS = re.compile(
    r"(?:pyspark_cloudfiles\.[\w.]+: |ImportError: (?=\[CF_))"
    r"(\[[A-Z_.]+\].*?)(?=\s*(?:SQLSTATE|\n\s*\n|\n\tat |\Z))",
    re.DOTALL,
)

# In Databricks' text, from the JVM; programs that restart a stream search for it.
_UNKNOWN_FIELD = "org.apache.spark.sql.catalyst.util.UnknownFieldException"


def install_progress() -> None:
    _wrap(SourceProgress, "__init__", _wrap_init, "files outstanding in a stream's progress")
    for kind in (SourceProgress, StreamingQueryProgress):
        for name, indent in (("json", None), ("prettyJson", 4)):
            _wrap(kind, name, partial(_wrap_json, indent), "the same in the JSON of a report")


def _wrap(kind: type, name: str, make: Callable[[Any], Any], why: str) -> None:
    hooks.wrap(kind, name, make, by=PACKAGE, layer="source", why=why)


def _wrap_init(original: Any) -> Any:
    @wraps(original)
    def initialise(self: SourceProgress, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.update(describe_source(self))

    return initialise


def _wrap_json(indent: int | None, original: Any) -> property:
    """Return a property whose JSON, which Spark gets from the JVM, agrees with the report's fields."""

    def text(self: dict) -> str:
        original_text = original.fget(self)
        content = json.loads(original_text)
        is_changed = False
        for source in content.get("sources", [content]):
            changes = describe_source(source)
            source.update(changes)
            is_changed |= bool(changes)
        return json.dumps(content, indent=indent) if is_changed else original_text

    return property(text)


def describe_source(source: dict[str, Any]) -> dict[str, Any]:
    """Return the changes of a source's progress, none for other sources.

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
    _wrap(error, "__str__", _wrap_error_text, "the cause of a stream's end stands first")


def _wrap_error_text(original: Any) -> Any:
    @wraps(original)
    def text(self: Any) -> str:
        return prepend_cause(original(self), getattr(self, "_stackTrace", None) or "")

    return text


def prepend_cause(text: str, stack_trace: str) -> str:
    """Return an error's text, begun by this package's message in it or in its stack trace."""
    match = _OURS.search(stack_trace) or _OURS.search(text)
    if match is None:
        return text
    cause, rest = match[1], text.removeprefix(match[1])
    if cause.startswith("[UNKNOWN_FIELD_EXCEPTION") and _UNKNOWN_FIELD not in rest:
        rest = f"{_UNKNOWN_FIELD}\n\n{rest.lstrip()}"
    elif rest != text:
        return text
    return f"{cause}\n\n{rest}"
