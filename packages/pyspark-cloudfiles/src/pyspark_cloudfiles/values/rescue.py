"""Rescued data: what of a record did not fit the schema, as JSON.

A :class:`Leaf` is a value as it was, as JSON text; leaves hang in dicts (fields of a struct, entries of a map) and
lists (elements of an array, None where an element fitted), nested as they were in the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Union

from msgspec import json

FILE_PATH = "_file_path"
# Under which the text of a malformed record is rescued.
CORRUPT_RECORD = "_corrupt_record"


class Leaf(NamedTuple):
    """A value that found no place.

    Parameters
    ----------
    text : str
        The value as JSON text.
    unknown : bool
        Whether the schema has no such field; otherwise the value does not fit its type, or its name another's case.
    fits : bool
        Whether the record is sound all the same, so that only the field is lost.
    """

    text: str
    unknown: bool = False
    fits: bool = False


Leftover = Union[Leaf, "dict[str, Leftover]", "list[Leftover | None]"]


def quoted(text: str) -> str:
    """Return a text as JSON."""
    return json.encode(text).decode()


def rescued_text(leftover: Mapping[str, Leftover], url: str) -> str:
    """Return the rescued column's text: what did not fit, and the file it came from."""
    members = [f"{quoted(name)}:{_json(part)}" for name, part in leftover.items()]
    return "{" + ",".join([*members, f'"{FILE_PATH}":{quoted(url)}']) + "}"


def unknown_text(leftover: Mapping[str, Leftover]) -> str:
    """Return the fields that the schema does not have as a JSON object."""
    return _json(_only_unknown(dict(leftover)) or {})


def unknown_names(leftover: Leftover, prefix: str = "") -> Iterator[str]:
    """Give the names of the fields that the schema does not have, dotted."""
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
    """Return whether a value did not fit its type."""
    if isinstance(leftover, Leaf):
        return not leftover.fits
    parts = leftover.values() if isinstance(leftover, dict) else leftover
    return any(part is not None and has_misfit(part) for part in parts)


def is_unknown(leftover: Leftover) -> bool:
    """Return whether it is a field that the schema does not have."""
    return isinstance(leftover, Leaf) and leftover.unknown


def _json(leftover: Leftover | None) -> str:
    if leftover is None:
        return "null"
    if isinstance(leftover, Leaf):
        return leftover.text
    if isinstance(leftover, dict):
        return "{" + ",".join(f"{quoted(name)}:{_json(part)}" for name, part in leftover.items()) + "}"
    return "[" + ",".join(map(_json, leftover)) + "]"


def _only_unknown(leftover: Leftover) -> Leftover | None:
    if isinstance(leftover, Leaf):
        return leftover if leftover.unknown else None
    if isinstance(leftover, dict):
        parts = {name: _only_unknown(part) for name, part in leftover.items()}
        return {name: part for name, part in parts.items() if part is not None} or None
    elements = [None if part is None else _only_unknown(part) for part in leftover]
    return elements if any(element is not None for element in elements) else None
