"""Rescued data: the values of a record that did not fit the schema, as JSON, for single records and for whole columns.

A :class:`Leaf` is a value as JSON text; leaves are in dicts (fields of a struct, entries of a map) and lists (elements
of an array, None for an element that fitted), nested as they were in the record.  Columns are JSON texts already, or,
in files whose values have types, values that become such texts here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple, Union

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import json as msgspec_json

from pyspark_cloudfiles.filesystems.files import SourceFile

FILE_PATH = "_file_path"
# The key of the text of a malformed record.
CORRUPT_RECORD = "_corrupt_record"


class Leaf(NamedTuple):
    """A value that does not fit the schema, as JSON text.

    ``unknown`` fields are not in the schema; other values do not fit their type, or their name has another case.  With
    ``fits``, the record is sound all the same, so that only the field is lost.
    """

    text: str
    unknown: bool = False
    fits: bool = False


Leftover = Union[Leaf, "dict[str, Leftover]", "list[Leftover | None]"]


def quoted(text: str) -> str:
    return msgspec_json.encode(text).decode()


def rescued_text(leftover: Mapping[str, Leftover], url: str) -> str:
    """Return the text of the rescued column: the leftover, and the file it came from."""
    members = [f"{quoted(name)}:{_json_of_leftover(part)}" for name, part in leftover.items()]
    return "{" + ",".join([*members, f'"{FILE_PATH}":{quoted(url)}']) + "}"


def unknown_text(leftover: Mapping[str, Leftover]) -> str:
    return _json_of_leftover(_only_unknown(dict(leftover)) or {})


def unknown_names(leftover: Leftover, prefix: str = "") -> Iterator[str]:
    if isinstance(leftover, Leaf):
        if leftover.unknown:
            yield prefix
    elif isinstance(leftover, dict):
        for name, part in leftover.items():
            yield from unknown_names(part, f"{prefix}.{name}" if prefix else name)
    else:
        for part in leftover:
            if part is not None:
                yield from unknown_names(part, f"{prefix}.element")


def has_misfit(leftover: Leftover) -> bool:
    if isinstance(leftover, Leaf):
        return not leftover.fits
    parts = leftover.values() if isinstance(leftover, dict) else leftover
    return any(part is not None and has_misfit(part) for part in parts)


def is_unknown(leftover: Leftover) -> bool:
    return isinstance(leftover, Leaf) and leftover.unknown


def _json_of_leftover(leftover: Leftover | None) -> str:
    if leftover is None:
        return "null"
    if isinstance(leftover, Leaf):
        return leftover.text
    if isinstance(leftover, dict):
        return "{" + ",".join(f"{quoted(name)}:{_json_of_leftover(part)}" for name, part in leftover.items()) + "}"
    return "[" + ",".join(map(_json_of_leftover, leftover)) + "]"


def _only_unknown(leftover: Leftover) -> Leftover | None:
    if isinstance(leftover, Leaf):
        return leftover if leftover.unknown else None
    if isinstance(leftover, dict):
        parts = {name: _only_unknown(part) for name, part in leftover.items()}
        return {name: part for name, part in parts.items() if part is not None} or None
    elements = [None if part is None else _only_unknown(part) for part in leftover]
    return elements if any(element is not None for element in elements) else None


# Characters that JSON escapes.
_SPECIAL = r'["\\\x00-\x1f]'


def member(name: str, texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(f"{quoted(name)}:", texts, "")


def quoted_texts(texts: pa.Array) -> pa.Array:
    whole = pc.binary_join_element_wise('"', texts, '"', "")
    special = pc.fill_null(pc.match_substring_regex(texts, _SPECIAL), False)
    if not pc.any(special).as_py():
        return whole
    escaped = [quoted(text) for text in texts.filter(special).to_pylist()]
    return pc.replace_with_mask(whole, special, pa.array(escaped, pa.string()))


def rescued_column(members: Sequence[pa.Array], paths: pa.Array) -> pa.Array | None:
    """Return the rescued column from its members and the URL of each row's file; None if every row fits."""
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
    """Return the URL of each line's file, as JSON, from the number of lines of each file."""
    if not files:
        return pa.array([], pa.string())
    return pa.concat_arrays([pa.repeat(pa.scalar(quoted(file.url)), lines) for file, lines in files])


def rescued_values(
    left: Iterable[tuple[str, pa.Array | Sequence[Any]]], rows: int, file: SourceFile
) -> pa.Array | None:
    """Return the rescued column of a file from the named columns that do not fit, with None for values that do."""
    members: dict[str, pa.Array] = {}
    for name, values in left:
        texts = member(name, _json_texts(values))
        # If a name occurs twice, the later value counts.
        members[name] = pc.coalesce(texts, members[name]) if name in members else texts
    return rescued_column(list(members.values()), paths_of([(file, rows)]))


def _json_texts(values: pa.Array | Sequence[Any]) -> pa.Array:
    """Return values as JSON; whole columns of the types that Arrow writes in the same way."""
    if isinstance(values, pa.Array):
        if pa.types.is_string(values.type):
            return quoted_texts(values)
        if pa.types.is_integer(values.type) or pa.types.is_boolean(values.type):
            return values.cast(pa.string())
        values = values.to_pylist()
    return pa.array([None if value is None else _json_of_value(value) for value in values], pa.string())


def _json_of_value(value: Any) -> str:
    """Return a value as Spark's ``to_json``; decimals keep their digits, which Python's ``json`` would not."""
    match value:
        case dict():
            return _object(value.items())
        case list() if value and all(isinstance(item, tuple) for item in value):  # a map
            return _object(value)
        case list():
            return f"[{','.join(map(_json_of_value, value))}]"
        case Decimal():
            return format(value, "f")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'
        case bytes():
            value = base64.b64encode(value).decode()
        case datetime():
            zone = "Z" if value.tzinfo is not None else ""
            moment = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
            value = moment.isoformat(timespec="microseconds" if value.microsecond % 1000 else "milliseconds") + zone
        case bool() | int() | float() | str() | None:
            pass
        case _:  # a date, which is its ISO format
            value = str(value)
    return json.dumps(value, ensure_ascii=False)


def _object(items: Iterable[tuple[Any, Any]]) -> str:
    members = []
    for key, item in items:
        text = _json_of_value(key)
        name = text if text.startswith('"') else json.dumps(text)
        members.append(f"{name}:{_json_of_value(item)}")
    return "{" + ",".join(members) + "}"
