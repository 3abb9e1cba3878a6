"""The lines of text files, in UTF-8 and in blocks of a limited size, whatever their encoding and line separator.

In a part of a file, a line belongs to the part that contains its first byte.  The reader of a part searches the
first line that begins in it, and reads to the end of the last one, which may be in the next part.  Line separators
that cannot overlap are found from any position.  Operations on many lines work without a Python object per line.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import AnyStr, BinaryIO

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.files import SourceFile, is_compressed, open_text, unreadable_if_broken
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import coalesce
from pyspark_cloudfiles.options import Options

# Formats whose records are lines, unless an option says otherwise.
_UNLESS = {"json": "multiline", "csv": "multiline", "text": "wholetext"}
_CHUNK = 64 * 1024
# An end of line is not a blank here, so that each line is matched by itself.
_BLANK_LINE = re.compile(rb"^[\x00-\x09\x0b-\x20]*\n", re.MULTILINE)
_BLANK_START = re.compile(rb"(?:[\x00-\x09\x0b-\x20]*\n)*")
_BLANK = "".join(map(chr, range(0x21)))
_END = re.compile(rb"[\r\n]")
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Java's encodings of these names have this byte order, without a mark of another.
_BIG_ENDIAN = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}


class Block:
    """Some lines of some files, as many as fit a batch.

    ``files`` has the number of lines of each file; ``content`` the lines, each ended by LF, or, if records may contain
    ends of lines, a list of the records.
    """

    def __init__(self, files: list[tuple[SourceFile, int]], content: bytes | list[bytes]) -> None:
        self.files = files
        self.data = content if isinstance(content, bytes) else None
        self._lines = None if isinstance(content, bytes) else content
        self._ends = list(accumulate(lines for _, lines in files))
        self.count = self._ends[-1] if files else 0

    @property
    def lines(self) -> list[bytes]:
        """The lines, without their ends."""
        if self._lines is None:
            self._lines = self.data.split(b"\n")[:-1]  # type: ignore[union-attr]
        return self._lines

    def text(self, number: int) -> str:
        return self.lines[number].decode("utf-8", "replace")

    def file_of(self, number: int) -> SourceFile:
        return self.files[bisect_right(self._ends, number)][0]


def blocks(parts: Iterable[tuple[SourceFile, bytes | list[bytes]]]) -> Iterator[Block]:
    """Yield parts of files, whole lines or lists of records, in blocks of at most ``BATCH_BYTES`` (or one part)."""
    for some in coalesce(parts, lambda part: size_of(part[1])):
        first = some[0][1]
        if isinstance(first, bytes):
            files = [(file, data.count(b"\n")) for file, data in some]
            yield Block(files, first if len(some) == 1 else b"".join(data for _, data in some))  # type: ignore[misc]
        else:
            files = [(file, len(records)) for file, records in some]
            yield Block(files, [record for _, records in some for record in records])  # type: ignore[misc]


def size_of(content: bytes | list[bytes]) -> int:
    return len(content) if isinstance(content, bytes) else sum(map(len, content))


def lines_of_files(files: Sequence[SourceFile], options: Mapping[str, str]) -> Iterator[tuple[SourceFile, bytes]]:
    separator = line_separator(options)
    return ((file, to_lf_ends(data, separator)) for file in files for data in text_pieces(file, options))


def records_of_files(
    files: Sequence[SourceFile], options: Mapping[str, str]
) -> Iterator[tuple[SourceFile, list[bytes]]]:
    """Yield the lines of files as lists, for those with LF in them if ``lineSep`` is another."""
    return ((file, lines) for file in files for lines in line_pieces(file, options))


def to_lf_ends(data: bytes, separator: bytes | None = None) -> bytes:
    """Return a text whose lines end with LF, also the last."""
    if separator is not None:
        data = data.replace(separator, b"\n")
    elif b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return data


def line_pieces(file: SourceFile, options: Mapping[str, str]) -> Iterator[list[bytes]]:
    separator = line_separator(options)
    return (split_lines(data, separator) for data in text_pieces(file, options))


def text_pieces(file: SourceFile, options: Mapping[str, str]) -> Iterator[bytes]:
    """Yield the text of a file, or of a part of one, in pieces of whole lines and of a limited size."""
    if file.is_part:
        with unreadable_if_broken(file), file.open() as stream:
            _, encoding = detect_encoding(stream.read(4), options)
            stream.seek(0)
            if encoding == "utf-8":
                yield from whole_lines(stream, file, line_separator(options))
            elif not file.start:
                # In these encodings line ends are not found from any position: the task of the first part reads all.
                yield from _decoded_lines(stream, options)
        return
    if file.size <= base.BATCH_BYTES and not is_compressed(file):
        yield to_utf8(file.read_bytes(), options)
        return
    with unreadable_if_broken(file), open_text(file) as stream:
        yield from _decoded_lines(stream, options)


def split_lines(data: bytes, separator: bytes | None) -> list[bytes]:
    """Return the lines of a text: at LF, CR and CRLF, or at the separator."""
    if separator is None:
        return data.splitlines()
    lines = data.split(separator)
    return lines if lines[-1] else lines[:-1]


def line_separator(options: Mapping[str, str]) -> bytes | None:
    text = options.get("linesep")
    return text.encode() if text else None


def to_utf8(data: bytes, options: Mapping[str, str]) -> bytes:
    """Return a file's content in UTF-8, without byte order mark."""
    mark, encoding = detect_encoding(data[:4], options)
    return data[mark:] if encoding == "utf-8" else data[mark:].decode(encoding, "replace").encode()


def detect_encoding(start: bytes, options: Mapping[str, str]) -> tuple[int, str]:
    """Return the length of the byte order mark, and the encoding: by mark, by option, or by the zeros at the start."""
    for mark, encoding in _BOMS.items():
        if start.startswith(mark):
            return len(mark), encoding
    name = options.get("encoding", options.get("charset"))
    if name:
        try:
            found = codecs.lookup(name).name
        except LookupError as error:
            raise InvalidOption(f"There is no encoding {name!r}.") from error
        return 0, _BIG_ENDIAN.get(found, found)
    zeros = tuple(byte == 0 for byte in start)
    if len(zeros) < 4:
        return 0, "utf-8"
    if zeros[0]:
        return 0, "utf-32-be" if zeros[1] and zeros[2] else "utf-8" if zeros[1] else "utf-16-be"
    if zeros[1]:
        return 0, "utf-32-le" if zeros[2] and zeros[3] else "utf-16-le"
    return 0, "utf-8"


def whole_lines(stream: BinaryIO, file: SourceFile, separator: bytes | None) -> Iterator[bytes]:
    """Yield the bytes of a file, or of a part of one, unchanged, in pieces of whole lines and of a limited size."""
    source = LinesOfPart(stream, file, separator) if file.is_part else stream
    start = b"" if file.start else source.read(len(codecs.BOM_UTF8))
    return _pieces_of(source, start.removeprefix(codecs.BOM_UTF8), None, separator)


def _decoded_lines(stream: BinaryIO, options: Mapping[str, str]) -> Iterator[bytes]:
    start = stream.read(4)
    mark, encoding = detect_encoding(start, options)
    decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)("replace")
    return _pieces_of(stream, start[mark:], decoder, line_separator(options))


def _pieces_of(
    stream: BinaryIO | LinesOfPart, data: bytes, decoder: codecs.IncrementalDecoder | None, separator: bytes | None
) -> Iterator[bytes]:
    waiting, tail, last = [], b"", False
    longest = len(separator or b"\r\n")
    while not last:
        more = stream.read(base.BATCH_BYTES)
        last = not more
        data += more
        if decoder is not None:
            data = decoder.decode(data, last).encode()
        waiting.append(data)
        # An end of line may begin in one piece and end in the next.
        if last or _end_of_lines(data, separator) or _end_of_lines(tail + data[:longest], separator):
            joined = b"".join(waiting)
            end = len(joined) if last else _end_of_lines(joined, separator)
            if end:
                yield joined[:end]
            waiting = [joined[end:]]
        tail = (tail + data[-longest:])[-longest:]
        data = b""


def _end_of_lines(data: bytes, separator: bytes | None) -> int:
    """Return the end of the last whole line, or 0."""
    if separator is None:
        # The LF of a CRLF may be in the next piece.
        return data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
    if separator not in data:
        return 0
    # Lines are cut from their beginning on, which matters for an end of line that can begin in another one.
    return len(data) - len(data.split(separator)[-1]) if overlaps(separator) else data.rfind(separator) + len(separator)


def has_lines(options: Options) -> bool:
    """Whether the records of a stream's files are lines whose ends are found from any position in a file."""
    unless = _UNLESS.get(options.format.lower())
    if unless is None or options.format_options.get(unless, "false").lower() == "true":
        return False
    if options.format_options.get("skiprows", "0") != "0" and options.format.lower() == "csv":
        return False  # their end is only known from the beginning of the file
    separator = options.format_options.get("linesep")
    if separator is None:
        return True
    # The bytes of text files are taken as they are, in the encoding of the separator.
    encoded = {"encoding", "charset"} & options.format_options.keys() and options.format.lower() == "text"
    return not encoded and not overlaps(separator)


def overlaps(separator: AnyStr) -> bool:
    """Whether line separators can overlap, so that their positions depend on earlier lines."""
    return any(separator.startswith(separator[start:]) for start in range(1, len(separator)))


class LinesOfPart:
    """The lines of a part of a file, as a stream; without a separator lines end with LF, CR or CRLF."""

    def __init__(self, stream: BinaryIO, file: SourceFile, separator: bytes | None) -> None:
        self._stream = stream
        begin = _line_start(stream, file.start, separator) if file.start else 0
        self._left = None if file.last is None else max(0, _line_start(stream, file.last, separator) - begin)
        stream.seek(begin)

    def read(self, size: int) -> bytes:
        if self._left is None:
            return self._stream.read(size)
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


def _line_start(stream: BinaryIO, position: int, separator: bytes | None) -> int:
    """Return the start of the first line at or after a position, or the end of the file."""
    place = max(0, position - (1 if separator is None else len(separator)))
    stream.seek(place)
    data = b""
    while chunk := stream.read(_CHUNK):
        data += chunk
        end = _end_of_line(data, separator)
        if end is not None:
            return place + end
        # The last bytes may be the beginning of an end of line.
        keep = int(data.endswith(b"\r")) if separator is None else min(len(separator) - 1, len(data))
        place, data = place + len(data) - keep, data[len(data) - keep :]
    return place + len(data)


def _end_of_line(data: bytes, separator: bytes | None) -> int | None:
    """Return the end of the first line of a text; None if that needs more of the text."""
    if separator is not None:
        found = data.find(separator)
        return None if found < 0 else found + len(separator)
    match = _END.search(data)
    if match is None or (match[0] == b"\r" and match.end() == len(data)):
        return None
    return match.end() + data.startswith(b"\n", match.end()) if match[0] == b"\r" else match.end()


def remove_blank_lines(data: bytes) -> bytes:
    """Remove lines of only whitespace and control characters."""
    return _BLANK_LINE.sub(b"", data)


def remove_blank_start(data: bytes) -> bytes:
    """Remove blank lines at the beginning."""
    return data if data[:1] > b" " else data[_BLANK_START.match(data).end() :]  # type: ignore[union-attr]


def remove_first_lines(data: bytes, count: int) -> tuple[bytes, int]:
    """Remove lines at the beginning; return the rest, and the number of lines still to be removed after it."""
    position = 0
    while count and position < len(data):
        position = data.find(b"\n", position) + 1
        count -= 1
    return data[position:], count


def remove_comments(mark: str, data: bytes) -> bytes:
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
    return not line.strip(_BLANK)


def is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
