"""Schema hints: column types that the user gives (``cloudFiles.schemaHints``).

``cloudFiles.schemaHints`` is a list of columns and types as in SQL, where a name may be a path into a column:
``user.dob DATE`` for a field of a struct, ``users.element.id INT`` for the elements of an array, ``m.value INT`` and
``m.key`` for a map.  There is no Spark session where a data source runs, so types are parsed here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InvalidOption

_SIMPLE: dict[str, T.DataType] = {
    "boolean": T.BooleanType(),
    "tinyint": T.ByteType(),
    "byte": T.ByteType(),
    "smallint": T.ShortType(),
    "short": T.ShortType(),
    "int": T.IntegerType(),
    "integer": T.IntegerType(),
    "bigint": T.LongType(),
    "long": T.LongType(),
    "float": T.FloatType(),
    "real": T.FloatType(),
    "double": T.DoubleType(),
    "date": T.DateType(),
    "timestamp": T.TimestampType(),
    "timestamp_ltz": T.TimestampType(),
    "timestamp_ntz": T.TimestampNTZType(),
    "string": T.StringType(),
    "binary": T.BinaryType(),
    "variant": T.VariantType(),
}
_TOKEN = re.compile(r"\s*(?:`((?:[^`]|``)+)`|([A-Za-z_0-9$\-\u0080-\uffff]+)|([<>(),:.]))")


@dataclass(frozen=True)
class Hint:
    """One hint: the path to a column or field, and its type."""

    path: tuple[str, ...]
    data_type: T.DataType


def parse_hints(text: str | None) -> list[Hint]:
    """Read schema hints; no text has none.

    Raises
    ------
    InvalidOption
        The text is no list of names and types.
    """
    if text is None:
        return []
    parser = _HintParser(text)
    hints = [parser.hint()]
    while parser.take(","):
        hints.append(parser.hint())
    parser.expect_end()
    return hints


def apply_hints(schema: T.StructType, hints: list[Hint]) -> T.StructType:
    """Return ``schema`` with the hinted types; a hinted column that it does not have is appended.

    A path into a column that is no struct, array or map makes it a struct of the hinted fields.
    """
    for hint in hints:
        schema = _with_field(schema, hint.path, hint.data_type)
    return schema


def _with_field(schema: T.StructType, path: tuple[str, ...], data_type: T.DataType) -> T.StructType:
    name, rest = path[0], path[1:]
    fields = list(schema.fields)
    index = next((i for i, field in enumerate(fields) if field.name.lower() == name.lower()), None)
    if index is None:
        return T.StructType([*fields, T.StructField(name, _at(None, rest, data_type))])
    fields[index] = T.StructField(fields[index].name, _at(fields[index].dataType, rest, data_type))
    return T.StructType(fields)


def _at(current: T.DataType | None, path: tuple[str, ...], data_type: T.DataType) -> T.DataType:
    """Return ``current`` with ``data_type`` at ``path`` inside it."""
    if not path:
        return data_type
    step = path[0].lower()
    if isinstance(current, T.ArrayType) and step == "element":
        return T.ArrayType(_at(current.elementType, path[1:], data_type))
    if isinstance(current, T.MapType) and step == "value":
        return T.MapType(current.keyType, _at(current.valueType, path[1:], data_type))
    if isinstance(current, T.MapType) and step == "key":
        return T.MapType(_at(current.keyType, path[1:], data_type), current.valueType)
    if not isinstance(current, T.StructType) and step in ("element", "value", "key"):
        # Nothing is known of it but the hint, because inference saw text or nothing.
        inner = _at(None, path[1:], data_type)
        if step == "element":
            return T.ArrayType(inner)
        return T.MapType(T.StringType(), inner) if step == "value" else T.MapType(inner, T.StringType())
    return _with_field(current if isinstance(current, T.StructType) else T.StructType(), path, data_type)


class _HintParser:
    """Recursive descent over the tokens of SQL's column lists."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._tokenise(text)
        self._position = 0

    def hint(self) -> Hint:
        path = [self.name()]
        while self.take("."):
            path.append(self.name())
        self.take(":")
        data_type = self.type()
        self._skip_not_null()
        return Hint(tuple(path), data_type)

    def name(self) -> str:
        kind, value = self._next("a name")
        if kind == "mark":
            self._fail(f"a name was expected before {value!r}")
        return value

    def type(self) -> T.DataType:
        word = self.name().lower()
        if word == "array":
            self._expect("<")
            element = self.type()
            self._expect(">")
            return T.ArrayType(element)
        if word == "map":
            self._expect("<")
            key = self.type()
            self._expect(",")
            value = self.type()
            self._expect(">")
            return T.MapType(key, value)
        if word == "struct":
            return self._struct()
        if word in ("decimal", "dec", "numeric"):
            return self._decimal()
        if word in ("char", "varchar"):
            self._numbers()  # Spark reads both as strings
            return T.StringType()
        if word not in _SIMPLE:
            self._fail(f"{word!r} is no type")
        return _SIMPLE[word]

    def take(self, mark: str) -> bool:
        if self._position < len(self._tokens) and self._tokens[self._position] == ("mark", mark):
            self._position += 1
            return True
        return False

    def expect_end(self) -> None:
        if self._position < len(self._tokens):
            self._fail(f"{self._tokens[self._position][1]!r} was not expected")

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

    def _decimal(self) -> T.DecimalType:
        numbers = self._numbers()
        precision, scale = (*numbers, 0)[:2] if numbers else (10, 0)
        if not 0 < precision <= 38 or not 0 <= scale <= precision:
            self._fail(f"decimal({precision},{scale}) does not exist")
        return T.DecimalType(precision, scale)

    def _numbers(self) -> list[int]:
        if not self.take("("):
            return []
        numbers = [self._number()]
        while self.take(","):
            numbers.append(self._number())
        self._expect(")")
        return numbers

    def _number(self) -> int:
        word = self.name()
        if not word.isdecimal():
            self._fail(f"{word!r} is no number")
        return int(word)

    def _skip_not_null(self) -> None:
        """Pass over NOT NULL, which means nothing to files."""
        if [token[1].lower() for token in self._tokens[self._position : self._position + 2]] == ["not", "null"]:
            self._position += 2

    def _expect(self, mark: str) -> None:
        if not self.take(mark):
            found = self._tokens[self._position][1] if self._position < len(self._tokens) else "the end"
            self._fail(f"{mark!r} was expected, not {found!r}")

    def _next(self, wanted: str) -> tuple[str, str]:
        if self._position >= len(self._tokens):
            self._fail(f"{wanted} is missing at the end")
        self._position += 1
        return self._tokens[self._position - 1]

    def _tokenise(self, text: str) -> list[tuple[str, str]]:
        tokens, position = [], 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                self._fail(f"{text[position:].strip()[:20]!r} is not understood")
            quoted, word, mark = match.groups()
            tokens.append(("name", quoted.replace("``", "`")) if quoted else ("word", word) if word else ("mark", mark))
            position = match.end()
        return tokens

    def _fail(self, problem: str) -> None:
        raise InvalidOption(
            f"cloudFiles.schemaHints is {self._text!r}: {problem}. "
            "Write columns and types, 'id BIGINT, user.born DATE' for instance."
        )
