"""Texts of many lines, as bytes and as Arrow arrays of their lines; nothing here makes a Python object per line."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

_BLANK_LINE = re.compile(rb"^[\x00-\x09\x0b-\x20]+$\n?", re.MULTILINE)
_BLANK_START = re.compile(rb"\n[\x00-\x09\x0b-\x20]")


def plain(data: bytes) -> bytes:
    """Return a text with the ends of its lines made LF, the last line's too."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return data


def without_blank_lines(data: bytes) -> bytes:
    """Leave out lines that have only whitespace and control characters."""
    if data[:1] <= b" " or _BLANK_START.search(data):
        data = _BLANK_LINE.sub(b"", data)
    if data.startswith(b"\n") or b"\n\n" in data:
        data = re.sub(rb"\n\n+", b"\n", data.lstrip(b"\n"))
    return data


def is_utf8(data: bytes) -> bool:
    """Tell whether a text is UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def lines_of(data: bytes) -> pa.Array:
    """Return the lines of a text, without their ends."""
    if not data:
        return pa.array([], pa.string())
    whole = pa.array([data[:-1]], pa.binary())
    return pc.split_pattern(whole, b"\n").values.cast(pa.string())


def joined(lines: pa.Array) -> bytes:
    """Return lines as a text."""
    if not len(lines):
        return b""
    together = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return pc.binary_join(together, "\n")[0].as_buffer().to_pybytes() + b"\n"


def without(data: bytes, numbers: Sequence[int]) -> bytes:
    """Leave out the lines with these numbers."""
    return joined(lines_of(data).filter(pc.invert(mask(numbers, data.count(b"\n"))))) if numbers else data


def mask(numbers: Sequence[int], length: int) -> pa.Array:
    """Return an array of truth values that are true at these places."""
    return pc.is_in(pa.array(range(length), pa.int32()), value_set=pa.array(numbers, pa.int32()))
