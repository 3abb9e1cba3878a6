"""The query of a dataset or a flow, as text that Spark's pipelines understand.

``STREAM name`` and ``STREAM(name)`` stay, since Spark's analysis knows them.  What ``read_files(...)`` and
``cloud_files(...)`` mean is known only when they are called, so that each call becomes a temporary view of the
pipeline, named ``__files_...``, and the query reads the view.  Without Auto Loader's package they are left in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import Dataset, DatasetKind
from declarative_pipelines.errors import BadDefinition
from declarative_pipelines.sql.query_text import live_edits
from streaming_base.rewritten_sql import Edit, Rewritten, restore_positions
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from declarative_pipelines.definitions.model import SourceLocation
    from declarative_pipelines.sql.token_reader import TokenReader

FILES = "__files_"
CALLS = ("READ_FILES", "CLOUD_FILES")
_SETTING = re.compile(r"\$\{(?:spark:|sparkconf:)?([^{}]+)\}")
_BEGINS = "SELECT|WITH|FROM|VALUES|TABLE|MAP|REDUCE|("


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

    ``with_metadata`` is whether the query asks for ``_metadata``, which a view does not hide.
    """

    call: str
    location: SourceLocation = field(compare=False)
    with_metadata: bool = False

    def __call__(self, session: SparkSession) -> DataFrame:
        """Return the frame of the call, with the session's settings in place of ``${name}``, as Spark's parser does."""
        text = _SETTING.sub(lambda match: session.conf.get(match[1], match[0]), self.call)
        [call] = function_of_sibling("find_file_calls")(text)
        return function_of_sibling("read_file_call")(session, call, self.with_metadata)


def read_query(reader: TokenReader, name: str) -> tuple[QueryText, list[Dataset]]:
    """Read the rest as a query; return it and the views of the files that it reads."""
    if not reader.at(_BEGINS):
        raise reader.unexpected("a query")
    location, query = reader.location, reader.rest()
    begin, edits, views, hidden = query.tokens[0].start, [], [], []
    for call, view in _file_views(query, name):
        views.append(view)
        edits.append(Edit(call.start, call.end, f"STREAM {view.name}" if call.streaming else view.name))
        if (
            isinstance(view.query, FileRead) and view.query.with_metadata
        ):  # a plain column of the view, which no * of the query means
            hidden.append((call.start, call.end, view.name))
    edits += [Edit(*edit) for edit in function_of_sibling("hide_metadata_edits")(query.text, hidden)] if hidden else []
    for edit in live_edits(query.tokens):
        live = Edit(edit.start - begin, edit.end - begin, "")
        if not any(other.start <= live.start < other.end for other in edits):
            edits.append(live)
    return QueryText(Rewritten.of(query.text, edits), location), views


def read_file_source(reader: TokenReader, name: str) -> Dataset:
    """Read the rest as one call of ``read_files``, the source of a flow; return its view."""
    begin, source = reader.location, reader.rest()
    found = list(_file_views(source, name))
    if len(found) != 1 or (found[0][0].start, found[0][0].end) != (0, len(source.text)):
        raise BadDefinition(begin, "the source of a change flow is a name or one call of read_files.")
    return found[0][1]


def _file_views(query: TokenReader, name: str) -> Iterator[tuple[Any, Dataset]]:
    """Yield the calls in a query, by their places in its text, and the view of each."""
    find_calls = function_of_sibling("find_file_calls")
    if find_calls is None or not any(map(query.text.upper().__contains__, CALLS)):
        return
    with_metadata = any(token.says("_METADATA") for token in query.tokens)
    # A setting has its value when the call is made; until then a number is in its place.
    text = _SETTING.sub(lambda match: "1" * len(match[0]), query.text)
    try:
        calls = list(find_calls(text))
    except Exception as error:  # Auto Loader's package has errors of its own
        raise BadDefinition(query.location, str(error)) from error
    for number, call in enumerate(calls, start=1):
        location = query.source.location(query.tokens[0].start + call.start)
        read = FileRead(query.text[call.start : call.end], location, with_metadata)
        yield call, Dataset(f"{FILES}{name.replace('.', '_')}_{number}", DatasetKind.TEMPORARY_VIEW, location, read)
