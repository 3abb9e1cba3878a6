"""Arrow arrays of Python values, made of their buffers.

``pyarrow.array`` and ``pyarrow.scalar`` import pandas when they are first called, which costs a task that has just
started some tenths of a second of its first rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import msgspec


def binaries(values: Sequence[bytes | msgspec.Raw]) -> pa.Array:
    """Return BINARY of byte strings, or of sources that a decoder has left as they are; none of them is None."""
    offsets = pa.py_buffer(array("i", [0, *accumulate(map(len, values))]))
    return pa.Array.from_buffers(pa.binary(), len(values), [None, offsets, pa.py_buffer(b"".join(values))])


def texts(values: Sequence[str]) -> pa.Array:
    """Return STRING of texts, none of which is None."""
    return binaries([value.encode() for value in values]).cast(pa.string())


def longs(values: Iterable[int]) -> pa.Array:
    """Return BIGINT of integers, none of which is None."""
    numbers = array("q", values)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def whole(data: bytes) -> pa.Array:
    """Return an array that has one text, whatever its length; nothing is copied."""
    offsets = pa.py_buffer(array("q", [0, len(data)]))
    return pa.Array.from_buffers(pa.large_binary(), 1, [None, offsets, pa.py_buffer(data)])
