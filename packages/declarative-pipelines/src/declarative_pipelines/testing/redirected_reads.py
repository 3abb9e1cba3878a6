"""Patches of Spark's readers: while a pipeline is tested, what it reads by name, path or topic is the test's own.

They are installed with the first test of a process, and ask on each call whether a test runs an update.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any

from declarative_pipelines.definitions.model import without_live
from declarative_pipelines.engine import dataset_reads
from declarative_pipelines.sql.query_text import OWN, CatalogMap, WrittenName, replace_names
from declarative_pipelines.sql.token_reader import Form, SourceText
from declarative_pipelines.testing.mock_files import MockFiles, MockTopics
from streaming_base import builders, hooks
from streaming_base.rewritten_sql import Edit, Rewritten

_FORMATS = ("delta", "json", "csv", "parquet", "orc", "text", "binaryfile", "avro", "xml")
_SHARED = ("global_temp",)
_OWN_CATALOGS = (OWN, "hive_metastore")


@dataclass(frozen=True)
class RedirectedNames(CatalogMap):
    """A map from the pipeline's names to those of its test, which the engine takes as its map of catalogs.

    ``database`` is the test's; ``known`` are the multi-part names, in lower case, that are replaced in SQL.
    """

    database: str = ""
    known: set[tuple[str, str, str]] = field(default_factory=set)

    def located(self, catalog: str, database: str) -> tuple[str, str]:
        """Return a catalog and a database of it as the test has them."""
        catalog, database = catalog.lower(), database.lower()
        if database in _SHARED:
            return catalog, database
        if self.has(database):
            return OWN, database
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

        def in_test(name: WrittenName) -> Edit | None:
            for length in (3, 2):
                parts = tuple(part.lower() for part in name.parts[:length])
                full = parts if length == 3 else (OWN, *parts)
                if len(parts) == length and full in self.known:
                    return name.edit(length, self.quoted(".".join(parts)))
            return None

        return replace_names(text, in_test)


@dataclass(frozen=True)
class Redirects:
    """The redirection of a pipeline's reads to a test."""

    names: RedirectedNames
    files: MockFiles
    topics: MockTopics

    def name(self, name: str) -> str:
        """Return a table's name as the test has it."""
        changed = self._with_paths(name)
        return self.names.quoted(name) if changed == name and "." in without_live(name) else changed

    def text(self, text: str) -> str:
        """Return SQL text with the test's names and paths."""
        return self.names.in_text(self._with_paths(text))

    def _with_paths(self, text: str) -> str:
        """Return a text with the test's paths in place of those that it reads as tables: json.`/landing/orders`."""
        if "`" not in text:
            return text
        tokens = SourceText(text, "").tokens()
        edits = [
            Edit(path.start, path.end, f"`{self.files.path(path.value)}`")
            for form, path in zip(tokens[:-2], tokens[2:], strict=True)
            if form.value.lower() in _FORMATS and path.form is Form.NAME and "/" in path.value
        ]
        return Rewritten.of(text, edits).text


_FILES = ("load", "json", "csv", "parquet", "orc", "text", "xml")
#: Options of a reader whose value is where a source keeps something.
_KEPT = ("cloudfiles.schemalocation", "schemalocation", "badrecordspath")

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
    by_name = partial(_with_first, lambda redirects, name: redirects.name(name))
    _wrap(SparkSession, "table", by_name)
    _wrap(SparkSession, "sql", partial(_with_first, lambda redirects, text: redirects.text(text)))
    for reader in (DataFrameReader, DataStreamReader):
        _wrap(reader, "table", by_name)
        for name in _FILES:
            if hasattr(reader, name):
                _wrap(reader, name, partial(_with_redirect, redirect=_redirect_load))
        _wrap(reader, "option", _wrap_option)
        _wrap(reader, "options", _wrap_options)


def _wrap(kind: type, name: str, make: Callable[[Any], Any]) -> None:
    why = "a read of a pipeline under test is redirected"
    hooks.wrap(kind, name, make, by="declarative_pipelines", layer="pipeline", why=why)


def _with_first(change: Callable[[Redirects, str], str], original: Any) -> Any:
    """Return the method with its first argument changed."""

    def redirect(redirects: Redirects, _reader: Any, given: inspect.BoundArguments) -> None:
        name = list(given.arguments)[1]
        given.arguments[name] = change(redirects, given.arguments[name])

    return _with_redirect(original, redirect)


def _with_redirect(original: Any, redirect: Callable[[Redirects, Any, inspect.BoundArguments], Any]) -> Any:
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
    recorded = builders.given_to(reader)
    if (given.arguments.get("format") or recorded.format).lower() == "kafka":
        from pyspark.sql.streaming.readwriter import DataStreamReader

        more = {key.lower(): value for key, value in given.arguments.get("options", {}).items()}
        return redirects.topics.frame({**recorded.lower_options, **more}, isinstance(reader, DataStreamReader))
    for key, value in list(recorded.options.items()):
        if key.lower() == "path":
            reader.option(key, redirects.files.path(value))
        elif key.lower() in _KEPT:
            reader.option(key, redirects.files.kept(value))
    for name in ("path", "paths"):
        if name in given.arguments:
            given.arguments[name] = _moved(given.arguments[name], redirects)
    return None


def _moved(path: Any, redirects: Redirects) -> Any:
    if isinstance(path, list | tuple):
        return type(path)(_moved(one, redirects) for one in path)
    return redirects.files.path(path) if isinstance(path, str) else path


def _is_for_broker(key: str) -> bool:
    """Whether an option is for a broker, which a test does not have; hooks below must not see it."""
    return _current is not None and key.lower().startswith("kafka.")


def _wrap_option(original: Any) -> Any:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        return self if _is_for_broker(key) else original(self, key, value)

    return option


def _wrap_options(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **options: Any) -> Any:
        return original(self, **{key: value for key, value in options.items() if not _is_for_broker(key)})

    return options
