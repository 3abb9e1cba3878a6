"""The format ``avro``, read a few blocks at a time, with Avro's types as Spark's and Avro's values as Arrow's.

As in Spark's Avro reader, a union with null is nullable, a union of several types is a struct with a member for each,
and an enum or a UUID is a STRING.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import time
from typing import Any, NamedTuple

import fastavro
import fastavro.read
import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.errors import CloudFilesError, InferenceFailed, InvalidOption, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import BATCH_BYTES, Format, InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.columnar import file_calendar
from pyspark_cloudfiles.formats.engine import FileRows, batch_of, batches_of
from pyspark_cloudfiles.formats.file_schemas import PROPERTY, Merged, NoArrowTypeError, parse_note
from pyspark_cloudfiles.formats.fitting import FileColumns

Convert = Callable[[Any], Any]


class AvroType(NamedTuple):
    """A Spark type, and the conversion of fastavro's values into Arrow's, if needed."""

    spark: T.DataType
    convert: Convert | None = None


class UnknownAvroTypeError(ValueError):
    """Spark has no type for a file's."""


def _since_midnight(unit: int) -> Convert:
    def convert(value: time) -> int:
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return (seconds * 1_000_000 + value.microsecond) // unit

    return convert


_ATOMS = {
    "null": AvroType(T.NullType()),
    "boolean": AvroType(T.BooleanType()),
    "int": AvroType(T.IntegerType()),
    "long": AvroType(T.LongType()),
    "float": AvroType(T.FloatType()),
    "double": AvroType(T.DoubleType()),
    "bytes": AvroType(T.BinaryType()),
    "fixed": AvroType(T.BinaryType()),
    "string": AvroType(T.StringType()),
    "enum": AvroType(T.StringType()),
    "int-date": AvroType(T.DateType()),
    "long-timestamp-millis": AvroType(T.TimestampType()),
    "long-timestamp-micros": AvroType(T.TimestampType()),
    "long-local-timestamp-millis": AvroType(T.TimestampNTZType()),
    "long-local-timestamp-micros": AvroType(T.TimestampNTZType()),
    "string-uuid": AvroType(T.StringType(), str),
    # To Spark, times of the day are numbers.
    "int-time-millis": AvroType(T.IntegerType(), _since_midnight(1000)),
    "long-time-micros": AvroType(T.LongType(), _since_midnight(1)),
}
# The Python types of a union's branches.
_PYTHON_TYPES = {
    "boolean": bool,
    **dict.fromkeys(("int", "long"), int),
    **dict.fromkeys(("float", "double"), float),
    **dict.fromkeys(("bytes", "fixed"), bytes),
    **dict.fromkeys(("string", "enum"), str),
    "array": list,
    **dict.fromkeys(("map", "record"), dict),
}


class AvroTypes:
    """The types of one schema, whose named types ``fastavro.parse_schema`` has collected."""

    def __init__(self, named: dict[str, Any]) -> None:
        self._named, self._inside = named, set[str]()

    def convert(self, schema: Any) -> AvroType:
        """Return the type of a parsed schema; refuse recursive ones, and decimals of over 38 digits."""
        if isinstance(schema, list):
            return self._union(schema)
        schema = self._resolved(schema)
        kind = schema["type"]
        if isinstance(kind, dict | list):
            return self.convert(kind)
        match kind:
            case "record" | "error":
                return self._record(schema)
            case "array":
                element, inner = self.convert(schema["items"])
                if inner is None:
                    return AvroType(T.ArrayType(element))
                return AvroType(
                    T.ArrayType(element), lambda value: [None if item is None else inner(item) for item in value]
                )
            case "map":
                item, change = self.convert(schema["values"])
                found = T.MapType(T.StringType(), item)
                if change is None:
                    return AvroType(found, lambda value: list(value.items()))
                return AvroType(
                    found, lambda value: [(key, None if item is None else change(item)) for key, item in value.items()]
                )
        if schema.get("logicalType") == "decimal" and kind in ("bytes", "fixed"):
            if schema["precision"] > 38:
                raise UnknownAvroTypeError(f"a decimal of {schema['precision']} digits")
            return AvroType(T.DecimalType(schema["precision"], schema.get("scale", 0)))
        if kind in ("int", "long"):
            try:
                if noted := parse_note(schema.get(PROPERTY), ""):
                    return AvroType(noted)
            except NoArrowTypeError:
                raise UnknownAvroTypeError("an interval of years and months") from None
        return _ATOMS.get(f"{kind}-{schema.get('logicalType')}", _ATOMS[kind])

    def _resolved(self, schema: Any) -> dict[str, Any]:
        if isinstance(schema, str):
            return self._named.get(schema) or {"type": schema}
        return schema

    def _record(self, schema: dict[str, Any]) -> AvroType:
        name = schema["name"]
        if name in self._inside:
            raise UnknownAvroTypeError(f"{name}, which contains itself")
        self._inside.add(name)
        fields = {field["name"]: self.convert(field["type"]) for field in schema["fields"]}
        self._inside.discard(name)
        struct = T.StructType([T.StructField(name, found.spark) for name, found in fields.items()])
        converts = {name: found.convert for name, found in fields.items() if found.convert is not None}
        if not converts:
            return AvroType(struct)

        def convert(value: dict[str, Any]) -> dict[str, Any]:
            changed = {name: converts[name](value[name]) for name in converts if value[name] is not None}
            return value | changed

        return AvroType(struct, convert)

    def _union(self, branches: list[Any]) -> AvroType:
        present = [branch for branch in branches if self._kind(branch) != "null"]
        kinds = {self._kind(branch) for branch in present}
        if not present:
            return _ATOMS["null"]
        if len(present) == 1:
            return self.convert(present[0])
        if len(present) == 2 and kinds in ({"int", "long"}, {"float", "double"}):
            return _ATOMS["long" if "long" in kinds else "double"]
        return self._members(present)

    def _members(self, branches: list[Any]) -> AvroType:
        """Return the struct with a member for each branch, of which one has a value."""
        types = [self.convert(branch) for branch in branches]
        members = [f"member{index}" for index in range(len(types))]
        struct = T.StructType([T.StructField(name, found.spark) for name, found in zip(members, types, strict=True)])

        def convert(value: Any) -> dict[str, Any]:
            index, plain = self._branch(value, branches)
            inner = types[index].convert
            return dict.fromkeys(members) | {members[index]: plain if inner is None else inner(plain)}

        return AvroType(struct, convert)

    def _branch(self, value: Any, branches: list[Any]) -> tuple[int, Any]:
        """Return the branch of a value, and the value; fastavro returns a named type with its name."""
        if isinstance(value, tuple):
            name, value = value
            for index, branch in enumerate(branches):
                if self._resolved(branch).get("name") == name:
                    return index, value
        for exact in (True, False):
            for index, branch in enumerate(branches):
                python = _PYTHON_TYPES[self._kind(branch)]
                logical = "logicalType" in self._resolved(branch)
                if type(value) is python or (logical and not exact and type(value) not in _PYTHON_TYPES.values()):
                    return index, value
        raise UnknownAvroTypeError(f"a union without a branch for {value!r}")

    def _kind(self, branch: Any) -> str:
        return self._resolved(branch)["type"]


# The size of compressed blocks; their Python objects take more.
_BLOCK_BYTES = BATCH_BYTES // 8
_ROWS_LIMIT = 10_000
# In a union of records, enums or fixed types, the name identifies the branch of a value.
_NAMES = {"return_record_name": True, "return_record_name_override": True, "return_named_type": True}
_NAMES["return_named_type_override"] = True


class AvroFormat(Format):
    """Reads what Spark's Avro reader reads, with its option ``avroSchema``; times of the day are numbers."""

    def infer(self, files: Sequence[SourceFile], request: InferRequest) -> T.StructType:
        given = _given_schema(request.options)
        if given is not None:
            return _struct(given).spark
        merged = Merged(request.case_sensitive, request.hinted)
        for file in files:
            with _open_avro(file, None) as blocks:
                if blocks is not None:
                    try:
                        merged.add(_struct(blocks.writer_schema).spark, file.url)
                    except UnknownAvroTypeError as error:
                        raise InferenceFailed(f"{file.url} has {error}, which cannot be read here.") from error
        return merged.schema()

    def read(self, files: Sequence[SourceFile], request: ReadRequest) -> Iterator[Rows]:
        given = _given_schema(request.options)
        return batches_of(piece for file in files for piece in _pieces(file, request, given))


def _pieces(file: SourceFile, request: ReadRequest, given: Any) -> Iterator[FileRows]:
    with _open_avro(file, given) as blocks:
        if blocks is None:
            return
        found = _struct(given if given is not None else blocks.writer_schema)
        metadata = {key.encode(): str(value).encode() for key, value in blocks.metadata.items()}
        calendar = file_calendar(metadata, request.options)

        def convert_times(array: pa.Array, data_type: T.DataType) -> pa.Array:
            if isinstance(data_type, T.DateType):
                return calendar.dates(array, file)
            return calendar.timestamps(array, file) if isinstance(data_type, T.TimestampType) else array

        columns = FileColumns(file, found.spark, request, convert_times)
        needed = columns.needed()
        assert isinstance(found.spark, T.StructType)
        fields = [field for field in found.spark if needed is None or field.name in needed]
        types = [to_arrow_type(field.dataType, timezone="UTC") for field in fields]
        schema = pa.schema([pa.field(field.name, arrow) for field, arrow in zip(fields, types, strict=True)])
        for rows in _rows(blocks):
            if found.convert is not None:
                rows = [found.convert(row) for row in rows]
            arrays = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
            yield columns.piece(batch_of(arrays, schema, len(rows)))


@contextmanager
def _open_avro(file: SourceFile, given: Any) -> Iterator[fastavro.block_reader | None]:
    """Open a file, or yield None for an empty one, which Spark skips."""
    try:
        with file.open() as source:
            if not source.read(1):
                yield None
                return
            source.seek(0)
            yield fastavro.block_reader(source, reader_schema=given, **_NAMES)
    except CloudFilesError:
        raise
    except Exception as error:  # fastavro raises any exception of its parsing
        raise UnreadableFile(file.url, f"it cannot be read as an Avro file ({error!r}).") from error


def _rows(blocks: fastavro.block_reader) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    size = 0
    for block in blocks:
        size += block.size
        with _times_as_numbers():
            found = list(block)
        for row in found:
            rows.append(row)
            if len(rows) >= _ROWS_LIMIT:
                yield rows
                rows = []
        if size >= _BLOCK_BYTES and rows:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


class _Number(int):
    """A date or a time of Avro as an integer: Python's own types end at the years 1 and 9999."""


_TIMES: dict[str, Any] = {
    "int-date": lambda value, *_: _Number(value),
    "long-timestamp-micros": lambda value, *_: _Number(value),
    "long-timestamp-millis": lambda value, *_: _Number(value * 1000),
}
_TIMES |= {kind.replace("long-", "long-local-"): read for kind, read in _TIMES.items() if kind != "int-date"}


@contextmanager
def _times_as_numbers() -> Iterator[None]:
    """Make fastavro return days and microseconds since the epoch, as Arrow takes them."""
    readers = fastavro.read.LOGICAL_READERS
    before = {kind: readers[kind] for kind in _TIMES}
    readers.update(_TIMES)
    try:
        yield
    finally:
        readers.update(before)


def _struct(schema: Any) -> AvroType:
    """Return the type of a file's records; Spark reads no single values."""
    named: dict[str, Any] = {}
    found = AvroTypes(named).convert(fastavro.parse_schema(schema, named_schemas=named, _write_hint=False))
    if not isinstance(found.spark, T.StructType):
        raise UnknownAvroTypeError("single values instead of records")
    return found


def _given_schema(options: Any) -> Any:
    text = options.get("avroschema")
    if text is None:
        return None
    try:
        schema = json.loads(text)
        _struct(schema)
    except Exception as error:  # fastavro raises any exception of its parsing
        raise InvalidOption(f"avroSchema is not a schema of Avro records: {error!r}.") from error
    return schema


def _snappy(source: Any) -> io.BytesIO:
    """Decompress a block with pyarrow; fastavro needs another package."""
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
