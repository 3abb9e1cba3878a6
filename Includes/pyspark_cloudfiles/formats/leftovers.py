"""The rescued column of files whose values have types already."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles import rescue_columns
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.rescue_columns import member, paths_of, quoted_texts


def rescued_column(
    left: Iterable[tuple[str, pa.Array | Sequence[Any]]], rows: int, file: SourceFile
) -> pa.Array | None:
    """Return what is left over of each row, as JSON; None if that is nothing at all.

    Parameters
    ----------
    left : iterable of (str, array or sequence)
        Columns with a value for each row; None where nothing is left over.
    """
    members: dict[str, pa.Array] = {}
    for name, values in left:
        texts = member(name, _texts(values))
        # Of a name that comes twice, the later value counts.
        members[name] = pc.coalesce(texts, members[name]) if name in members else texts
    return rescue_columns.rescued_column(list(members.values()), paths_of([(file, rows)]))


def _texts(values: pa.Array | Sequence[Any]) -> pa.Array:
    """Return values as JSON; whole columns of the types that are the same in Arrow's texts."""
    if isinstance(values, pa.Array):
        if pa.types.is_string(values.type):
            return quoted_texts(values)
        if pa.types.is_integer(values.type) or pa.types.is_boolean(values.type):
            return values.cast(pa.string())
        values = values.to_pylist()
    return pa.array([None if value is None else _json(value) for value in values], pa.string())


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
