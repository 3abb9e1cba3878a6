"""The SQL functions ``cloud_files_state``, ``read_files`` and ``cloud_files``.

The first is a table function that Spark runs.  The other two become a relation with the schema that is found at that
moment, in part a streaming one, which no function of Spark can be; so ``spark.sql`` is given a text in which a frame
replaces the call.

Spark keeps the text of a temporary view and parses it again whenever the view is used; but only the statement knows the
frame that replaces a call.  So the view is created from the query's frame, which Spark keeps as it is.

A frame in a statement becomes a view, and views hide no columns.  So ``_metadata`` is an ordinary column of the frame
if the statement names it, and each ``*`` that would include it gets an ``EXCEPT``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from pyspark_cloudfiles import layout, registration
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.layout import METADATA, is_file_metadata
from pyspark_cloudfiles.option_names import INTERNAL
from pyspark_cloudfiles.registration import session_options
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# Comments and strings, which are skipped, and the tokens of SQL as far as they matter here.
_SQL_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?\*/|\br'[^']*'|\br"[^"]*"|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")"""
    r"""|(?P<word>`(?:[^`]|``)*`|\w+)|(?P<mark>\|>|.)""",
    re.IGNORECASE | re.DOTALL,
)
# Keywords that may follow a relation and are not its alias.
_CLAUSES = """
    where group order sort cluster distribute having limit offset union except intersect minus join inner left right
    full cross natural semi anti lateral on using window tablesample pivot unpivot qualify with select set when
"""
_NO_ALIAS = frozenset(_CLAUSES.split())


@dataclass(frozen=True)
class _Token:
    text: str  # in lower case, a name without its backticks
    start: int
    end: int
    depth: int  # of the parentheses around it
    is_word: bool


def names_metadata(text: str) -> bool:
    return any(token.text == METADATA for token in _tokens(text))


def star_edits(text: str, calls: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the edits of a statement, as ranges and their replacements in order, that exclude ``_metadata`` from
    its stars.

    ``calls`` are the ranges of calls of ``read_files`` with the column, and the names that replace them.
    """
    tokens = list(_tokens(text))
    if calls and any(token.text == "|>" for token in tokens):
        raise InvalidOption(
            "A query with |> cannot name _metadata of read_files. Write SELECT ... FROM read_files(...)."
        )
    hidden: dict[int, list[tuple[str, str]]] = {}
    for start, end, name in calls:
        place = next(index for index, token in enumerate(tokens) if token.start >= start)
        select = _select_before(tokens, place)
        if select is not None:
            # The word after a relation is its alias, with or without AS.
            after = [token for token in tokens if token.start >= end][:2]
            if after and after[0].text == "as":
                after = after[1:]
            elif after and after[0].text in _NO_ALIAS:
                after = []
            alias = f"`{after[0].text}`" if after and after[0].is_word else ""
            hidden.setdefault(select, []).append((alias.lower().strip("`"), alias or name))
    edits = [edit for select, relations in hidden.items() for edit in _select_edits(tokens, select, relations)]
    return sorted(edits)


def _tokens(text: str) -> Iterator[_Token]:
    depth = 0
    for match in _SQL_TOKEN.finditer(text):
        if match["skip"] is None:
            depth -= match[0] == ")"
            yield _Token(match[0].lower().strip("`"), match.start(), match.end(), depth, match["word"] is not None)
            depth += match[0] == "("


def _select_before(tokens: list[_Token], place: int) -> int | None:
    depth = tokens[place].depth
    for index in range(place - 1, -1, -1):
        token = tokens[index]
        if token.depth < depth:
            return None
        if token.depth == depth and token.text == "select":
            return index
    return None


def _select_edits(
    tokens: list[_Token], select: int, relations: list[tuple[str, str]]
) -> Iterator[tuple[int, int, str]]:
    """Yield the edits after the stars of one list of columns; relations have an alias, if any, and a name."""
    depth = tokens[select].depth
    for index in range(select + 1, len(tokens)):
        token, before = tokens[index], tokens[index - 1]
        if token.depth < depth or (token.depth == depth and token.text == "from"):
            return
        if token.text != "*" or before.text not in ("select", "distinct", "all", ",", "(", "."):
            continue
        if before.text == "(" and (tokens[index - 2].text == "count" or _is_of_another_query(tokens, select, index)):
            continue
        if before.text == ".":
            names = [name for alias, name in relations if alias == tokens[index - 2].text]
        else:
            names = [] if _is_of_another_query(tokens, select, index) else [name for _, name in relations]
        if not names:
            continue
        columns = ", ".join(f"{name}.{METADATA}" for name in names)
        after = tokens[index + 1 : index + 3]
        if [other.text for other in after] == ["except", "("]:
            yield after[1].end, after[1].end, f"{columns}, "
        else:
            yield token.end, token.end, f" EXCEPT ({columns})"


def _is_of_another_query(tokens: list[_Token], select: int, place: int) -> bool:
    """Whether a token belongs to a subquery in a list of columns."""
    depth = tokens[place].depth
    for index in range(place, select, -1):
        depth = min(depth, tokens[index].depth)
        if tokens[index].text == "select" and tokens[index].depth <= depth:
            return True
    return False


_BLANK = r"(?:\s|--[^\n]*\n|/\*.*?\*/)"
_BEGIN = re.compile(
    rf"{_BLANK}*(?:(?P<cache>cache\b)|create{_BLANK}+(?P<replace>or{_BLANK}+replace{_BLANK}+)?"
    rf"(?P<everywhere>global{_BLANK}+)?temp(?:orary)?{_BLANK}+view{_BLANK}+)",
    re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(rf"(?P<name>\w+|`(?:[^`]|``)+`){_BLANK}+as\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class TemporaryView:
    """A temporary or global view of a statement, and the start of its query in the text."""

    name: str
    start: int
    replaces: bool = False
    everywhere: bool = False

    def create(self, frame: DataFrame) -> DataFrame:
        """Create the view from its query's frame; return an empty frame, as Spark does for such a statement."""
        kind = "GlobalTempView" if self.everywhere else "TempView"
        getattr(frame, f"create{'OrReplace' if self.replaces else ''}{kind}")(self.name)
        return frame.sparkSession.range(0).select()


def temporary_view(text: str) -> TemporaryView | None:
    """Return the view that a statement with calls creates, if any; refuse other statements that keep their text."""
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
# Skipped text: comments, quoted names, strings; and the calls.
_TOKEN = re.compile(
    r"""(?P<skip>--[^\n]*|/\*.*?\*/|`(?:[^`]|``)*`|\br'[^']*'|\br"[^"]*"|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")"""
    r"""|(?<![\w.])(?P<stream>stream\s*\(?\s*)?(?P<name>cloud_files|read_files)\s*\(""",
    re.IGNORECASE | re.DOTALL,
)
_ARGUMENT = re.compile(r"""\s*(?:(?P<key>[A-Za-z_.`]+)\s*=>\s*)?(?P<value>.*)\s*""", re.DOTALL)


@dataclass(frozen=True)
class Call:
    """A call of ``read_files`` or ``cloud_files``, at a range of a statement with a ``STREAM`` around it."""

    start: int
    end: int
    path: str
    format: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    streaming: bool = False


def install(session: Any) -> None:
    hooks.wrap(session, "sql", _wrap_sql, by=PACKAGE, layer="source", why="read_files and cloud_files in SQL")


def _wrap_sql(original: Any) -> Any:
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
        return view.create(frame) if view else frame

    return sql


def with_frames(spark: SparkSession, text: str, escaped: bool = True) -> tuple[str, dict[str, DataFrame]]:
    """Return a statement with a name in braces instead of each call, and the frames of these names.

    Spark uses such frames for one statement, and leaves no view behind.  Other braces of the text are doubled if
    ``escaped``, because they are not the names of the user's frames.
    """
    found, frames = list(calls(text)), {}
    named = names_metadata(text)
    edits, add_metadata = [], []
    for number, call in enumerate(found):
        name = f"cloudfiles_{number}_"
        frames[name] = relation(spark, call, named)
        edits.append((call.start, call.end, f"{{{name}}}"))
        if named and any(map(is_file_metadata, frames[name].schema.fields)):
            add_metadata.append(edits[-1])
    parts, position = [], 0
    for start, end, new in sorted([*edits, *star_edits(text, add_metadata)]):
        parts += [_escape_braces(text[position:start]) if escaped else text[position:start], new]
        position = end
    return "".join([*parts, _escape_braces(text[position:]) if escaped else text[position:]]), frames


def _escape_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def relation(spark: SparkSession, call: Call, add_metadata: bool = False) -> DataFrame:
    """Return the frame of a call, if asked with ``_metadata`` as an ordinary column, because views hide no columns."""
    registration.register(spark)
    reader: Any
    if call.streaming:
        reader = spark.readStream.format("cloudFiles")
    else:
        reader = spark.read.format("cloudFiles").option(f"{INTERNAL}batch", "true")
        reader = reader.option(f"{INTERNAL}metadata", str(add_metadata).lower()).options(**session_options(spark))
    options: dict[str, Any] = dict(call.options)
    if schema := options.pop("schema", None):
        if add_metadata and not call.streaming:
            from pyspark.sql.types import StructType  # most statements give no schema

            schema = layout.add_metadata(cast(StructType, StructType.fromDDL(schema)))
        reader = reader.schema(schema)
    frame = reader.options(**{"cloudFiles.format": call.format or "", **options}).load(call.path)
    # Over Spark Connect the schema would have to be known here, before the query has a checkpoint to keep it in.
    shown = call.streaming and add_metadata and hasattr(spark, "_jvm")
    return frame.select("*", METADATA) if shown else frame


def calls(text: str) -> Iterator[Call]:
    """Yield the calls in a statement; refuse arguments that are not constants."""
    position = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        if match["name"] is None:
            continue
        arguments, position = _arguments(text, position)
        wrapped = match["stream"] is not None and "(" in match["stream"]
        if wrapped:
            closed = re.compile(r"\s*\)").match(text, position)
            if closed is None:
                raise InvalidOption("STREAM( is not closed: a ')' is missing.")
            position = closed.end()
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
    file_format, options = None, {}
    for key, value in given.items():
        if key.lower() == "format":
            file_format = value
        else:
            options["schema" if key.lower() == "schema" else _PREFIXED.get(key.lower(), key)] = value
    if "schema" not in options:  # the defaults are the opposite of the reader's
        options = {"cloudFiles.inferColumnTypes": "true", "cloudFiles.useStrictGlobber": "true"} | options
    return Call(start, end, _text(arguments[0]), file_format, options, streaming)


# Options of the reader that `read_files` spells without the prefix.
_PREFIXED = {
    name.lower(): f"cloudFiles.{name}"
    for name in (
        "inferColumnTypes", "schemaHints", "schemaEvolutionMode", "schemaLocation", "partitionColumns",
        "useStrictGlobber", "maxFilesPerTrigger", "maxBytesPerTrigger", "includeExistingFiles", "allowOverwrites",
    )
}  # fmt: skip


def _arguments(text: str, start: int) -> tuple[list[str], int]:
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


def _map(text: str) -> dict[str, str]:
    match = re.fullmatch(r"\s*map\s*\((.*)", text, re.DOTALL | re.IGNORECASE)
    if match is None:
        raise InvalidOption(f"Options are given as map('option', 'value', ...), not {text}.")
    values = [_text(value) for value in _arguments(match[1], 0)[0]]
    if len(values) % 2:
        raise InvalidOption(f"map has an option without a value: {text}.")
    return dict(zip(values[::2], values[1::2], strict=True))


def _text(argument: str) -> str:
    argument = argument.strip()
    if match := re.fullmatch(r"[rR](['\"])(.*)\1", argument, re.DOTALL):
        return match[2]
    if len(argument) >= 2 and argument[0] == argument[-1] and argument[0] in "'\"":
        quote = argument[0]
        return _ESCAPE.sub(_unescaped, argument[1:-1].replace(quote * 2, quote))
    if re.fullmatch(r"[+-]?\d[\w.]*|true|false", argument, re.IGNORECASE):
        return argument
    raise InvalidOption(f"The arguments of read_files and cloud_files must be constants, and {argument} is not.")


# The escapes of Spark's string literals.
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([0-3][0-7]{2})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def _unescaped(match: re.Match[str]) -> str:
    code, octal, mark = match.groups()
    if code or octal:
        return chr(int(code, 16) if code else int(octal, 8))
    return _ESCAPED.get(mark, mark)
