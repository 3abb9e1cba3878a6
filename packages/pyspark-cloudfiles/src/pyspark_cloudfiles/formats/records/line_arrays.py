"""Operations on many lines at once, as bytes and as Arrow arrays, without a Python object per line."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.values.plain_arrays import binaries, longs, whole

# An end of line is no blank here, so that each line is seen by itself.
_BLANK_LINE = re.compile(rb"^[\x00-\x09\x0b-\x20]*\n", re.MULTILINE)
_BLANK_START = re.compile(rb"(?:[\x00-\x09\x0b-\x20]*\n)*")
_BLANK = "".join(map(chr, range(0x21)))


def without_blank_lines(data: bytes) -> bytes:
    """Leave out lines that have only whitespace and control characters."""
    return _BLANK_LINE.sub(b"", data)


def without_blank_start(data: bytes) -> bytes:
    """Leave out such lines at the beginning."""
    return data if data[:1] > b" " else data[_BLANK_START.match(data).end() :]  # type: ignore[union-attr]


def without_first_lines(data: bytes, count: int) -> tuple[bytes, int]:
    """Return a text without so many lines at its beginning, and how many are still to be left out after it."""
    position = 0
    while count and position < len(data):
        position = data.find(b"\n", position) + 1
        count -= 1
    return data[position:], count


def without_lines_that_begin_with(mark: str, data: bytes) -> bytes:
    """Leave out lines that begin with a mark, as comments do."""
    begin = mark.encode()
    parts, position = [], 0
    while True:
        if not data.startswith(begin, position):
            found = data.find(b"\n" + begin, position) + 1
            if not found:
                return b"".join([*parts, data[position:]])
            parts.append(data[position:found])
            position = found
        position = data.find(b"\n", position) + 1


def is_blank(line: str) -> bool:
    """Tell whether a line is one of those."""
    return not line.strip(_BLANK)


def is_utf8(data: bytes) -> bool:
    """Tell whether a text is UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def matches(data: bytes, pattern: str) -> bool:
    """Tell whether a pattern of RE2 is found in a text in UTF-8; many times faster than ``re``."""
    return pc.match_substring_regex(whole(data).cast(pa.large_string()), pattern)[0].as_py()


def lines_of(data: bytes) -> pa.Array:
    """Return the lines of a text, without their ends."""
    if not data:
        return pa.array([], pa.string())
    return pc.split_pattern(binaries([data[:-1]]), b"\n").values.cast(pa.string())


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
    return pc.is_in(line_numbers(length), value_set=longs(numbers))


def line_numbers(length: int) -> pa.Array:
    """Return the numbers from 0 on."""
    return longs(range(length))
