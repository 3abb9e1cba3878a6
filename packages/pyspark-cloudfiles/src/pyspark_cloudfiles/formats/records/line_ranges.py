"""Reading a part of a text file: a line belongs to the part that contains its first byte.

The reader of a part looks for the first line that begins in it, and reads to the end of the last one, which may be in
the next part.  Line separators cannot overlap, so they are found from any position.
"""

from __future__ import annotations

import re
from typing import AnyStr, BinaryIO

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.options import Options

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
