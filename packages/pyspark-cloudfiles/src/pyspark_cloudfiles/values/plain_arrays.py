"""Arrow arrays built from Python values by their buffers, without Python loops and without pandas.

``pyarrow.array`` and ``pyarrow.scalar`` import pandas when they are first called, which costs a task that has just
started some tenths of a second of its first rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence, Sized
from itertools import accumulate, repeat
from operator import is_not
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import msgspec


def binaries(values: Sequence[bytes | msgspec.Raw]) -> pa.Array:
    """Return BINARY of byte strings, or of sources that a decoder has left as they are; none of them is None."""
    offsets = pa.py_buffer(offsets_of(values))
    return pa.Array.from_buffers(pa.binary(), len(values), [None, offsets, pa.py_buffer(b"".join(values))])


def texts(values: Sequence[str]) -> pa.Array:
    """Return a STRING array of texts without None."""
    return binaries([value.encode() for value in values]).cast(pa.string())


def longs(values: Iterable[int]) -> pa.Array:
    """Return a BIGINT array of integers without None."""
    numbers = array("q", values)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def whole(data: bytes) -> pa.Array:
    """Return an array that has one text, whatever its length; nothing is copied."""
    offsets = pa.py_buffer(array("q", [0, len(data)]))
    return pa.Array.from_buffers(pa.large_binary(), 1, [None, offsets, pa.py_buffer(data)])


def plain(cells: Sequence[Any], arrow: pa.DataType) -> pa.Array:
    """Return texts, numbers or truth values, or None, as an array."""
    try:
        return _dense(cells, arrow)
    except TypeError:  # some are None; to look for them first takes longer
        zero = "" if arrow == pa.string() else 0
        values = _dense([zero if cell is None else cell for cell in cells], arrow)
        return pa.Array.from_buffers(arrow, len(cells), [_known(cells).buffers()[1], *values.buffers()[1:]])


def offsets_of(cells: Sequence[Sized]) -> array:
    """Return where the elements of each cell begin if they stand one behind the other, and where the last ends."""
    return array("i", accumulate(map(len, cells), initial=0))


def lists_of(cells: Sequence[Any], elements: pa.Array, arrow: pa.DataType) -> pa.Array:
    """Return ARRAY of the elements of all cells, of which some may be None."""
    offsets = offsets_of([() if cell is None else cell for cell in cells] if None in cells else cells)
    buffers = [_validity(cells), pa.py_buffer(offsets)]
    return pa.Array.from_buffers(arrow, len(cells), buffers, children=[elements])


def maps_of(cells: Sequence[Any], keys: pa.Array, values: pa.Array, arrow: pa.MapType) -> pa.Array:
    """Return MAP of the entries of all cells, of which some may be None."""
    entries = pa.StructArray.from_arrays([keys, values], fields=[arrow.key_field, arrow.item_field])
    return lists_of(cells, entries, arrow)


def structs_of(cells: Sequence[Any], parts: Sequence[pa.Array], arrow: pa.StructType) -> pa.Array:
    """Return STRUCT of the fields of all cells, of which some may be None."""
    return pa.Array.from_buffers(arrow, len(cells), [_validity(cells)], children=list(parts))


def _validity(cells: Sequence[Any]) -> pa.Buffer | None:
    return _known(cells).buffers()[1] if None in cells else None


def _known(cells: Sequence[Any]) -> pa.Array:
    return _truths(bytes(map(is_not, cells, repeat(None))))


def _dense(cells: Sequence[Any], arrow: pa.DataType) -> pa.Array:
    if arrow == pa.string():
        return _texts(cells)
    if arrow == pa.bool_():
        return _truths(cells)
    numbers = array(_CODES[arrow], cells)
    return pa.Array.from_buffers(arrow, len(numbers), [None, pa.py_buffer(numbers)])


def _texts(values: Sequence[str]) -> pa.Array:
    """Return STRING of texts: joined and split again, which makes no object of a text's bytes."""
    data = "\0".join(values).encode()
    if data.count(b"\0") != len(values) - 1:  # a text has one itself
        return texts(values)
    return pc.split_pattern(binaries([data]), b"\0").values.view(pa.string())


def _truths(values: bytes | Sequence[bool]) -> pa.Array:
    numbers = array("b", values)
    return pa.Array.from_buffers(pa.int8(), len(numbers), [None, pa.py_buffer(numbers)]).cast(pa.bool_())


_CODES = {pa.int64(): "q", pa.int32(): "i", pa.int16(): "h", pa.int8(): "b", pa.float64(): "d"}
