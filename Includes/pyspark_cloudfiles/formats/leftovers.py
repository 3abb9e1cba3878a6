"""The rescued column of files whose values have types already."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.rescue import Leaf, Leftover, rescued_text


def rescued_column(left: Iterable[tuple[str, Sequence[Any]]], rows: int, file: SourceFile) -> pa.Array | None:
    """Return what is left over of each row, as JSON; None if that is nothing at all.

    Parameters
    ----------
    left : iterable of (str, sequence)
        Columns with a value for each row; None where nothing is left over.
    """
    objects: dict[int, dict[str, Leftover]] = {}
    for name, values in left:
        for row, value in enumerate(values):
            if value is not None:
                objects.setdefault(row, {})[name] = Leaf(_json(value))
    if not objects:
        return None
    texts = {row: rescued_text(rest, file.url) for row, rest in objects.items()}
    return pa.array([texts.get(row) for row in range(rows)], pa.string())


def _json(value: Any) -> str:
    """Return a value as Spark's ``to_json`` has it; decimals keep their digits, which Python's ``json`` would not."""
    match value:
        case dict():
            return _object(value.items())
        case list() if value and all(isinstance(item, tuple) for item in value):  # a map
            return _object(value)
        case list():
            return f"[{','.join(map(_json, value))}]"
        case Decimal():
            return format(value, "f")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'
    return json.dumps(_plain(value), ensure_ascii=False)


def _object(items: Iterable[tuple[Any, Any]]) -> str:
    return "{" + ",".join(f"{_key(key)}:{_json(item)}" for key, item in items) + "}"


def _key(key: Any) -> str:
    text = _json(key)
    return text if text.startswith('"') else json.dumps(text)


def _plain(value: Any) -> Any:
    match value:
        case bool() | int() | float() | str() | None:
            return value
        case bytes():
            return base64.b64encode(value).decode()
        case datetime():
            zone = "Z" if value.tzinfo is not None else ""
            moment = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
            return moment.isoformat(timespec="microseconds" if value.microsecond % 1000 else "milliseconds") + zone
        case date():
            return value.isoformat()
    return str(value)
