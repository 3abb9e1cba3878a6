"""The text of a query as Spark's pipelines take it, with the session's names.

``LIVE.`` goes from names.  A catalog that the session does not have is mapped to a prefix of databases by the update's
configuration: with ``pipelines.catalogs.samples = samples_`` the name ``samples.nyctaxi.trips`` means
``samples_nyctaxi.trips``, and with an empty prefix ``nyctaxi.trips``.  Names of datasets are compared without regard to
case, as Spark compares the names of tables; its pipelines engine compares them exactly, so a name that differs by case
only is replaced by the one that the definition has.

``STREAM name`` and ``STREAM(name)`` stay, since Spark's analysis knows them.  What ``read_files(...)`` and
``cloud_files(...)`` mean is known only when they are called, so that each call becomes a temporary view of the
pipeline, named ``__files_...``, and the query reads the view.  Without Auto Loader's package they are left in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import Dataset, DatasetKind
from declarative_pipelines.definitions.token_reader import SourceText, Token, has_word_at
from declarative_pipelines.errors import BadDefinition
from streaming_base.rewritten_sql import Edit, Rewritten, restore_positions
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from declarative_pipelines.definitions.model import SourceLocation
    from declarative_pipelines.definitions.token_reader import TokenReader

KEY = "pipelines.catalogs."
OWN = "spark_catalog"
#: The platform's older catalog is the session's own.
_ALWAYS = {"hive_metastore": ""}
# What a relation's name stands behind.
_BEFORE_A_RELATION = ("FROM", "JOIN", "STREAM", "TABLE", ",", "(")
FILES = "__files_"
CALLS = ("READ_FILES", "CLOUD_FILES")
_SETTING = re.compile(r"\$\{(?:spark:|sparkconf:)?([^{}]+)\}")
_BEGINS = "SELECT|WITH|FROM|VALUES|TABLE|MAP|REDUCE|("


@dataclass(frozen=True)
class WrittenName:
    """A name of one or more parts in a query's text, by its tokens and the dots between them."""

    tokens: Sequence[Token]
    before: Token | None
    is_call: bool

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts without their backticks."""
        return tuple(token.value for token in self.tokens[::2])

    @property
    def may_be_relation(self) -> bool:
        """Whether the name stands where a table's may."""
        return self.before is not None and not self.is_call and any(map(self.before.says, _BEFORE_A_RELATION))

    def edit(self, count: int, name: str) -> Edit:
        """Return the replacement of the first parts."""
        return Edit(self.tokens[0].start, self.tokens[2 * count - 2].end, name)


def written_names(tokens: list[Token]) -> Iterator[WrittenName]:
    """Yield the names in a query, of functions and columns as well."""
    before, number = None, 0
    while number < len(tokens):
        last = number
        while has_word_at(tokens, last + 1, ".") and last + 2 < len(tokens) and tokens[last + 2].may_be_name:
            last += 2
        if tokens[number].may_be_name and not (before is not None and before.says(".")):
            yield WrittenName(tokens[number : last + 1], before, has_word_at(tokens, last + 1, "("))
            number = last
        before, number = tokens[number], number + 1


def replace_names(text: str, make_edit: Callable[[WrittenName], Edit | None]) -> str:
    """Return a text with the edits of its names."""
    edits = (make_edit(name) for name in written_names(SourceText(text, "").tokens()))
    return Rewritten.of(text, [edit for edit in edits if edit is not None]).text


def live_edits(tokens: list[Token]) -> list[Edit]:
    """Return the edits that remove ``LIVE`` and the dot before each name, except where ``LIVE`` is an alias."""
    names = [name for name in written_names(tokens) if name.parts[0].upper() == "LIVE"]
    if any(name.before is not None and name.before.says("AS") for name in names):
        return []
    return [Edit(token.start, token.end, "") for name in names if len(name.parts) > 1 for token in name.tokens[:2]]


def without_live_names(text: str) -> str:
    """Return SQL text, or a name, without ``LIVE.``; comments and strings stay unchanged."""
    if "live" not in text.lower():
        return text  # without the tokenizer's import
    return Rewritten.of(text, live_edits(SourceText(text, "").tokens())).text


@dataclass(frozen=True)
class CatalogMap:
    """The prefix of databases for each catalog that is mapped, by its name in lower case."""

    prefixes: Mapping[str, str] = field(default_factory=lambda: dict(_ALWAYS))

    @classmethod
    def of(cls, configuration: Mapping[str, str]) -> CatalogMap:
        """Return the map that an update's configuration has."""
        given = {key[len(KEY) :].lower(): value for key, value in configuration.items() if key.startswith(KEY)}
        return cls({**_ALWAYS, **given})

    def located(self, catalog: str, database: str) -> tuple[str, str]:
        """Return a catalog and a database of it as the session has them."""
        prefix = self.prefixes.get(catalog.lower())
        return (catalog, database) if prefix is None else (OWN, f"{prefix}{database}")

    def in_text(self, text: str) -> str:
        """Return a query with the session's names in place of three-part names, except in strings and comments."""
        lower = text.lower()
        if not any(catalog in lower for catalog in self.prefixes):
            return text  # without the tokenizer's import

        def mapped(name: WrittenName) -> Edit | None:
            if len(name.parts) < 3 or name.parts[0].lower() not in self.prefixes:
                return None
            catalog, database = self.located(*name.parts[:2])
            return name.edit(2, f"{catalog}.`{database.replace('`', '``')}`")

        return replace_names(text, mapped)


def how_to_map(catalog: str) -> str:
    """Return a sentence about a catalog that is not there."""
    key = f"{KEY}{catalog}"
    return (
        f"There is no catalog {catalog} here. Map it to a prefix of databases: with "
        f"configuration={{{key!r}: '{catalog}_'}}, {catalog}.a.b means {catalog}_a.b."
    )


class DatasetNames:
    """The names of a pipeline's datasets: of tables catalog, database and name; of views and sinks the name."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        self._known = {_lower(parts): parts for parts in names}

    def in_text(self, text: str, complete: Callable[[str], list[str]]) -> str:
        """Return a query in which each dataset has its defined name; ``complete`` gives a table's three parts."""
        lower = text.lower()
        if all(lower.count(part.lower()) == text.count(part) for parts in self._known.values() for part in parts):
            return text  # without the tokenizer's import

        def defined(name: WrittenName) -> Edit | None:
            found = self._known.get(_lower(name.parts))
            if found is None and len(name.parts) <= 3:
                table = self._known.get(_lower(complete(".".join(name.parts))))
                found = None if table is None else table[-len(name.parts) :]
            if found is None or found == name.parts or not name.may_be_relation:
                return None
            return name.edit(len(found), ".".join(f"`{part.replace('`', '``')}`" for part in found))

        return replace_names(text, defined)


def _lower(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.lower() for part in parts)


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
