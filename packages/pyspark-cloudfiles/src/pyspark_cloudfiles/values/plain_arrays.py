"""Arrow arrays built from Python values by their buffers, without Python loops and without pandas.

The first calls of ``pyarrow.array`` and ``pyarrow.scalar`` import pandas, which delays the first rows of a task that
has just started by some tenths of a second.
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
    """Return BINARY of byte strings, or of sources that a decoder left undecoded, without None."""
    offsets = pa.py_buffer(offsets_of(values))
    return pa.Array.from_buffers(pa.binary(), len(values), [None, offsets, pa.py_buffer(b"".join(values))])


def texts(values: Sequence[str]) -> pa.Array:
    return binaries([value.encode() for value in values]).cast(pa.string())


def longs(values: Iterable[int]) -> pa.Array:
    numbers = array("q", values)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def whole(data: bytes) -> pa.Array:
    """Return an array with one text of any length, without a copy."""
    offsets = pa.py_buffer(array("q", [0, len(data)]))
    return pa.Array.from_buffers(pa.large_binary(), 1, [None, offsets, pa.py_buffer(data)])


def plain(cells: Sequence[Any], arrow: pa.DataType) -> pa.Array:
    try:
        return _dense(cells, arrow)
    except TypeError:  # some are None; searching for them first takes longer
        zero = "" if arrow == pa.string() else 0
        values = _dense([zero if cell is None else cell for cell in cells], arrow)
        return pa.Array.from_buffers(arrow, len(cells), [_validity(cells), *values.buffers()[1:]])


def offsets_of(cells: Sequence[Sized]) -> array:
    """Return the offsets of the elements of all cells in one sequence, with the end of the last."""
    return array("i", accumulate(map(len, cells), initial=0))


def lists_of(cells: Sequence[Any], elements: pa.Array, arrow: pa.DataType) -> pa.Array:
    offsets = offsets_of([() if cell is None else cell for cell in cells] if None in cells else cells)
    buffers = [_validity(cells) if None in cells else None, pa.py_buffer(offsets)]
    return pa.Array.from_buffers(arrow, len(cells), buffers, children=[elements])


def maps_of(cells: Sequence[Any], keys: pa.Array, values: pa.Array, arrow: pa.MapType) -> pa.Array:
    entries = pa.StructArray.from_arrays([keys, values], fields=[arrow.key_field, arrow.item_field])
    return lists_of(cells, entries, arrow)


def structs_of(cells: Sequence[Any], parts: Sequence[pa.Array], arrow: pa.StructType) -> pa.Array:
    validity = _validity(cells) if None in cells else None
    return pa.Array.from_buffers(arrow, len(cells), [validity], children=list(parts))


def _validity(cells: Sequence[Any]) -> pa.Buffer:
    return _booleans(bytes(map(is_not, cells, repeat(None)))).buffers()[1]


def _dense(cells: Sequence[Any], arrow: pa.DataType) -> pa.Array:
    if arrow == pa.string():
        return _texts(cells)
    if arrow == pa.bool_():
        return _booleans(cells)
    numbers = array(_CODES[arrow], cells)
    return pa.Array.from_buffers(arrow, len(numbers), [None, pa.py_buffer(numbers)])


def _texts(values: Sequence[str]) -> pa.Array:
    """Return STRING of texts: joined and split again, which creates no object for a text's bytes."""
    data = "\0".join(values).encode()
    if data.count(b"\0") != len(values) - 1:  # a text has a NUL itself
        return texts(values)
    return pc.split_pattern(binaries([data]), b"\0").values.view(pa.string())


def _booleans(values: bytes | Sequence[bool]) -> pa.Array:
    numbers = array("b", values)
    return pa.Array.from_buffers(pa.int8(), len(numbers), [None, pa.py_buffer(numbers)]).cast(pa.bool_())


_CODES = {pa.int64(): "q", pa.int32(): "i", pa.int16(): "h", pa.int8(): "b", pa.float64(): "d"}
