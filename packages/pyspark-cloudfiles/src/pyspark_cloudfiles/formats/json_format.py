"""JSON: a record per line, or per file or element of its array with ``multiLine``.

How it is read is in :mod:`json_reading`; the process that infers a schema does without Arrow, whose import takes longer
than a look at a few files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from pyspark.sql.types import StructType

from pyspark_cloudfiles.filesystems.compression import read_text
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base, text_lines
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows

_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw]).decode


class JsonFormat:
    """The format ``json``."""

    name = "json"

    def fixed_schema(self) -> StructType | None:
        """Return None: the schema is in the data."""
        return None

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> StructType:
        """Return the schema of the files."""
        from pyspark_cloudfiles.formats.json_infer import inferred  # tasks that read do not infer

        return inferred((line for block in _blocks(files, request) for line in block.lines), request)

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read files."""
        from pyspark_cloudfiles.formats.json_reading import Reader  # see above

        reader = Reader(request)
        if _spans_lines(request) or text_lines.line_separator(request.options) is not None:
            # Whose records may have ends of lines in them.
            return map(reader.rows, _blocks(files, request))
        return map(reader.rows_of_text, text_lines.whole_texts(files, request.options))


def _spans_lines(request: ReadRequest | InferRequest) -> bool:
    return request.options.get("multiline", "false").lower() == "true"


def _blocks(files: Sequence[SourceFile], request: ReadRequest | InferRequest) -> Iterator[text_lines.Block]:
    if not _spans_lines(request):
        for block in text_lines.blocks(files, request.options):
            yield text_lines.without_blank_lines(block)
        return
    block = text_lines.Block()
    for file in files:
        data = text_lines.utf8(read_text(file), request.options)
        if block.files and block.size + len(data) > base.BATCH_BYTES:
            yield block
            block = text_lines.Block()
        block.add(file, _records(data), len(data))
    if block.files:
        yield block


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
