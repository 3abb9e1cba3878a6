"""The format ``avro``, read a few blocks at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import fastavro
import fastavro.read
import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.errors import CloudFilesError, InferenceFailed, InvalidOption, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import BATCH_BYTES, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.records.batches import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.typed.arrow_types import Change
from pyspark_cloudfiles.formats.typed.avro_types import AvroType, AvroTypes, UnknownAvroTypeError
from pyspark_cloudfiles.formats.typed.calendars import datetime_calendar
from pyspark_cloudfiles.formats.typed.fitting import FileColumns
from pyspark_cloudfiles.formats.typed.merging import Merged

# What blocks have before they are decompressed and Python's objects are made of them, which take more.
_BLOCK_BYTES = BATCH_BYTES // 8
_MOST_ROWS = 10_000
# A union of records, enums or fixed types: the name tells which branch a value is.
_NAMES = {"return_record_name": True, "return_record_name_override": True, "return_named_type": True}
_NAMES["return_named_type_override"] = True


class AvroFormat:
    """Reads what Spark's Avro reader reads, with its option ``avroSchema``; times of the day are numbers."""

    name = "avro"

    def fixed_schema(self) -> None:
        """Return None: each file has its own."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        """Return the files' schemas, merged; or the one that ``avroSchema`` gives."""
        given = _given_schema(request.options)
        if given is not None:
            return _struct(given).spark
        merged = Merged(request.case_sensitive, request.hinted)
        for file in files:
            with _opened(file, None) as blocks:
                if blocks is not None:
                    merged.add(_inferred(file, blocks), file.url)
        return merged.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        """Read the files."""
        given = _given_schema(request.options)
        return batches_of(piece for file in files for piece in _pieces(file, request, given))


def _pieces(file: SourceFile, request: ReadRequest, given: Any) -> Iterator[FileRows]:
    with _opened(file, given) as blocks:
        if blocks is None:
            return
        found = _struct(given if given is not None else blocks.writer_schema)
        columns = FileColumns(file, found.spark, request, _change(file, blocks, request))
        for rows in _rows(blocks):
            yield columns.piece(_batch(rows, found, columns.needed()))


def _change(file: SourceFile, blocks: fastavro.block_reader, request: ReadRequest) -> Change:
    """Return what makes Spark's values of those that a file has in its own calendar."""
    metadata = {key.encode(): str(value).encode() for key, value in blocks.metadata.items()}
    calendar = datetime_calendar(metadata, request.options)

    def change(array: pa.Array, data_type: T.DataType) -> pa.Array:
        if isinstance(data_type, T.DateType):
            return calendar.dates(array, file)
        return calendar.timestamps(array, file) if isinstance(data_type, T.TimestampType) else array

    return change


@contextmanager
def _opened(file: SourceFile, given: Any) -> Iterator[fastavro.block_reader | None]:
    """Open a file; None for one without any bytes, which Spark passes over."""
    try:
        with file.open() as source:
            if not source.read(1):
                yield None
                return
            source.seek(0)
            yield fastavro.block_reader(source, reader_schema=given, **_NAMES)
    except CloudFilesError:
        raise
    except Exception as error:  # fastavro raises whatever its parsing meets
        raise UnreadableFile(file.url, f"it cannot be read as an Avro file ({error!r}).") from error


def _inferred(file: SourceFile, blocks: fastavro.block_reader) -> T.DataType:
    try:
        return _struct(blocks.writer_schema).spark
    except UnknownAvroTypeError as error:
        raise InferenceFailed(f"{file.url} has {error}, which cannot be read here.") from error


def _rows(blocks: fastavro.block_reader) -> Iterator[list[dict[str, Any]]]:
    """Yield the records of some blocks at a time."""
    rows: list[dict[str, Any]] = []
    size = 0
    for block in blocks:
        size += block.size
        with _times_as_numbers():
            found = list(block)
        for row in found:
            rows.append(row)
            if len(rows) >= _MOST_ROWS:
                yield rows
                rows = []
        if size >= _BLOCK_BYTES and rows:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


class _Number(int):
    """A date or a time of Avro, which is an integer: Python's own types end at the years 1 and 9999."""


_TIMES: dict[str, Any] = {
    "int-date": lambda value, *_: _Number(value),
    "long-timestamp-micros": lambda value, *_: _Number(value),
    "long-timestamp-millis": lambda value, *_: _Number(value * 1000),
}
_TIMES |= {kind.replace("long-", "long-local-"): read for kind, read in _TIMES.items() if kind != "int-date"}


@contextmanager
def _times_as_numbers() -> Iterator[None]:
    """Have fastavro return days and microseconds since the epoch, as Arrow takes them."""
    readers = fastavro.read.LOGICAL_READERS
    before = {kind: readers[kind] for kind in _TIMES}
    readers.update(_TIMES)
    try:
        yield
    finally:
        readers.update(before)


def _batch(rows: list[dict[str, Any]], found: AvroType, needed: list[str] | None) -> pa.RecordBatch:
    assert isinstance(found.spark, T.StructType)
    if found.convert is not None:
        rows = [found.convert(row) for row in rows]
    fields = [field for field in found.spark if needed is None or field.name in needed]
    arrays = [
        pa.array([row[field.name] for row in rows], to_arrow_type(field.dataType, timezone="UTC")) for field in fields
    ]
    schema = pa.schema([pa.field(field.name, array.type) for field, array in zip(fields, arrays, strict=True)])
    return batch_of(arrays, schema, len(rows))


def _struct(schema: Any) -> AvroType:
    """Return the type of a file's records; as to Spark, it must be a record."""
    named: dict[str, Any] = {}
    found = AvroTypes(named).of(fastavro.parse_schema(schema, named_schemas=named, _write_hint=False))
    if not isinstance(found.spark, T.StructType):
        raise UnknownAvroTypeError("no records, but single values")
    return found


def _given_schema(options: Any) -> Any:
    text = options.get("avroschema")
    if text is None:
        return None
    try:
        schema = json.loads(text)
        _struct(schema)
    except Exception as error:  # as above
        raise InvalidOption(f"avroSchema is no schema of Avro records: {error!r}.") from error
    return schema


def _snappy(source: Any) -> io.BytesIO:
    """Decompress a block with what is there anyway; fastavro would want another package."""
    data = source.read(_number(source, zigzag=True))[:-4]  # without the checksum
    size = _number(io.BytesIO(data), zigzag=False)
    return io.BytesIO(pa.decompress(data, decompressed_size=size, codec="snappy", asbytes=True))


def _zstandard(source: Any) -> io.BytesIO:
    data = io.BytesIO(source.read(_number(source, zigzag=True)))
    return io.BytesIO(pa.CompressedInputStream(data, "zstd").read())


def _number(source: Any, zigzag: bool) -> int:
    value, shift, more = 0, 0, True
    while more:
        byte = source.read(1)[0]
        value |= (byte & 0x7F) << shift
        shift, more = shift + 7, byte > 0x7F
    return (value >> 1) ^ -(value & 1) if zigzag else value


for _codec, _read_block in {"snappy": _snappy, "zstandard": _zstandard}.items():
    if "missing" in getattr(fastavro.read.BLOCK_READERS[_codec], "__name__", ""):
        fastavro.read.BLOCK_READERS[_codec] = _read_block

FORMAT = AvroFormat()
