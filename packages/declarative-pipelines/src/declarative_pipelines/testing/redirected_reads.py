"""Patches of Spark's readers: while a pipeline is tested, what it reads by name, path or topic is the test's own.

They are installed with the first test of a process, and ask on each call whether a test runs an update.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol

from declarative_pipelines.definitions.model import without_live
from declarative_pipelines.engine import dataset_reads
from declarative_pipelines.sql.parameters import OWN, CatalogMap
from declarative_pipelines.sql.token_reader import Form, SourceText, Token
from streaming_base import hooks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

_FORMATS = ("delta", "json", "csv", "parquet", "orc", "text", "binaryfile", "avro", "xml")
_SHARED = ("global_temp",)
_OWN_CATALOGS = (OWN, "hive_metastore")


@dataclass(frozen=True)
class RedirectedNames(CatalogMap):
    """A map from the pipeline's names to those of its test, which the engine takes as its map of catalogs.

    ``database`` is the test's; ``own`` are the production catalog and database of the pipeline's tables, if given;
    ``known`` are the multi-part names, in lower case, that are replaced in SQL.
    """

    database: str = ""
    own: tuple[str, str] | None = None
    known: set[tuple[str, str, str]] = field(default_factory=set)

    def located(self, catalog: str, database: str) -> tuple[str, str]:
        """Return a catalog and a database of it as the test has them."""
        catalog, database = catalog.lower(), database.lower()
        if database in _SHARED:
            return catalog, database
        if self.has(database):
            return OWN, database
        if (catalog, database) == self.own:
            return OWN, self.database
        return OWN, f"{self.database}__{'' if catalog in _OWN_CATALOGS else f'{catalog}_'}{database}"

    def has(self, database: str) -> bool:
        """Whether a database is the test's."""
        return database == self.database or database.startswith(f"{self.database}__")

    def table(self, name: str) -> tuple[str, str]:
        """Return the database and the name of a table that is written with up to three parts."""
        *around, table = without_live(name).split(".")
        if not around:
            return self.database, table
        catalog = around[-2] if len(around) > 1 else OWN
        return self.located(catalog, around[-1])[1], table

    def learn(self, name: str) -> None:
        """Register a name for replacement in SQL."""
        *around, table = without_live(name).lower().split(".")
        if around:
            self.known.add((around[-2] if len(around) > 1 else OWN, around[-1], table))

    def quoted(self, name: str) -> str:
        """Return a table's name as SQL has it."""
        return ".".join(f"`{part}`" for part in self.table(name))

    def in_text(self, text: str) -> str:
        """Return SQL text with the test's names in place of registered ones."""
        lower = text.lower()
        if not any(table in lower for _, _, table in self.known):
            return text
        tokens, pieces, done = SourceText(text, "").tokens(), [], 0
        for number, token in enumerate(tokens):
            if token.start >= done and (parts := self._known_at(tokens, number)):
                pieces += [text[done : token.start], self.quoted(".".join(parts))]
                done = tokens[number + 2 * len(parts) - 2].end
        return "".join([*pieces, text[done:]])

    def _known_at(self, tokens: list[Token], number: int) -> tuple[str, ...]:
        """Return the parts of the known name that begins at a token."""
        names = name_at(tokens, number)
        for length in (3, 2):
            parts = tuple(name.lower() for name in names[:length])
            full = parts if length == 3 else (OWN, *parts)
            if len(parts) == length and full in self.known:
                return parts
        return ()


def name_at(tokens: list[Token], number: int) -> list[str]:
    """Return the parts of the name that begins at a token; none where the token is no beginning of a name."""
    if not tokens[number].may_be_name or (number > 0 and tokens[number - 1].says(".")):
        return []
    names = [tokens[number].value]
    while len(tokens) > number + 2 and tokens[number + 1].says(".") and tokens[number + 2].may_be_name:
        number += 2
        names.append(tokens[number].value)
    return names


def paths_in(text: str) -> list[Token]:
    """Return the paths that SQL text reads as tables, such as json.`/landing/orders`."""
    if "`" not in text:
        return []
    tokens = SourceText(text, "").tokens()
    pairs = zip(tokens[:-2], tokens[2:], strict=True)
    return [path for form, path in pairs if form.value.lower() in _FORMATS and _is_path(path)]


def _is_path(token: Token) -> bool:
    return token.form is Form.NAME and "/" in token.value


_FILES = ("load", "json", "csv", "parquet", "orc", "text", "xml")
_REMEMBERED = "_declarative_pipelines_test_options"
_FORMAT = "format"
#: Options whose value is the path of what is read, and those where a source keeps something.
_PATHS = ("path",)
_KEPT = ("cloudfiles.schemalocation", "schemalocation", "badrecordspath")


class Redirects(Protocol):
    """The redirection of reads to a test."""

    def name(self, name: str) -> str:
        """Return a table's name as the test has it."""

    def text(self, text: str) -> str:
        """Return SQL text with the test's names and paths."""

    def path(self, path: str) -> str:
        """Return a path as the test has it."""

    def kept(self, path: str) -> str:
        """Return the test's place for something stored at a path."""

    def topics(self, session: SparkSession, options: Mapping[str, str], streaming: bool) -> DataFrame:
        """Return the records of topics."""


_current: Redirects | None = None


@contextmanager
def redirect_reads(redirects: Redirects) -> Iterator[None]:
    """Redirect the reads of this process; one test at a time."""
    global _current
    _current = redirects
    try:
        yield
    finally:
        _current = None


def install() -> None:
    """Wrap Spark's classes; calling it again changes nothing."""
    from pyspark.sql import SparkSession
    from pyspark.sql.readwriter import DataFrameReader
    from pyspark.sql.streaming.readwriter import DataStreamReader

    dataset_reads.install()  # below this in the chain: it is given the test's names
    _wrap(SparkSession, "table", _wrap_by_name)
    _wrap(SparkSession, "sql", _wrap_sql)
    for reader in (DataFrameReader, DataStreamReader):
        _wrap(reader, "table", _wrap_by_name)
        for name in _FILES:
            if hasattr(reader, name):
                _wrap(reader, name, _wrap_by_path)
        _wrap(reader, "option", _wrap_option)
        _wrap(reader, "options", _wrap_options)
        _wrap(reader, "format", _wrap_format)


def _wrap(kind: type, name: str, make: Callable[[Any], Any]) -> None:
    why = "a read of a pipeline under test is redirected"
    hooks.wrap(kind, name, make, by="declarative_pipelines", layer="pipeline", why=why)


def _wrap_by_name(original: Any) -> Any:
    return _with_first(original, lambda redirects, name: redirects.name(name))


def _wrap_sql(original: Any) -> Any:
    return _with_first(original, lambda redirects, text: redirects.text(text))


def _with_first(original: Any, change: Callable[[Redirects, str], str]) -> Any:
    """Return the method with its first argument changed."""

    def redirect(redirects: Redirects, _reader: Any, given: inspect.BoundArguments) -> None:
        name = list(given.arguments)[1]
        given.arguments[name] = change(redirects, given.arguments[name])

    return _wrap_with_redirect(original, redirect)


def _wrap_by_path(original: Any) -> Any:
    return _wrap_with_redirect(original, _redirect_load)


def _wrap_with_redirect(original: Any, redirect: Callable[[Redirects, Any, inspect.BoundArguments], Any]) -> Any:
    """Wrap a method so that `redirect` changes its arguments or returns its result."""
    signature = inspect.signature(original)

    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _current is None:
            return original(self, *args, **kwargs)
        given = signature.bind(self, *args, **kwargs)
        instead = redirect(_current, self, given)
        return original(*given.args, **given.kwargs) if instead is None else instead

    return method


def _redirect_load(redirects: Redirects, reader: Any, given: inspect.BoundArguments) -> Any:
    known = vars(reader).get(_REMEMBERED, {})
    if (given.arguments.get("format") or known.get(_FORMAT, "")).lower() == "kafka":
        from pyspark.sql.streaming.readwriter import DataStreamReader

        more = given.arguments.get("options", {})
        return redirects.topics(reader._spark, {**known, **more}, isinstance(reader, DataStreamReader))
    for name in ("path", "paths"):
        if name in given.arguments:
            given.arguments[name] = _moved(given.arguments[name], redirects)
    return None


def _moved(path: Any, redirects: Redirects) -> Any:
    if isinstance(path, list | tuple):
        return type(path)(_moved(one, redirects) for one in path)
    return redirects.path(path) if isinstance(path, str) else path


def _wrap_option(original: Any) -> Any:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        if _current is None:
            return original(self, key, value)
        value = _record_option(self, key, value, _current)
        return self if _is_for_kafka(self, key) else original(self, key, value)

    return option


def _wrap_options(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **options: Any) -> Any:
        if _current is not None:
            options = {key: _record_option(self, key, value, _current) for key, value in options.items()}
            options = {key: value for key, value in options.items() if not _is_for_kafka(self, key)}
        return original(self, **options)

    return options


def _is_for_kafka(reader: Any, key: str) -> bool:
    """Whether an option is for a broker, which a test does not have; hooks below must not see it."""
    known = vars(reader).get(_REMEMBERED, {})
    return known.get(_FORMAT, "").lower() == "kafka" or key.lower().startswith("kafka.")


def _record_option(reader: Any, key: str, value: Any, redirects: Redirects) -> Any:
    """Record a reader's option, and return its value for the test."""
    vars(reader).setdefault(_REMEMBERED, {})[key.lower()] = str(value)
    if key.lower() in _PATHS:
        return redirects.path(value)
    return redirects.kept(value) if key.lower() in _KEPT else value


def _wrap_format(original: Any) -> Any:
    @wraps(original)
    def format(self: Any, source: str) -> Any:
        if _current is not None:
            vars(self).setdefault(_REMEMBERED, {})[_FORMAT] = source
        return original(self, source)

    return format
