"""The SQL functions ``cloud_files_state``, ``read_files`` and ``cloud_files``.

The first is a table function that Spark runs.  The other two must become a relation with the schema that is found at
that moment, and a streaming one in part, which no function of Spark's can; so ``spark.sql`` is given a text in which
the call is replaced by a frame that was made for it.

Spark keeps the text of such a view and reads it again whenever the view is used; but the frame that a call was replaced
by is only known to the statement.  So the view is made of the query's frame, which Spark keeps as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.option_names import INTERNAL, PREFIX
from pyspark_cloudfiles.schemas import layout
from pyspark_cloudfiles.schemas.layout import is_file_metadata
from pyspark_cloudfiles.session import registration
from pyspark_cloudfiles.session.session_options import session_options
from pyspark_cloudfiles.session.star_columns import names_metadata, star_edits
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_BLANK = r"(?:\s|--[^\n]*\n|/\*.*?\*/)"
_BEGIN = re.compile(
    rf"{_BLANK}*(?:(?P<cache>cache\b)|create{_BLANK}+(?P<replace>or{_BLANK}+replace{_BLANK}+)?"
    rf"(?P<everywhere>global{_BLANK}+)?temp(?:orary)?{_BLANK}+view{_BLANK}+)",
    re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(rf"(?P<name>\w+|`(?:[^`]|``)+`){_BLANK}+as\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class TemporaryView:
    """A view that a statement makes.

    Parameters
    ----------
    name : str
        Its name.
    start : int
        Where its query begins in the statement.
    replaces, everywhere : bool
        Whether it may replace another, and whether it is a global one.
    """

    name: str
    start: int
    replaces: bool = False
    everywhere: bool = False

    def of(self, frame: DataFrame) -> DataFrame:
        """Make the view of its query's frame; return what Spark does for such a statement, a frame of nothing."""
        kind = "GlobalTempView" if self.everywhere else "TempView"
        getattr(frame, f"create{'OrReplace' if self.replaces else ''}{kind}")(self.name)
        return frame.sparkSession.range(0).select()


def temporary_view(text: str) -> TemporaryView | None:
    """Return the view that a statement with calls makes, None where it makes none.

    Raises
    ------
    InvalidOption
        The statement would keep its text, and says more than this package reads.
    """
    begin = _BEGIN.match(text)
    if begin is None:
        return None
    name = None if begin["cache"] else _NAME.match(text, begin.end())
    if name is None:
        raise InvalidOption(
            "With read_files, write CREATE OR REPLACE TEMP VIEW name AS SELECT ..., without columns, comment or IF NOT "
            "EXISTS; and CACHE TABLE for that view."
        )
    plain = name["name"].strip("`").replace("``", "`")
    return TemporaryView(plain, name.end(), begin["replace"] is not None, begin["everywhere"] is not None)


_MENTIONED = re.compile(r"cloud_files|read_files", re.IGNORECASE)
# What is passed over whole: comments, quoted names, strings; and the calls that are looked for.
_TOKEN = re.compile(
    r"""(?P<skip>--[^\n]*|/\*.*?\*/|`(?:[^`]|``)*`|\br'[^']*'|\br"[^"]*"|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")"""
    r"""|(?<![\w.])(?P<stream>stream\s*\(?\s*)?(?P<name>cloud_files|read_files)\s*\(""",
    re.IGNORECASE | re.DOTALL,
)
_ARGUMENT = re.compile(r"""\s*(?:(?P<key>[A-Za-z_.`]+)\s*=>\s*)?(?P<value>.*)\s*""", re.DOTALL)


@dataclass(frozen=True)
class Call:
    """A call of ``read_files`` or ``cloud_files`` in a statement.

    Parameters
    ----------
    start, end : int
        Where it is in the text, with a ``STREAM`` around it.
    path : str
        The directory.
    format : str or None
        The files' format, where it is given.
    options : dict
        Everything else, as a reader takes it.
    streaming : bool
        Whether it is a stream.
    """

    start: int
    end: int
    path: str
    format: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    streaming: bool = False


def install(session: Any) -> None:
    """Teach a class of sessions, the classic one or Spark Connect's, the functions."""
    hooks.wrap(session, "sql", _with_files, by=PACKAGE, layer="source", why="read_files and cloud_files in SQL")


def _with_files(original: Any) -> Any:
    @wraps(original)
    def sql(self: SparkSession, sqlQuery: str, *args: Any, **kwargs: Any) -> DataFrame:
        if not isinstance(sqlQuery, str) or not _MENTIONED.search(sqlQuery):
            return original(self, sqlQuery, *args, **kwargs)
        registration.register_functions(self)
        if next(calls(sqlQuery), None) is None:
            return original(self, sqlQuery, *args, **kwargs)
        view = temporary_view(sqlQuery)
        named = kwargs.keys() - {"args"}  # frames of the user's, for whose names the text has braces already
        text, frames = with_frames(self, sqlQuery[view.start :] if view else sqlQuery, escaped=not named)
        frame = original(self, text, *args, **kwargs, **frames)
        return view.of(frame) if view else frame

    return sql


def with_frames(spark: SparkSession, text: str, escaped: bool = True) -> tuple[str, dict[str, DataFrame]]:
    """Return a statement with a name in braces instead of each call, and the frames of these names.

    Spark gives frames that it is told of to one statement, and leaves no view behind.

    Parameters
    ----------
    escaped : bool
        Whether to double other braces, which are the user's text where the statement has no names of the user's.
    """
    found, frames = list(calls(text)), {}
    named = names_metadata(text)
    edits, with_metadata = [], []
    for number, call in enumerate(found):
        name = f"cloudfiles_{number}_"
        frames[name] = relation(spark, call, named)
        edits.append((call.start, call.end, f"{{{name}}}"))
        if named and any(map(is_file_metadata, frames[name].schema.fields)):
            with_metadata.append(edits[-1])
    parts, position = [], 0
    for start, end, new in sorted([*edits, *star_edits(text, with_metadata)]):
        parts += [_kept(text[position:start], escaped), new]
        position = end
    return "".join([*parts, _kept(text[position:], escaped)]), frames


def _kept(text: str, escaped: bool) -> str:
    return text.replace("{", "{{").replace("}", "}}") if escaped else text


def relation(spark: SparkSession, call: Call, with_metadata: bool = False) -> DataFrame:
    """Return the frame that a call means, if asked with ``_metadata`` as an ordinary column: views hide none."""
    registration.register(spark)
    reader: Any
    if call.streaming:
        reader = spark.readStream.format("cloudFiles")
    else:
        reader = spark.read.format("cloudFiles").option(f"{INTERNAL}batch", "true")
        reader = reader.option(f"{INTERNAL}metadata", str(with_metadata).lower()).options(**session_options(spark))
    options = dict(call.options)
    if schema := options.pop("schema", None):
        reader = reader.schema(schema if call.streaming or not with_metadata else _with_metadata(schema))
    frame = reader.options(**{"cloudFiles.format": call.format or "", **options}).load(call.path)
    shown = call.streaming and with_metadata and hasattr(spark, "_jvm")
    return frame.select("*", "_metadata") if shown else frame


def _with_metadata(schema: str) -> StructType:
    from pyspark.sql.types import StructType  # most statements give no schema

    return layout.with_metadata(cast(StructType, StructType.fromDDL(schema)))


def calls(text: str) -> Iterator[Call]:
    """Find the calls in a statement.

    Raises
    ------
    InvalidOption
        A call is not closed, or its arguments are not constants.
    """
    position = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        if match["name"] is None:
            continue
        arguments, position = _arguments(text, position)
        wrapped = match["stream"] is not None and "(" in match["stream"]
        if wrapped:
            position = _closed(text, position)
        make = _cloud_files if match["name"].lower() == "cloud_files" else _read_files
        yield make(match.start(), position, arguments, match["stream"] is not None)


def _cloud_files(start: int, end: int, arguments: list[str], streaming: bool) -> Call:
    if len(arguments) < 2:
        raise InvalidOption("cloud_files takes a path, a format and, as a third, map('option', 'value', ...).")
    path, file_format = _text(arguments[0]), _text(arguments[1])
    options = _map(arguments[2]) if len(arguments) > 2 else {}
    return Call(start, end, path, file_format, options, streaming=True)


def _read_files(start: int, end: int, arguments: list[str], streaming: bool) -> Call:
    if not arguments:
        raise InvalidOption("read_files takes a path: read_files('/path', format => 'json').")
    given: dict[str, str] = {}
    for argument in arguments[1:]:
        match = _ARGUMENT.fullmatch(argument)
        if match is None or match["key"] is None:
            raise InvalidOption(f"read_files takes its options by name, format => 'json' for instance, not {argument}.")
        given[match["key"].replace("`", "")] = _text(match["value"])
    by_name = {key.lower(): value for key, value in given.items()}
    options = {_reader_option(key): value for key, value in given.items() if key.lower() != "format"}
    # Its defaults are the opposite of the reader's.
    defaults = {"cloudFiles.inferColumnTypes": "true", "cloudFiles.useStrictGlobber": "true"}
    defaults = {} if "schema" in by_name else defaults
    return Call(start, end, _text(arguments[0]), by_name.get("format"), {**defaults, **options}, streaming)


# Options of the reader that `read_files` spells without the prefix.
_PREFIXED = {
    name.lower(): f"cloudFiles.{name}"
    for name in (
        "inferColumnTypes", "schemaHints", "schemaEvolutionMode", "schemaLocation", "partitionColumns",
        "useStrictGlobber", "maxFilesPerTrigger", "maxBytesPerTrigger", "includeExistingFiles", "allowOverwrites",
    )
}  # fmt: skip


def _reader_option(key: str) -> str:
    if key.lower() == "schema":
        return "schema"
    return key if key.lower().startswith(PREFIX) else _PREFIXED.get(key.lower(), key)


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """Return the texts of a call's arguments, and where it ends."""
    depth, found, position, argument = 0, [], start, ""
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is not None and match["skip"]:
            argument += "" if match["skip"].startswith(("--", "/*")) else match["skip"]
            position = match.end()
            continue
        mark = text[position]
        if mark in ",)" and depth == 0:
            found.append(argument.strip())
            argument = ""
            if mark == ")":
                return [part for part in found if part], position + 1
        else:
            argument += mark
            depth += {"(": 1, ")": -1}.get(mark, 0)
        position += 1
    raise InvalidOption("A call of read_files or cloud_files is not closed: a ')' is missing.")


def _closed(text: str, position: int) -> int:
    match = re.compile(r"\s*\)").match(text, position)
    if match is None:
        raise InvalidOption("STREAM( is not closed: a ')' is missing.")
    return match.end()


def _map(text: str) -> dict[str, str]:
    match = re.fullmatch(r"\s*map\s*\((.*)", text, re.DOTALL | re.IGNORECASE)
    if match is None:
        raise InvalidOption(f"Options are given as map('option', 'value', ...), not {text}.")
    values = [_text(value) for value in _arguments(match[1], 0)[0]]
    if len(values) % 2:
        raise InvalidOption(f"map has an option without a value: {text}.")
    return dict(zip(values[::2], values[1::2], strict=True))


def _text(argument: str) -> str:
    """Return the value of a constant: a string, a number, true or false."""
    argument = argument.strip()
    if match := re.fullmatch(r"[rR](['\"])(.*)\1", argument, re.DOTALL):
        return match[2]
    if len(argument) >= 2 and argument[0] == argument[-1] and argument[0] in "'\"":
        quote = argument[0]
        return _ESCAPE.sub(_unescaped, argument[1:-1].replace(quote * 2, quote))
    if re.fullmatch(r"[+-]?\d[\w.]*|true|false", argument, re.IGNORECASE):
        return argument
    raise InvalidOption(f"The arguments of read_files and cloud_files are constants, and {argument} is none.")


# As Spark reads string literals.
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([0-3][0-7]{2})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def _unescaped(match: re.Match[str]) -> str:
    code, octal, mark = match.groups()
    if code or octal:
        return chr(int(code, 16) if code else int(octal, 8))
    return _ESCAPED.get(mark, mark)
