"""Patches of Spark's readers: inside a definition, a read of a dataset is answered by the pipeline.

``spark.table``, ``spark.read.table``, ``spark.readStream.table`` and ``spark.sql`` are taught once, and ask on each
call whether a definition is being planned in this thread.  So are the actions, which a definition must not run.
Spark itself registers a temporary view for each frame in ``spark.sql(query, df=df)``; here the frame is given to the
engine as an input of the query instead.
"""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql.sql_formatter import SQLStringFormatter

from declarative_pipelines.errors import ActionInDefinition
from declarative_pipelines.sql.parameters import bind_values
from declarative_pipelines.sql.queries import without_live_names
from streaming_base import builders, hooks
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PREFIX = "__frame_"


class FrameNames(SQLStringFormatter):
    """Spark's own formatter, which replaces a frame by a name here without registering a temporary view.

    Attributes
    ----------
    frames : dict of str to DataFrame
        The frames that the text reads, by the names that it now has for them.
    """

    def __init__(self, session: SparkSession) -> None:
        super().__init__(session)
        self.frames: dict[str, DataFrame] = {}

    def _convert_value(self, val: Any, field_name: str) -> str | None:
        if not isinstance(val, DataFrame):
            return super()._convert_value(val, field_name)
        known = (name for name, frame in self.frames.items() if frame is val)
        name = next(known, None) or f"{PREFIX}{len(self.frames) + 1}"
        self.frames[name] = val
        return name


_QUERY = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:SELECT|WITH|FROM|VALUES|TABLE|\()", re.IGNORECASE | re.DOTALL
)
_FILES = re.compile(r"\b(?:read_files|cloud_files)\s*\(", re.IGNORECASE)
_ACTIONS = (
    "collect", "count", "show", "take", "head", "first", "tail", "toPandas", "toArrow", "toLocalIterator", "foreach",
    "foreachPartition", "isEmpty", "write", "writeTo", "writeStream", "checkpoint", "localCheckpoint", "cache",
    "persist", "display", "createOrReplaceTempView", "createTempView", "createGlobalTempView",
)  # fmt: skip


#: Makes the frame of a query's text, and of the frames that it reads by their names.
MakeFrame = Callable[[str, Mapping[str, "DataFrame"]], "DataFrame"]


@dataclass
class _Interception:
    frame: MakeFrame
    flow: str
    sources: int = 0


_thread = threading.local()
#: Where a source of a flow keeps what it infers; set by whoever runs an update.
_schema_places: dict[str, str] = {}


@contextmanager
def intercept_reads(frame: MakeFrame, flow: str) -> Iterator[None]:
    """Intercept the reads of this thread for the definition of a flow; ``frame`` makes the frame of a query."""
    before = _interception()
    _thread.answering = _Interception(frame, flow)
    try:
        yield
    finally:
        _thread.answering = before


@contextmanager
def without_interception() -> Iterator[None]:
    """Suspend the interception in this thread, for reads of this package itself."""
    before = _interception()
    _thread.answering = None
    try:
        yield
    finally:
        _thread.answering = before


@contextmanager
def schema_locations(places: dict[str, str]) -> Iterator[None]:
    """Give each flow a default schema location for its ``cloudFiles`` sources."""
    _schema_places.update(places)
    try:
        yield
    finally:
        for flow in places:
            _schema_places.pop(flow, None)


def install() -> None:
    """Wrap Spark's classes; calling it again changes nothing."""
    from pyspark.sql import SparkSession
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.readwriter import DataFrameReader
    from pyspark.sql.streaming.readwriter import DataStreamReader

    reads = "a read inside a definition is answered by the pipeline"
    _wrap(SparkSession, "table", partial(_wrap_read, _table), reads)
    _wrap(DataFrameReader, "table", partial(_wrap_read, _table), reads)
    _wrap(DataStreamReader, "table", partial(_wrap_read, _stream_of), reads)
    _wrap(SparkSession, "sql", partial(_wrap_read, _query), reads)
    for reader in (DataFrameReader, DataStreamReader):
        builders.record(reader)
    _wrap(DataStreamReader, "load", _wrap_load, "a place for schemas that a flow's sources infer")
    if (install_expressions := function_of_sibling("install_expressions")) is not None:
        install_expressions()
    for action in _ACTIONS:
        if hasattr(DataFrame, action):
            _wrap(DataFrame, action, partial(_wrap_action, action), "a definition runs no query")


def _wrap(kind: type, name: str, make: Callable[[Any], Any], why: str) -> None:
    hooks.wrap(kind, name, make, by="declarative_pipelines", layer="pipeline", why=why)


def _interception() -> _Interception | None:
    return getattr(_thread, "answering", None)


def _wrap_read(text: Callable[[Any, str], str], original: Any) -> Any:
    signature = inspect.signature(original)

    @wraps(original)
    def answered(self: Any, *args: Any, **kwargs: Any) -> Any:
        answering = _interception()
        if answering is None:
            return original(self, *args, **kwargs)
        given = signature.bind(self, *args, **kwargs).arguments
        by_name = given.pop("kwargs", {})
        _, asked, *values = given.values()
        query, frames = _with_frames(self, text(self, asked), by_name)
        query = bind_values(query, values[0]) if values and values[0] else query
        # What only the platform's SQL has, such as column:field of JSON text, is rewritten as in a notebook.
        run_sql = function_of_sibling("run_sql") or _run_plain_sql
        return run_sql(self, query, lambda query: answering.frame(query, frames))

    return answered


def _run_plain_sql(_session: Any, text: str, execute: Callable[[str], DataFrame]) -> DataFrame:
    return execute(text)


def _table(reader: Any, name: str) -> str:
    return f"SELECT * FROM {without_live_names(name)}{_with_options(reader)}"


def _query(session: Any, text: str) -> str:
    if not _QUERY.match(text):
        raise ActionInDefinition(f"spark.sql({' '.join(text.split())[:60]!r})")
    return without_live_names(text)


def _with_frames(session: Any, text: str, values: Mapping[str, Any]) -> tuple[str, dict[str, DataFrame]]:
    """Return a query with names and literals in place of its ``{...}`` and of files, and the frames of these names."""
    if not values and not _FILES.search(text):
        return text, {}  # without the formatter's import
    names = FrameNames(session)
    if not _FILES.search(text):
        return names.format(text, **values), names.frames
    replace_calls = function_of_sibling("replace_file_calls")
    if replace_calls is None:
        return (names.format(text, **values) if values else text), names.frames
    text, files = replace_calls(session, text, escaped=not values)
    return names.format(text, **values, **files), names.frames


def _stream_of(reader: Any, name: str) -> str:
    return f"SELECT * FROM STREAM {without_live_names(name)}{_with_options(reader)}"


def _with_options(reader: Any) -> str:
    options = ", ".join(f"'{key}' = '{value}'" for key, value in builders.given_to(reader).options.items())
    return f" WITH ({options})" if options else ""


def _wrap_load(original: Any) -> Any:
    @wraps(original)
    def load(self: Any, path: Any = None, format: Any = None, schema: Any = None, **options: Any) -> Any:
        answering = _interception()
        if answering is not None:
            self.options(**options)
            options = {}
            if (format or builders.given_to(self).format).lower() == "cloudfiles" and schema is None:
                _name_schema_location(self, answering)
        return original(self, path, format, schema, **options)

    return load


def _name_schema_location(reader: Any, answering: _Interception) -> None:
    location = _schema_places.get(answering.flow)
    if location is not None and "cloudfiles.schemalocation" not in builders.given_to(reader).lower_options:
        answering.sources += 1  # each source of a flow has its own
        reader.option("cloudFiles.schemaLocation", f"{location}/{answering.sources}")


def _wrap_action(action: str, original: Any) -> Any:
    def refuse() -> None:
        if _interception() is not None:
            raise ActionInDefinition(f"{action}{'' if isinstance(original, property) else '()'}")

    if isinstance(original, property):

        def read(self: Any) -> Any:
            refuse()
            return original.fget(self)

        return property(read, doc=original.__doc__)

    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        refuse()
        return original(self, *args, **kwargs)

    return method
