"""The format ``json``: a record per line, or with ``multiLine`` per file or per element of its array.

How it is read is in :mod:`.parser`; the process that infers a schema does without Arrow, whose import takes longer
than a look at a few files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from pyspark.sql.types import StructType

from pyspark_cloudfiles.filesystems.compression import read_text
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records import text_lines
from pyspark_cloudfiles.formats.records.blocks import Block, blocks

_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw]).decode


class JsonFormat:
    """The format ``json``."""

    name = "json"

    def fixed_schema(self) -> StructType | None:
        """Return None: the schema is in the data."""
        return None

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
        """Return the schema of the files."""
        from pyspark_cloudfiles.formats.json.inference import inferred  # tasks that read do not infer

        return inferred((line for block in _blocks(files, request) for line in block.lines if line), request)

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files."""
        from pyspark_cloudfiles.formats.json.parser import JsonParser
        from pyspark_cloudfiles.formats.records.engine import Engine  # see above

        return map(Engine(JsonParser(request), request).rows, _blocks(files, request))


def _blocks(files: Sequence[SourceFile], request: ReadRequest | InferRequest) -> Iterator[Block]:
    options = request.options
    if options.get("multiline", "false").lower() == "true":
        return blocks((file, _records(text_lines.utf8(read_text(file), options))) for file in files)
    if text_lines.line_separator(options) is None:
        return blocks(text_lines.lines_of_files(files, options))
    # Then records may have ends of lines in them.
    return blocks(text_lines.records_of_files(files, options))


def _records(data: bytes) -> list[bytes]:
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
