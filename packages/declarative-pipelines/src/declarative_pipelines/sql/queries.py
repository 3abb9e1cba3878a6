"""The query of a dataset or a flow, as text that Spark's pipelines understand.

``LIVE.`` goes from names; ``STREAM name`` and ``STREAM(name)`` stay, since Spark's analysis knows them.  What
``read_files(...)`` and ``cloud_files(...)`` mean is known only when they are called, so that each call becomes a
temporary view of the pipeline, named ``__files_...``, and the query reads the view.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import Dataset, DatasetKind
from declarative_pipelines.sql.token_reader import SourceText, SqlError, Token, has_word_at
from streaming_base.rewritten_sql import Edit, Rewritten, restore_positions
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from declarative_pipelines.definitions.model import SourceLocation
    from declarative_pipelines.sql.token_reader import TokenReader

_BLANKS = re.compile(r"\s*")


def live_prefixes(tokens: list[Token]) -> Iterator[Token]:
    """Yield ``LIVE`` and the dot before each name, except where ``LIVE`` is an alias."""
    if any(_is_live(token) and has_word_at(tokens, number - 1, "AS") for number, token in enumerate(tokens)):
        return
    for number, token in enumerate(tokens[:-2]):
        named = tokens[number + 1].says(".") and tokens[number + 2].may_be_name
        if _is_live(token) and named and not has_word_at(tokens, number - 1, "."):
            yield from (token, tokens[number + 1])


def without_live_names(text: str) -> str:
    """Return SQL text, or a name, without ``LIVE.``; comments and strings stay unchanged."""
    if "live" not in text.lower():
        return text  # without the tokenizer's import
    pieces, done = [], 0
    prefixes = live_prefixes(SourceText(text, "").tokens())
    for live, dot in zip(prefixes, prefixes, strict=True):
        pieces.append(text[done : live.start])
        done = _BLANKS.match(text, dot.end).end()
    return "".join([*pieces, text[done:]])


def _is_live(token: Token) -> bool:
    return token.may_be_name and token.value.upper() == "LIVE"


FILES = "__files_"
_SETTING = re.compile(r"\$\{(?:spark:|sparkconf:)?([^{}]+)\}")
_BEGINS = "SELECT|WITH|FROM|VALUES|TABLE|MAP|REDUCE|("
_CALLS = ("READ_FILES", "CLOUD_FILES")


@dataclass(frozen=True)
class QueryText:
    """A query, which makes its frame when it is called with a session."""

    rewritten: Rewritten
    location: SourceLocation

    @property
    def text(self) -> str:
        """The text for Spark."""
        return self.rewritten.text

    def __call__(self, session: SparkSession) -> DataFrame:
        """Return the frame; an error of Spark names the position in the original text."""
        try:
            return session.sql(self.text)
        except Exception as error:
            restore_positions(error, self.rewritten)
            raise


@dataclass(frozen=True)
class FileRead:
    """A call of ``read_files`` or ``cloud_files``, which makes its frame when it is called with a session.

    ``call`` begins with ``STREAM`` for a stream; ``with_metadata`` is whether the query asks for ``_metadata``, which
    a view does not hide.
    """

    call: str
    location: SourceLocation = field(compare=False)
    with_metadata: bool = False

    def __call__(self, session: SparkSession) -> DataFrame:
        """Return the frame of the call, by Auto Loader if it is installed, else by the session."""
        find_calls, read_call = function_of_sibling("find_file_calls"), function_of_sibling("read_file_call")
        if find_calls is None:
            columns = "*, _metadata" if self.with_metadata else "*"
            return session.sql(f"SELECT {columns} FROM {self.call}")
        [call] = find_calls(_with_settings(self.call, session))
        return read_call(session, call, self.with_metadata)


def _with_settings(text: str, session: SparkSession) -> str:
    """Return a text with each ``${name}`` replaced by the session's setting, as Spark's parser does."""
    return _SETTING.sub(lambda match: session.conf.get(match[1], match[0]), text)


def read_query(reader: TokenReader, name: str) -> tuple[QueryText, list[Dataset]]:
    """Read the rest as a query; return it and the views of the files that it reads."""
    if not reader.at(_BEGINS):
        raise reader.unexpected("a query")
    location, query = reader.location, reader.rest()
    begin, edits, views = query.tokens[0].start, [], []
    for call, view in _file_views(query, name):
        views.append(view)
        edits.append(Edit(call.start - begin, call.end - begin, f"STREAM {view.name}" if call.streaming else view.name))
    calls = [(edit.start, edit.end, view.name) for edit, view in zip(edits, views, strict=True)]
    edits += _without_metadata(query.text, calls) if any(map(_names_metadata, views)) else []
    for token in live_prefixes(query.tokens):
        if not any(edit.start <= token.start - begin < edit.end for edit in edits):
            edits.append(Edit(token.start - begin, token.end - begin, ""))
    return QueryText(Rewritten.of(query.text, edits), location), views


def _names_metadata(view: Dataset) -> bool:
    return isinstance(view.query, FileRead) and view.query.with_metadata


def _without_metadata(text: str, calls: list[tuple[int, int, str]]) -> list[Edit]:
    """Return the edits after which no ``*`` of a query means ``_metadata``, a plain column of a view of files."""
    find_edits = function_of_sibling("hide_metadata_edits")
    return [] if find_edits is None else [Edit(*edit) for edit in find_edits(text, calls)]


def read_file_source(reader: TokenReader, name: str) -> Dataset:
    """Read the rest as one call of ``read_files``, the source of a flow; return its view."""
    begin, source = reader.location, reader.rest()
    found = list(_file_views(source, name))
    if len(found) != 1 or (found[0][0].start, found[0][0].end) != (source.tokens[0].start, source.tokens[-1].end):
        raise SqlError(begin, "the source of a change flow is a name or one call of read_files.")
    return found[0][1]


def _file_views(query: TokenReader, name: str) -> Iterator[tuple[_Call, Dataset]]:
    with_metadata = any(token.says("_METADATA") for token in query.tokens)
    for number, call in enumerate(_file_calls(query), start=1):
        read = FileRead(call.text, query.source.location(call.start), with_metadata)
        yield (
            call,
            Dataset(f"{FILES}{name.replace('.', '_')}_{number}", DatasetKind.TEMPORARY_VIEW, read.location, read),
        )


@dataclass(frozen=True)
class _Call:
    start: int
    end: int
    text: str
    streaming: bool


def _file_calls(query: TokenReader) -> Iterator[_Call]:
    tokens, source = query.tokens, query.source
    for number, token in enumerate(tokens[:-1]):
        word = next((call for call in _CALLS if token.says(call)), None)
        if word is None or not tokens[number + 1].says("(") or has_word_at(tokens, number - 1, "."):
            continue
        last = number + 1 + _length(query, number + 1)
        first = number
        if has_word_at(tokens, number - 1, "STREAM"):
            first = number - 1
        elif (
            has_word_at(tokens, number - 2, "STREAM")
            and has_word_at(tokens, number - 1, "(")
            and (has_word_at(tokens, last, ")"))
        ):
            first, last = number - 2, last + 1
        streaming = first < number or word == "CLOUD_FILES"
        call = source.text[token.start : tokens[last - 1].end if first > number - 2 else tokens[last - 2].end]
        text = f"STREAM {call}" if first < number else call
        yield _Call(tokens[first].start, tokens[last - 1].end, text, streaming)


def _length(query: TokenReader, number: int) -> int:
    """Return the number of tokens from an opening parenthesis to the closing one."""
    reader = type(query)(query.source, query.tokens[number:])
    reader.skip()
    return len(query.tokens) - number - len(reader.tokens)
