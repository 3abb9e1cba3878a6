"""The format ``json``: a record per line, or with ``multiLine`` per file or per element of its array.

How it is read is in :mod:`.parser`; the process that infers a schema does without Arrow, whose import takes longer
than a look at a few files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from pyspark.sql import types as T

from pyspark_cloudfiles.filesystems.compression import read_text
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records import text_lines
from pyspark_cloudfiles.formats.records.blocks import blocks

_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw]).decode


class JsonFormat:
    """The format ``json``."""

    name = "json"

    def fixed_schema(self) -> T.StructType | None:
        """Return None: the schema is in the data."""
        return None

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the schema of the files."""
        from pyspark_cloudfiles.formats.json.inference import inferred  # tasks that read do not infer

        return inferred((record for _, some in _records(files, request) for record in some if record), request)

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files."""
        from pyspark_cloudfiles.formats.json.parser import JsonParser
        from pyspark_cloudfiles.formats.records.engine import Engine  # see above

        # Where lines have an end of their own, records may have the usual one in them.
        is_plain = not _spans_lines(request) and text_lines.line_separator(request.options) is None
        parts = text_lines.lines_of_files(files, request.options) if is_plain else _records(files, request)
        return map(Engine(JsonParser(request), request).rows, blocks(parts))


def _spans_lines(request: ReadRequest | InferRequest) -> bool:
    return request.options.get("multiline", "false").lower() == "true"


def _records(
    files: Sequence[SourceFile], request: ReadRequest | InferRequest
) -> Iterator[tuple[SourceFile, list[bytes]]]:
    if not _spans_lines(request):
        return text_lines.records_of_files(files, request.options)
    return ((file, _elements(text_lines.utf8(read_text(file), request.options))) for file in files)


def _elements(data: bytes) -> list[bytes]:
    """Return the elements of a document that is an array of objects, or else the document."""
    if data.lstrip(b" \t\r\n")[:1] == b"[":
        try:
            elements = [bytes(element) for element in _ELEMENTS(data)]
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return [data]
        if all(element[:1] == b"{" for element in elements):
            return elements
    return [data]


FORMAT = JsonFormat()
