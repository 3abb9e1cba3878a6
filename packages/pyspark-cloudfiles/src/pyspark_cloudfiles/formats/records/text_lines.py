"""The lines of text files, in UTF-8 and in pieces of a limited size, whatever their encoding and line separator."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.compression import is_compressed, open_text, unreadable_if_broken
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.records.line_ranges import LinesOfPart, overlaps

_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# What Java calls so has this byte order, if no mark tells another.
_BIG_ENDIAN = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}


def lines_of_files(files: Sequence[SourceFile], options: Mapping[str, str]) -> Iterator[tuple[SourceFile, bytes]]:
    """Yield the lines of files, each ended by LF, in parts of a limited size."""
    separator = line_separator(options)
    return ((file, plain(data, separator)) for file in files for data in texts(file, options))


def records_of_files(
    files: Sequence[SourceFile], options: Mapping[str, str]
) -> Iterator[tuple[SourceFile, list[bytes]]]:
    """Yield the same lines as lists, for they may have LF in them where ``lineSep`` is another."""
    return ((file, lines) for file in files for lines, _ in pieces(file, options))


def plain(data: bytes, separator: bytes | None = None) -> bytes:
    """Return a text with the ends of its lines made LF, the last line's too."""
    if separator is not None:
        data = data.replace(separator, b"\n")
    elif b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return data


def pieces(file: SourceFile, options: Mapping[str, str]) -> Iterator[tuple[list[bytes], int]]:
    """Give the lines of a file, in pieces of a limited size, each with its size."""
    separator = line_separator(options)
    for data in texts(file, options):
        yield split(data, separator), len(data)


def texts(file: SourceFile, options: Mapping[str, str]) -> Iterator[bytes]:
    """Give the text of a file, or of a part of one, in pieces of whole lines and of a limited size."""
    if file.is_part:
        with unreadable_if_broken(file), file.open() as stream:
            _, encoding = encoding_of(stream.read(4), options)
            stream.seek(0)
            if encoding == "utf-8":
                yield from whole_lines(stream, file, line_separator(options))
            elif not file.start:
                # In these encodings line ends are not found from any position: the task with the first part reads all.
                yield from _decoded_lines(stream, options, line_separator(options))
        return
    if file.size <= base.BATCH_BYTES and not is_compressed(file):
        yield utf8(file.read_bytes(), options)
        return
    with unreadable_if_broken(file), open_text(file) as stream:
        yield from _decoded_lines(stream, options, line_separator(options))


def split(data: bytes, separator: bytes | None) -> list[bytes]:
    """Return the lines of a text: at LF, CR and CRLF, or at the separator."""
    if separator is None:
        return data.splitlines()
    lines = data.split(separator)
    return lines if lines[-1] else lines[:-1]


def line_separator(options: Mapping[str, str]) -> bytes | None:
    """Return the option ``lineSep``."""
    text = options.get("linesep")
    return text.encode() if text else None


def utf8(data: bytes, options: Mapping[str, str]) -> bytes:
    """Return a file's content in UTF-8, without byte order mark."""
    mark, encoding = encoding_of(data[:4], options)
    return data[mark:] if encoding == "utf-8" else data[mark:].decode(encoding, "replace").encode()


def encoding_of(start: bytes, options: Mapping[str, str]) -> tuple[int, str]:
    """Return the length of the byte order mark, and the encoding: by option, by mark, or by the zeros of its start."""
    for mark, encoding in _BOMS.items():
        if start.startswith(mark):
            return len(mark), encoding
    named = options.get("encoding", options.get("charset"))
    if named:
        return 0, _codec(named)
    zeros = tuple(byte == 0 for byte in start)
    if len(zeros) < 4:
        return 0, "utf-8"
    if zeros[0]:
        return 0, "utf-32-be" if zeros[1] and zeros[2] else "utf-8" if zeros[1] else "utf-16-be"
    if zeros[1]:
        return 0, "utf-32-le" if zeros[2] and zeros[3] else "utf-16-le"
    return 0, "utf-8"


def _codec(name: str) -> str:
    try:
        found = codecs.lookup(name).name
    except LookupError as error:
        raise InvalidOption(f"There is no encoding {name!r}.") from error
    return _BIG_ENDIAN.get(found, found)


def whole_lines(stream: BinaryIO, file: SourceFile, separator: bytes | None) -> Iterator[bytes]:
    """Yield the bytes of a file, or of a part of one, as they are, in pieces of whole lines and of a limited size."""
    source = LinesOfPart(stream, file, separator) if file.is_part else stream
    start = b"" if file.start else source.read(len(codecs.BOM_UTF8))
    return _pieces_of(source, start.removeprefix(codecs.BOM_UTF8), None, separator)


def _decoded_lines(stream: BinaryIO, options: Mapping[str, str], separator: bytes | None) -> Iterator[bytes]:
    start = stream.read(4)
    mark, encoding = encoding_of(start, options)
    decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)("replace")
    return _pieces_of(stream, start[mark:], decoder, separator)


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
    """Return where the last whole line ends, or 0."""
    if separator is None:
        end = data.rfind(b"\n") + 1
        # The LF of a CRLF may be in the next piece.
        return end or data.rfind(b"\r", 0, -1) + 1
    if separator not in data:
        return 0
    # Lines are cut from their beginning on, which matters to an end of line that can begin in another one.
    return len(data) - len(data.split(separator)[-1]) if overlaps(separator) else data.rfind(separator) + len(separator)
