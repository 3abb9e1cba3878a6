"""Patches of Spark's readers: while a pipeline is tested, what it reads by name, path or topic is the test's own.

They are installed with the first test of a process, and ask on each call whether a test runs an update.  Files are in
a folder of the test for each path; tables and topics are in its database.
"""

from __future__ import annotations

import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import without_live
from declarative_pipelines.definitions.queries import OWN, CatalogMap, WrittenName, replace_names
from declarative_pipelines.definitions.token_reader import Form, SourceText
from declarative_pipelines.engine.session import install_interception
from declarative_pipelines.errors import BadArgument, NotMocked, did_you_mean
from streaming_base import builders, hooks
from streaming_base.rewritten_sql import Edit, Rewritten

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_FORMATS = ("delta", "json", "csv", "parquet", "orc", "text", "binaryfile", "avro", "xml")
_SHARED = ("global_temp",)
_OWN_CATALOGS = (OWN, "hive_metastore")
_FILES = ("load", "json", "csv", "parquet", "orc", "text", "xml")
#: Options of a reader whose value is where a source keeps something.
_KEPT = ("cloudfiles.schemalocation", "schemalocation", "badrecordspath")
TABLE = "__topics"
_SCHEMA = """
key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, timestampType INT,
headers ARRAY<STRUCT<key: STRING, value: BINARY>>
"""
_SCHEME = re.compile(r"^(?:file|dbfs):/*(?=/)")


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

    install_interception()  # below this in the chain: it is given the test's names
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


@dataclass
class MockTopics:
    """The topics of a test; ``table`` has their records, as SQL names it."""

    session: SparkSession
    table: str
    topics: set[str] = field(default_factory=set)
    _offsets: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, topic: str, records: Iterable[Any]) -> None:
        """Append records to a topic: values, or objects with value, key, partition, timestamp and headers."""
        rows = [self._row(topic, record) for record in records]
        self.topics.add(topic)
        write(self.table, self.session.createDataFrame(rows, _SCHEMA), "append")

    def frame(self, options: Mapping[str, str], streaming: bool) -> DataFrame:
        """Return the records for a reader with these options; NotMocked for a topic that the test lacks."""
        asked = {topic.strip() for topic in options.get("subscribe", "").split(",")}
        if "assign" in options:
            asked = set(json.loads(options["assign"]))
        elif pattern := options.get("subscribepattern"):
            asked = {topic for topic in self.topics if re.fullmatch(pattern, topic)} or {pattern}
        for topic in asked:
            if topic not in self.topics:
                raise NotMocked(f"the topic {topic}", f"pipeline.mock_topic({topic!r}, [value, ...])")
        reader = self.session.readStream if streaming else self.session.read
        frame = reader.table(self.table).where(f"topic IN ({', '.join(map(repr, sorted(asked)))})")
        return frame if options.get("includeheaders", "false").lower() == "true" else frame.drop("headers")

    def _row(self, topic: str, record: Any) -> tuple[Any, ...]:
        fields = record if isinstance(record, Mapping) else {"value": record}
        partition = fields.get("partition", 0)
        offset = self._offsets[topic, partition]
        self._offsets[topic, partition] += 1
        headers = [(key, _kafka_bytes(value)) for key, value in fields.get("headers", ())]
        timestamp = fields.get("timestamp", datetime.now(UTC))
        key, value = _kafka_bytes(fields.get("key")), _kafka_bytes(fields.get("value"))
        return key, value, topic, partition, offset, timestamp, 0, headers or None


def _kafka_bytes(value: Any) -> bytearray | None:
    if value is None:
        return None
    if isinstance(value, str):
        return bytearray(value.encode())
    return bytearray(value if isinstance(value, bytes) else json.dumps(value).encode())


def write(table: str, frame: DataFrame, mode: str, form: str = "parquet") -> None:
    """Write a frame to a table of the test, in one file; Parquet readers have no log to read first."""
    writer = frame.coalesce(1).write.format(form).mode(mode)
    if form == "delta" and mode == "overwrite":
        writer = writer.option("overwriteSchema", "true")
    writer.saveAsTable(table)


def frame_of(session: SparkSession, name: str, rows: Any, schema: str | StructType | None) -> DataFrame:
    """Return rows as a frame, by names or in the order of the schema.

    Raises BadArgument if the types cannot be inferred, or a row has a column that the schema lacks.
    """
    from pyspark.errors import PySparkTypeError, PySparkValueError
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    fields: Any = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    if isinstance(rows, DataFrame):
        return rows if fields is None else rows.to(fields)
    if not isinstance(rows, Iterable) or hasattr(rows, "columns"):  # a frame of pandas or Arrow
        return session.createDataFrame(rows, fields)
    rows = list(rows)
    if fields is not None:
        return session.createDataFrame([_in_order(name, row, fields.fieldNames()) for row in rows], fields)
    given = [_by_name(row) for row in rows]
    if not given or None in given:
        what = "no rows" if not given else "rows without names of columns"
        raise BadArgument(f"{name} is mocked with {what}. Give their types: schema='id INT, amount DOUBLE'.")
    names = list(dict.fromkeys(column for row in given for column in row))
    try:
        return session.createDataFrame([tuple(row.get(column) for column in names) for row in given], names)
    except (PySparkTypeError, PySparkValueError) as error:
        said = error.getMessage() or str(error)
        raise BadArgument(f"The types of {name} are not to be told from its rows: {said} Give schema=.") from error


def _in_order(name: str, row: Any, columns: Sequence[str]) -> tuple[Any, ...]:
    by_name = _by_name(row)
    if by_name is None:
        return tuple(row)
    unknown = [column for column in by_name if column not in columns]
    if unknown:
        there = f"It has {', '.join(columns)}.{did_you_mean(unknown[0], columns)}"
        raise BadArgument(f"{name} has no column {unknown[0]}, which a mocked row has. {there}")
    return tuple(by_name.get(column) for column in columns)


def _by_name(row: Any) -> dict[str, Any] | None:
    """Return a row's values by name; None where it has no names."""
    if isinstance(row, Mapping):
        return dict(row)
    return dict(zip(row.__fields__, row, strict=True)) if hasattr(row, "__fields__") else None


@dataclass
class MockFiles:
    """The folders of a test by the paths that they replace; files below ``root`` need no mock."""

    root: Path
    folders: dict[str, Path] = field(default_factory=dict)

    def folder(self, path: str, there: Path | None = None) -> Path:
        """Return the folder that replaces a path, created if necessary."""
        path = _plain(path)
        if there is not None:
            self.folders[path] = there.resolve()
        if path not in self.folders:
            self.folders[path] = self.root / "files" / str(len(self.folders))
            self.folders[path].mkdir(parents=True)
        return self.folders[path]

    def add(self, path: str, files: Mapping[str, Any]) -> Path:
        """Put files into the folder that stands for a path: text, bytes, or a list of objects as lines of JSON."""
        folder = self.folder(path)
        for name, content in files.items():
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            if not isinstance(content, str | bytes):
                content = "".join(json.dumps(one) + "\n" for one in content)
            to.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    def path(self, path: str) -> str:
        """Return the test's path in place of a path; NotMocked if no mock covers it."""
        plain = _plain(path)
        if any(Path(plain).is_relative_to(folder) for folder in (self.root, *self.folders.values())):
            return path  # a reader that gives its path to another one
        found = max((one for one in self.folders if plain == one or plain.startswith(f"{one}/")), key=len, default=None)
        if found is None:
            raise NotMocked(f"the path {path}", f"pipeline.mock_files({path!r}, {{'name': content}})")
        return self.folders[found].as_uri() + plain[len(found) :]

    def kept(self, path: str) -> str:
        """Return the test's place for something stored at a path, such as inferred schemas."""
        plain = _plain(path)
        if Path(plain).is_relative_to(self.root):
            return path
        return (self.root / "kept" / re.sub(r"\W+", "_", plain).strip("_")).as_uri()


def _plain(path: str) -> str:
    return _SCHEME.sub("", path).rstrip("/") or "/"
