"""Source paths: their globs, as Hadoop has them, and the partition columns in them, ``event=click/date=2024-01-01/``.

Keys, values and types of partitions are those that Spark's readers find, except that a TIME is a STRING, and that a
directory without ``=`` between two with it does not end the partitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import Any

from pyspark.sql import types as T

from pyspark_cloudfiles import times
from pyspark_cloudfiles.conversion import LONGEST, converter, wider_decimal
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems import filesystem

_MAGIC = frozenset("{}[]*?\\")


def is_glob(path: str) -> bool:
    return not _MAGIC.isdisjoint(path)


def name_filter(glob: str) -> re.Pattern[str]:
    """Return the pattern that a file's name must match in full (``pathGlobFilter``)."""
    return _compile(_translate(glob, star=".*", one="."), glob)


@dataclass(frozen=True)
class PathGlob:
    """A glob of paths.

    ``base`` are the directories that it begins with, ``levels`` the patterns of the names of directories below, as far
    down as each level has one of its own, and ``whole`` the pattern of the whole path of a file.
    """

    base: str
    levels: tuple[re.Pattern[str], ...]
    whole: re.Pattern[str]

    def may_contain(self, directory: str) -> bool:
        names = directory[len(self.base) :].strip("/").split("/")
        return all(level.fullmatch(name) for level, name in zip(self.levels, names, strict=False))

    def matches(self, path: str) -> bool:
        """Whether the path of a file matches, or of a directory that it is in."""
        return self.whole.fullmatch(path) is not None


def path_globs(path: str, strict: bool) -> list[PathGlob]:
    """Return the globs of a path: one, or several if braces span directories."""
    return [_path_glob(alternative, strict) for alternative in _expand(path)]


def base_of(path: str) -> str:
    """Return the directory that a path is, or that its glob begins with."""
    return _base_and_rest(path)[0] if is_glob(path) else path


def _path_glob(path: str, strict: bool) -> PathGlob:
    base, rest = _base_and_rest(path)
    if strict:
        whole = _translate("/".join(rest), star="[^/]*", one="[^/]") + "(?:/.*)?"
        own = rest
    else:
        whole = _translate("/".join(rest), star=".*", one="[^/]") + ".*"
        # After the first star, a level of the path has no pattern of its own any more; and the last is a prefix.
        own = rest[: next((index for index, name in enumerate(rest) if "*" in name), len(rest) - 1)]
    levels = tuple(_compile(_translate(name, star=".*", one="."), path) for name in own)
    return PathGlob(base, levels, _compile(re.escape(base.rstrip("/") + "/") + whole, path))


def _base_and_rest(path: str) -> tuple[str, list[str]]:
    names = path.split("/")
    first = next((index for index, name in enumerate(names) if not _MAGIC.isdisjoint(name.replace("\\", ""))), None)
    if first is None or first >= len(names):  # nothing but escapes: the last name is matched literally
        first = len(names) - 1
    base = "/".join(re.sub(r"\\(.)", r"\1", name) for name in names[:first])
    return (base if not base.endswith(":") else base + "/"), names[first:]


def _expand(path: str) -> list[str]:
    """Expand the braces that have a slash in them, so that each level of a path is a pattern of its own."""
    start = 0
    # As long as a brace opens that is not escaped.
    while found := re.compile(r"(?:\\.|[^\\{])*?\{", re.DOTALL).match(path, start):
        opening = found.end() - 1
        closing, commas = _group(path, opening)
        if "/" in path[opening:closing]:
            ends = [*commas, closing]
            starts = [opening + 1, *(comma + 1 for comma in commas)]
            return [
                expanded
                for begin, end in zip(starts, ends, strict=True)
                for expanded in _expand(path[:opening] + path[begin:end] + path[closing + 1 :])
            ]
        start = closing + 1
    return [path]


def _group(path: str, opening: int) -> tuple[int, list[int]]:
    """Return the end of a group of braces, and the positions of its own commas."""
    depth, commas, index = 0, [], opening
    while index < len(path):
        character = path[index]
        if character == "\\":
            index += 1
        elif character == "{":
            depth += 1
        elif character == "," and depth == 1:
            commas.append(index)
        elif character == "}":
            depth -= 1
            if depth == 0:
                return index, commas
        index += 1
    raise _invalid_glob(path, "a brace { is not closed")


def _translate(glob: str, star: str, one: str) -> str:
    """Return a glob as a regular expression, character by character, as Hadoop's ``GlobPattern`` does."""
    out: list[str] = []
    braces, index = 0, 0
    while index < len(glob):
        character = glob[index]
        if character == "\\":
            index += 1
            if index == len(glob):
                raise _invalid_glob(glob, "nothing follows the last backslash")
            out.append(re.escape(glob[index]))
        elif character == "*":
            out.append(star)
        elif character == "?":
            out.append(one)
        elif character == "[":
            index, text = _character_class(glob, index)
            out.append(text)
        elif character == "{":
            braces += 1
            out.append("(?:")
        elif character == "}" and braces:
            braces -= 1
            out.append(")")
        elif character == "," and braces:
            out.append("|")
        else:
            out.append(re.escape(character))
        index += 1
    if braces:
        raise _invalid_glob(glob, "a brace { is not closed")
    return "".join(out)


def _character_class(glob: str, start: int) -> tuple[int, str]:
    index = start + 1
    negated = glob[index : index + 1] in ("^", "!") and index < len(glob)
    index += negated
    members: list[str] = []
    while index < len(glob) and (glob[index] != "]" or not members):
        if glob[index] == "[":
            raise _invalid_glob(glob, "a bracket [ is in another")
        if glob[index] == "\\" and index + 1 < len(glob):
            index += 1
            members.append("\\" + glob[index] if not glob[index].isalnum() else glob[index])
        else:
            members.append(glob[index] if glob[index] == "-" else re.escape(glob[index]))
        index += 1
    if index >= len(glob):
        raise _invalid_glob(glob, "a bracket [ is not closed")
    # Also a negated class matches no slash: a name has none.
    return index, f"(?!/)[{'^' if negated else ''}{''.join(members)}]"


def _compile(expression: str, glob: str) -> re.Pattern[str]:
    try:
        return re.compile(expression, re.DOTALL)
    except re.error as error:
        raise _invalid_glob(glob, str(error)) from error


def _invalid_glob(glob: str, reason: str) -> InvalidOption:
    return InvalidOption(
        f"The glob {glob} is not valid: {reason}. Correct it, or put a backslash before the character."
    )


_NULL = "__HIVE_DEFAULT_PARTITION__"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# The patterns that Spark infers a type from; it converts more once the type is known.
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d)?", re.ASCII)
# As in Java, of which the options of files have other names.
_NUMBER_NAMES = {"positiveinf": "Infinity", "negativeinf": "-Infinity"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def partition_values(root_url: str, file_url: str) -> dict[str, str | None]:
    """Return the keys and values in the directories between a stream's path and one of its files, in their order.

    The root of a glob is the directory that it begins with.  Names are unescaped; Hive's name of NULL is None.  If a
    key occurs twice, the deeper one counts.
    """
    root = base_of(filesystem.canonical(root_url)).rstrip("/") + "/"
    if not file_url.startswith(root):
        return {}
    found: dict[str, str | None] = {}
    for name in file_url[len(root) :].split("/")[:-1]:
        key, equals, value = name.partition("=")
        if key and equals and value:
            found[unescape(key)] = None if value == _NULL else unescape(value)
    return found


def unescape(text: str) -> str:
    """Return a name without Hive's escapes: ``%3A`` is a colon, ``%zz`` stays."""
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text) if "%" in text else text


def infer_partition_types(rows: Iterable[dict[str, str | None]]) -> dict[str, T.DataType]:
    """Return the type of each key, as Spark infers it from all the values; a key without any value is a STRING."""
    types: dict[str, set[T.DataType]] = {}
    for row in rows:
        for key, value in row.items():
            known = types.setdefault(key, set())
            if value is not None:
                known.add(_type_of(value))
    return {key: reduce(_wider, found) if found else T.StringType() for key, found in types.items()}


def _type_of(value: str) -> T.DataType:
    """Return the first type, in Spark's order, that has a value."""
    for data_type in (T.IntegerType(), T.LongType()):
        if _can_be(value, data_type):
            return data_type
    if value == value.strip() and "_" not in value:  # which Python allows in numbers, and Java does not
        with suppress(InvalidOperation):
            _, digits, exponent = Decimal(value).as_tuple()
            if isinstance(exponent, int) and exponent >= 0 and len(digits) + exponent <= LONGEST:
                return T.DecimalType(len(digits) + exponent, 0)
    if _can_be(value, T.DoubleType()):
        return T.DoubleType()
    for form, data_type in ((_TIMESTAMP, T.TimestampType()), (_DATE, T.DateType())):
        if form.fullmatch(value) and _can_be(value, data_type):
            return data_type
    return T.StringType()


def _can_be(value: str, data_type: T.DataType) -> bool:
    try:
        convert_partition(value, data_type)
    except ValueError:
        return False
    return True


def _wider(one: T.DataType, other: T.DataType) -> T.DataType:
    """Return the type for both; in paths, Spark does not merge a BIGINT or DECIMAL with a DOUBLE."""
    if one == other:
        return one
    pair = {type(one), type(other)}
    if pair == {T.DateType, T.TimestampType}:
        return T.TimestampType()
    if pair == {T.IntegerType, T.LongType}:
        return T.LongType()
    if pair == {T.IntegerType, T.DoubleType}:
        return T.DoubleType()
    if pair <= {T.IntegerType, T.LongType, T.DecimalType}:
        return wider_decimal(one, other) or T.StringType()
    return T.StringType()


def convert_partition(value: str | None, data_type: T.DataType, timezone: str = "UTC") -> Any:
    """Return a value as Python has it, timestamps aware, or naive for NTZ; raise ValueError for a misfit."""
    if value is None:
        return None
    try:
        match data_type:
            case T.CharType() | T.VarcharType():
                return value
            case T.DateType():
                return _EPOCH.date() + timedelta(days=times.day(value))
            case T.TimestampType():
                return _EPOCH + timedelta(microseconds=times.timestamp(value, times.find_zone(timezone)))
            case T.TimestampNTZType():
                return _EPOCH.replace(tzinfo=None) + timedelta(microseconds=times.timestamp_without_zone(value))
            case T.IntegralType():  # Java takes digits of any script
                value = re.sub(r"\d", lambda digit: str(int(digit[0])), value)
            case T.DecimalType() if "," not in value:
                value = value.strip()
            case T.DecimalType():  # which files may have in numbers, and paths may not
                raise ValueError
        return converter(data_type, _NUMBER_NAMES, timezone)(value)
    except InvalidOption:
        raise ValueError(f"A partition column cannot be of type {data_type.simpleString().upper()}.") from None
    except (ArithmeticError, ValueError) as error:
        raise ValueError(f"{value!r} is not a value of {data_type.simpleString().upper()}.") from error
