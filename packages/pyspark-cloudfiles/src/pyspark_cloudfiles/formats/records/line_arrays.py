"""Operations on many lines at once, as bytes and as Arrow arrays, without a Python object per line.

The reader of a part looks for the first line that begins in it, and reads to the end of the last one, which may be in
the next part.  Line separators cannot overlap, so they are found from any position.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import AnyStr, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.values.plain_arrays import binaries, longs, whole

# Formats whose records are lines, unless an option says otherwise.
_UNLESS = {"json": "multiline", "csv": "multiline", "text": "wholetext"}
_CHUNK = 64 * 1024
_END = re.compile(rb"[\r\n]")


def has_lines(options: Options) -> bool:
    """Tell whether the records of a stream's files are lines whose ends are found from anywhere in a file."""
    unless = _UNLESS.get(options.format.lower())
    if unless is None or options.format_options.get(unless, "false").lower() == "true":
        return False
    if options.format_options.get("skiprows", "0") != "0" and options.format.lower() == "csv":
        return False  # where they end is only known from the beginning of the file
    separator = options.format_options.get("linesep")
    if separator is None:
        return True
    # Of text files the bytes are taken as they are, in whatever encoding the separator is.
    encoded = {"encoding", "charset"} & options.format_options.keys() and options.format.lower() == "text"
    return not encoded and not overlaps(separator)


def overlaps(separator: AnyStr) -> bool:
    """Tell whether an end of line can begin in another one: where the first is then depends on the lines before."""
    return any(separator.startswith(separator[start:]) for start in range(1, len(separator)))


class LinesOfPart:
    """The lines of a part of a file, as a file to read from its beginning to its end.

    Parameters
    ----------
    stream : BinaryIO
        The whole file, which can seek.
    file : SourceFile
        The part.
    separator : bytes or None
        What ends a line; None: LF, CR or CRLF.
    """

    def __init__(self, stream: BinaryIO, file: SourceFile, separator: bytes | None) -> None:
        self._stream = stream
        begin = _line_start(stream, file.start, separator) if file.start else 0
        self._left = None if file.last is None else max(0, _line_start(stream, file.last, separator) - begin)
        stream.seek(begin)

    def read(self, size: int) -> bytes:
        """Return some more bytes; none at the end."""
        if self._left is None:
            return self._stream.read(size)
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


def _line_start(stream: BinaryIO, position: int, separator: bytes | None) -> int:
    """Return where the first line begins that does not begin before a position; the end of the file where none does."""
    place = max(0, position - (1 if separator is None else len(separator)))
    stream.seek(place)
    data = b""
    while chunk := stream.read(_CHUNK):
        data += chunk
        end = _end_of_line(data, separator)
        if end is not None:
            return place + end
        keep = _undecided(data, separator)
        place, data = place + len(data) - keep, data[len(data) - keep :]
    return place + len(data)


def _end_of_line(data: bytes, separator: bytes | None) -> int | None:
    """Return where the first line of a text ends, with its end; None if that cannot be said yet."""
    if separator is not None:
        found = data.find(separator)
        return None if found < 0 else found + len(separator)
    match = _END.search(data)
    if match is None or (match[0] == b"\r" and match.end() == len(data)):
        return None
    return match.end() + data.startswith(b"\n", match.end()) if match[0] == b"\r" else match.end()


def _undecided(data: bytes, separator: bytes | None) -> int:
    """Return how many bytes at the end of a text may be the beginning of an end of line."""
    if separator is None:
        return int(data.endswith(b"\r"))
    return min(len(separator) - 1, len(data))


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
