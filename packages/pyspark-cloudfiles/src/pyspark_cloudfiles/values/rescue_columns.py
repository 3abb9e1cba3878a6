"""The rescued column built from whole columns, with the same texts as :func:`.rescue.rescued_text`.

The columns are JSON texts already, or, in files whose values have types, values that become such texts here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.values.rescue import FILE_PATH, quoted

# What JSON does not have in a text as it is.
_SPECIAL = r'["\\\x00-\x1f]'


def member(name: str, texts: pa.Array) -> pa.Array:
    """Return a member of the rescued objects: a name with a JSON value; NULL where the value is."""
    return pc.binary_join_element_wise(f"{quoted(name)}:", texts, "")


def quoted_texts(texts: pa.Array) -> pa.Array:
    """Return texts as JSON."""
    whole = pc.binary_join_element_wise('"', texts, '"', "")
    special = pc.fill_null(pc.match_substring_regex(texts, _SPECIAL), False)
    if not pc.any(special).as_py():
        return whole
    escaped = [quoted(text) for text in texts.filter(special).to_pylist()]
    return pc.replace_with_mask(whole, special, pa.array(escaped, pa.string()))


def rescued_column(members: Sequence[pa.Array], paths: pa.Array) -> pa.Array | None:
    """Return the rescued column; None where every row has fitted.

    Parameters
    ----------
    members : sequence of pyarrow.Array
        The members in their order, of each row.
    paths : pyarrow.Array
        The URL of each row's file.
    """
    members = [some for some in members if some.null_count < len(some)]
    if not members:
        return None
    path = member(FILE_PATH, paths)
    inside = pc.binary_join_element_wise(*members, path, ",", null_handling="skip")
    texts = pc.binary_join_element_wise("{", inside, "}", "")
    filled = members[0].is_valid()
    for some in members[1:]:
        filled = pc.or_(filled, some.is_valid())
    return pc.if_else(filled, texts, None)


def paths_of(files: Sequence[tuple[SourceFile, int]]) -> pa.Array:
    """Return the URL of each line's file, as JSON, from how many lines each file has."""
    if not files:
        return pa.array([], pa.string())
    return pa.concat_arrays([pa.repeat(pa.scalar(quoted(file.url)), lines) for file, lines in files])


def rescued_values(
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
    return rescued_column(list(members.values()), paths_of([(file, rows)]))


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
