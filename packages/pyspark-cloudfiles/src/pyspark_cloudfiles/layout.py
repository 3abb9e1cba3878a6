"""The columns of a stream: the user's hints, the columns of the data, of the path and of the file itself.

``cloudFiles.schemaHints`` is a list of columns and types as in SQL, where a name may be a path into a column:
``user.dob DATE`` for a field of a struct, ``users.element.id INT`` for the elements of an array, ``m.value INT`` and
``m.key`` for a map.  There is no Spark session where a data source runs, so types are parsed here.

New columns are appended to the data columns, new fields to their struct; existing ones keep their place and type.  Only
``addNewColumnsWithTypeWidening`` lets a type grow, and only if every old value fits the new type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import types as T

from pyspark_cloudfiles.conversion import DIGITS, INTEGERS, wider_decimal
from pyspark_cloudfiles.errors import InvalidOption

_NAMES_OF_TYPES: dict[str, T.DataType] = {
    "boolean": T.BooleanType(),
    "tinyint byte": T.ByteType(),
    "smallint short": T.ShortType(),
    "int integer": T.IntegerType(),
    "bigint long": T.LongType(),
    "float real": T.FloatType(),
    "double": T.DoubleType(),
    "date": T.DateType(),
    "timestamp timestamp_ltz": T.TimestampType(),
    "timestamp_ntz": T.TimestampNTZType(),
    "string": T.StringType(),
    "binary": T.BinaryType(),
    "variant": T.VariantType(),
}
_SIMPLE = {name: data_type for names, data_type in _NAMES_OF_TYPES.items() for name in names.split()}
_TOKEN = re.compile(r"\s*(?:`((?:[^`]|``)+)`|([A-Za-z_0-9$\-\u0080-\uffff]+)|([<>(),:.]))")


@dataclass(frozen=True)
class Hint:
    """One hint: the path to a column or field, and its type."""

    path: tuple[str, ...]
    data_type: T.DataType


def parse_hints(text: str | None) -> list[Hint]:
    """Parse schema hints; raise InvalidOption for a text that is not a list of names and types."""
    if text is None:
        return []
    return _HintParser(text).hints()


def apply_hints(schema: T.StructType, hints: Iterable[Hint]) -> T.StructType:
    """Return a schema with the hinted types; columns that it does not have are appended."""
    for hint in hints:
        schema = _with_field(schema, hint.path, hint.data_type)
    return schema


def _with_field(schema: T.StructType, path: tuple[str, ...], data_type: T.DataType) -> T.StructType:
    name, rest = path[0], path[1:]
    fields = list(schema.fields)
    index = next((i for i, field in enumerate(fields) if field.name.lower() == name.lower()), None)
    if index is None:
        return T.StructType([*fields, T.StructField(name, _replace_at(None, rest, data_type))])
    fields[index] = T.StructField(fields[index].name, _replace_at(fields[index].dataType, rest, data_type))
    return T.StructType(fields)


def _replace_at(current: T.DataType | None, path: tuple[str, ...], data_type: T.DataType) -> T.DataType:
    """Return a type with another one at a path inside it."""
    if not path:
        return data_type
    step = path[0].lower()
    if isinstance(current, T.ArrayType) and step == "element":
        return T.ArrayType(_replace_at(current.elementType, path[1:], data_type))
    if isinstance(current, T.MapType) and step == "value":
        return T.MapType(current.keyType, _replace_at(current.valueType, path[1:], data_type))
    if isinstance(current, T.MapType) and step == "key":
        return T.MapType(_replace_at(current.keyType, path[1:], data_type), current.valueType)
    if not isinstance(current, T.StructType) and step in ("element", "value", "key"):
        # Inference found text or nothing, so the hint alone decides the type.
        inner = _replace_at(None, path[1:], data_type)
        if step == "element":
            return T.ArrayType(inner)
        return T.MapType(T.StringType(), inner) if step == "value" else T.MapType(inner, T.StringType())
    return _with_field(current if isinstance(current, T.StructType) else T.StructType(), path, data_type)


class _HintParser:
    """Recursive descent over the tokens of SQL's column lists."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        self._position = end = 0
        while text[end:].strip():
            match = _TOKEN.match(text, end)
            if match is None:
                self._fail(f"{text[end:].strip()[:20]!r} is not understood")
            quoted, word, mark = match.groups()
            name = quoted.replace("``", "`") if quoted else word
            self._tokens.append(("name" if quoted else "word", name) if name else ("mark", mark))
            end = match.end()

    def hints(self) -> list[Hint]:
        hints: list[Hint] = []
        while not hints or self.take(","):
            path = [self.name()]
            while self.take("."):
                path.append(self.name())
            self.take(":")
            hints.append(Hint(tuple(path), self.type()))
            self._skip_not_null()
        if self._position < len(self._tokens):
            self._fail(f"{self._tokens[self._position][1]!r} was not expected")
        return hints

    def name(self) -> str:
        if self._position >= len(self._tokens):
            self._fail("a name is missing at the end")
        kind, value = self._tokens[self._position]
        self._position += 1
        if kind == "mark":
            self._fail(f"a name was expected before {value!r}")
        return value

    def type(self) -> T.DataType:
        word = self.name().lower()
        match word:
            case "array":
                self._expect("<")
                element = self.type()
                self._expect(">")
                return T.ArrayType(element)
            case "map":
                self._expect("<")
                key = self.type()
                self._expect(",")
                value = self.type()
                self._expect(">")
                return T.MapType(key, value)
            case "struct":
                return self._struct()
            case "decimal" | "dec" | "numeric":
                precision, scale = (*(self._numbers() or [10]), 0)[:2]
                if not 0 < precision <= 38 or not 0 <= scale <= precision:
                    self._fail(f"decimal({precision},{scale}) does not exist")
                return T.DecimalType(precision, scale)
            case "char" | "varchar":
                self._numbers()  # Spark reads both as strings
                return T.StringType()
        if word not in _SIMPLE:
            self._fail(f"{word!r} is not a type")
        return _SIMPLE[word]

    def take(self, mark: str) -> bool:
        if self._position < len(self._tokens) and self._tokens[self._position] == ("mark", mark):
            self._position += 1
            return True
        return False

    def _struct(self) -> T.StructType:
        self._expect("<")
        fields: list[T.StructField] = []
        while not self.take(">"):
            if fields:
                self._expect(",")
            name = self.name()
            self.take(":")
            fields.append(T.StructField(name, self.type()))
            self._skip_not_null()
        return T.StructType(fields)

    def _numbers(self) -> list[int]:
        if not self.take("("):
            return []
        numbers: list[int] = []
        while not numbers or self.take(","):
            word = self.name()
            if not word.isdecimal():
                self._fail(f"{word!r} is not a number")
            numbers.append(int(word))
        self._expect(")")
        return numbers

    def _skip_not_null(self) -> None:
        """Skip NOT NULL, which has no meaning for files."""
        if [token[1].lower() for token in self._tokens[self._position : self._position + 2]] == ["not", "null"]:
            self._position += 2

    def _expect(self, mark: str) -> None:
        if not self.take(mark):
            found = self._tokens[self._position][1] if self._position < len(self._tokens) else "the end"
            self._fail(f"{mark!r} was expected, not {found!r}")

    def _fail(self, problem: str) -> None:
        raise InvalidOption(
            f"cloudFiles.schemaHints is {self._text!r}: {problem}. "
            "Write columns and types, 'id BIGINT, user.born DATE' for instance."
        )


# The digits of an integer type that grows into a decimal, as Auto Loader documents it.
_STARTING = {T.ByteType: 10, T.ShortType: 10, T.IntegerType: 10, T.LongType: 20}
# The types, besides wider integers and decimals, that a type may grow into without losing a value.
_WIDER = {
    T.ByteType: (T.DoubleType,),
    T.ShortType: (T.DoubleType,),
    T.IntegerType: (T.DoubleType,),
    T.LongType: (),
    T.FloatType: (T.DoubleType,),
}


def evolve_schema(current: T.StructType, found: T.StructType, *, widen: str | None = None) -> T.StructType:
    """Return a schema with the additional columns of data; a known name in another case is not a new column.

    Types grow only if ``widen`` is given, the format of the files.
    """
    known = {field.name.lower(): field for field in found.fields}
    kept = []
    for field in current.fields:
        same = known.pop(field.name.lower(), None)
        data_type = field.dataType if same is None else _evolved_type(field.dataType, same.dataType, widen)
        kept.append(T.StructField(field.name, data_type, field.nullable))
    return T.StructType([*kept, *known.values()])


def _evolved_type(current: T.DataType, found: T.DataType, widen: str | None) -> T.DataType:
    if isinstance(current, T.StructType) and isinstance(found, T.StructType):
        return evolve_schema(current, found, widen=widen)
    if isinstance(current, T.ArrayType) and isinstance(found, T.ArrayType):
        return T.ArrayType(_evolved_type(current.elementType, found.elementType, widen), current.containsNull)
    if isinstance(current, T.MapType) and isinstance(found, T.MapType):
        return T.MapType(current.keyType, _evolved_type(current.valueType, found.valueType, widen))
    return widen_type(current, found, widen) if widen else current


def widen_type(current: T.DataType, found: T.DataType, file_format: str) -> T.DataType:
    """Return the wider of two types if Auto Loader's type widening allows it, otherwise the current one."""
    if file_format == "parquet" and isinstance(current, T.DateType) and isinstance(found, T.TimestampNTZType):
        return found
    if isinstance(current, INTEGERS) and isinstance(found, INTEGERS):
        return max(current, found, key=lambda integer: DIGITS[type(integer)])
    if isinstance(found, _WIDER.get(type(current), ())):
        return found
    if isinstance(current, (*INTEGERS, T.DecimalType)) and isinstance(found, (*INTEGERS, T.DecimalType)):
        return wider_decimal(current, found, _STARTING) or current
    return current


RESCUED = "_rescued_data"
METADATA = "_metadata"
# As Spark's own file sources have it.
METADATA_TYPE = T.StructType(
    [
        T.StructField("file_path", T.StringType(), nullable=False),
        T.StructField("file_name", T.StringType(), nullable=False),
        T.StructField("file_size", T.LongType(), nullable=False),
        T.StructField("file_block_start", T.LongType(), nullable=False),
        T.StructField("file_block_length", T.LongType(), nullable=False),
        T.StructField("file_modification_time", T.TimestampType(), nullable=False),
    ]
)


@dataclass(frozen=True)
class Layout:
    """The columns of a stream: the names of its partitions, the one of rescued data, whether it has ``_metadata``."""

    schema: T.StructType
    partitions: tuple[str, ...] = ()
    rescued: str | None = None
    metadata: bool = False

    @property
    def data(self) -> T.StructType:
        """The columns that are in the files."""
        others = {*self.partitions, self.rescued, METADATA if self.metadata else None}
        return T.StructType([field for field in self.schema.fields if field.name not in others])

    def without_metadata(self) -> Layout:
        return Layout(remove_metadata(self.schema), self.partitions, self.rescued)

    def with_partitions(self, names: Iterable[str]) -> Layout:
        """Return the layout in which the named columns, in any case, come from the path."""
        wanted = {name.lower() for name in names}
        found = tuple(field.name for field in self.schema.fields if field.name.lower() in wanted)
        return Layout(self.schema, found, self.rescued, self.metadata)


def is_file_metadata(field: T.StructField) -> bool:
    """Whether a column has the files' metadata; a data column of this name may be NULL, as all data columns."""
    return field.name == METADATA and field.dataType == METADATA_TYPE and not field.nullable


def add_metadata(schema: T.StructType) -> T.StructType:
    """Return a schema with the metadata column, unless the data has one of this name, which Spark prefers."""
    if METADATA in map(str.lower, schema.names):
        return schema
    return T.StructType([*schema.fields, T.StructField(METADATA, METADATA_TYPE, nullable=False)])


def remove_metadata(schema: T.StructType) -> T.StructType:
    return T.StructType([field for field in schema.fields if not is_file_metadata(field)])


def inferred_layout(data: T.StructType, partitions: T.StructType, rescued: str | None, metadata: bool) -> Layout:
    """Return the layout of an inferred schema: data, rescued, partitions, as Spark's file sources order them."""
    fields = list(data.fields)
    if rescued:
        fields.append(T.StructField(rescued, T.StringType()))
    schema = T.StructType([*fields, *partitions.fields])
    schema = add_metadata(schema) if metadata else schema
    return Layout(schema, tuple(partitions.fieldNames()), rescued, any(map(is_file_metadata, schema.fields)))


def given_layout(schema: T.StructType, rescued: str | None) -> Layout:
    """Return the layout of a user's schema; the files' paths decide later which of its columns are partitions."""
    found = rescued if rescued in schema.fieldNames() else None
    return Layout(schema, (), found, any(map(is_file_metadata, schema.fields)))
