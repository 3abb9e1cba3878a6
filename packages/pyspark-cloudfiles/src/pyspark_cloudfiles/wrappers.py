"""The entry point ``install``, and the methods of PySpark that it wraps.

The source alone needs no patches if workers can import this package.  They add the parts that Spark's interface for
data sources does not have.  A reader that loads ``cloudFiles`` registers the source, passes the session's settings to
it, hides ``_metadata``, and makes ``input_file_name()`` work; in a classic session it also creates the data source
itself (:mod:`.classic`).  A stream's progress has the files outstanding, computed from the offsets that Spark reports.

An error begins with the message of this package.  A task that writes, to Delta for instance, fails with "Task failed
while writing rows", and the problem of the files is only in the exception's causes, which the text does not have;
elsewhere it is below a long traceback.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import SourceProgress, StreamingQueryProgress

from pyspark_cloudfiles import registration, sql
from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.history import SOURCE_VERSION, Offset
from pyspark_cloudfiles.option_names import INTERNAL, PREFIX
from pyspark_cloudfiles.registration import session_options
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import builders, hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


# The last line of Python's traceback, up to the JVM's addition; a worker without this package's errors raises Python's.
_OURS = re.compile(
    r"(?:pyspark_cloudfiles\.[\w.]+: |ImportError: (?=\[CF_))"
    r"(\[[A-Z_.]+\].*?)(?=\s*(?:SQLSTATE|\n\s*\n|\n\tat |\Z))",
    re.DOTALL,
)

# In Databricks' text, from the JVM; programs that restart a stream search for it.
_UNKNOWN_FIELD = "org.apache.spark.sql.catalyst.util.UnknownFieldException"


def install(spark: SparkSession) -> None:
    """Install all of ``cloudFiles`` in a session; it takes no time, and a second call changes nothing.

    Parameters
    ----------
    spark : SparkSession
        A classic session or one over Spark Connect.
    """
    install_in(type(spark), type(spark.readStream), hasattr(spark, "_jvm"))


def install_in(session: type, reader: type, is_classic: bool) -> None:
    """Wrap the methods for :func:`install` in these classes of sessions and of stream readers."""
    _wrap(SourceProgress, "__init__", _wrap_init, "files outstanding in a stream's progress")
    for kind in (SourceProgress, StreamingQueryProgress):
        for name, indent in (("json", None), ("prettyJson", 4)):
            _wrap(kind, name, partial(_wrap_json, indent), "the same in the JSON of a report")
    sql.install(session)
    wrap_reader(reader)
    if is_classic:
        from pyspark_cloudfiles import classic

        classic.install()

        from pyspark.errors.exceptions import captured as errors
    else:
        from pyspark.errors.exceptions import connect as errors  # type: ignore[no-redef]
    for error in (errors.StreamingQueryException, errors.AnalysisException):
        _wrap(error, "__str__", _wrap_error_text, "the cause of a stream's end stands first")


def wrap_reader(reader: type) -> None:
    builders.record(reader)
    _wrap(reader, "load", _wrap_load, "a load of cloudFiles")


def uninstall() -> None:
    """Restore the methods of Spark's classes, for all sessions; ``cloudFiles`` itself stays registered."""
    hooks.remove(PACKAGE)


def _wrap(kind: type, name: str, make: Callable[[Any], Any], why: str) -> None:
    hooks.wrap(kind, name, make, by=PACKAGE, layer="source", why=why)


def _wrap_init(original: Any) -> Any:
    @wraps(original)
    def initialise(self: SourceProgress, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.update(describe_source(self))

    return initialise


def _wrap_json(indent: int | None, original: Any) -> property:
    """Return a property whose JSON, which Spark gets from the JVM, agrees with the report's fields."""

    def text(self: dict) -> str:
        original_text = original.fget(self)
        content = json.loads(original_text)
        is_changed = False
        for source in content.get("sources", [content]):
            changes = describe_source(source)
            source.update(changes)
            is_changed |= bool(changes)
        return json.dumps(content, indent=indent) if is_changed else original_text

    return property(text)


def describe_source(source: dict[str, Any]) -> dict[str, Any]:
    """Return the changes of a source's progress, none for other sources.

    The description is ``CloudFilesSource[<path>]``; ``metrics`` has, as strings, ``numFilesOutstanding`` and
    ``numBytesOutstanding``: files found and not yet in a batch.
    """
    end, latest = _offset(source.get("endOffset")), _offset(source.get("latestOffset"))
    if end is None:
        return {}
    latest = latest or end
    outstanding = {
        "numFilesOutstanding": str(max(0, latest.seq_num - end.seq_num)),
        "numBytesOutstanding": str(max(0, latest.num_bytes - end.num_bytes)),
    }
    return {"description": f"CloudFilesSource[{end.path}]", "metrics": {**source.get("metrics", {}), **outstanding}}


def _offset(text: Any) -> Offset | None:
    try:
        content = json.loads(text) if isinstance(text, str) else text
        return Offset.from_json(content) if content["sourceVersion"] == SOURCE_VERSION else None
    except (ValueError, KeyError, TypeError, StateLost):
        return None


def _wrap_error_text(original: Any) -> Any:
    @wraps(original)
    def text(self: Any) -> str:
        return prepend_cause(original(self), getattr(self, "_stackTrace", None) or "")

    return text


def prepend_cause(text: str, stack_trace: str) -> str:
    """Return an error's text, begun by this package's message in it or in its stack trace."""
    match = _OURS.search(stack_trace) or _OURS.search(text)
    if match is None:
        return text
    cause, rest = match[1], text.removeprefix(match[1])
    if cause.startswith("[UNKNOWN_FIELD_EXCEPTION") and _UNKNOWN_FIELD not in rest:
        rest = f"{_UNKNOWN_FIELD}\n\n{rest.lstrip()}"
    elif rest != text:
        return text
    return f"{cause}\n\n{rest}"


def _wrap_load(original: Any) -> Any:
    @wraps(original)
    def load(self: Any, path: Any = None, format: Any = None, schema: Any = None, **options: Any) -> DataFrame:
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        if builders.given_to(self).format.lower() != "cloudfiles" or not (path is None or isinstance(path, str)):
            return original(self, path)  # which refuses what is no path
        return _load(self, path, original)

    return load


def _load(reader: Any, path: Any, load: Any) -> DataFrame:
    """Load with a new reader, so that our own options stay away from the next loads of the user's reader."""
    spark: SparkSession = vars(reader).get("_spark") or reader._client
    given = builders.given_to(reader)
    options = given.lower_options if path is None else {**given.lower_options, "path": path}
    options = {**options, **session_options(spark)}
    rescued = options.get("rescueddatacolumn") or options.get(f"{PREFIX}rescueddatacolumn")
    if hasattr(spark, "_jvm"):
        # Readers are wrapped before anything of cloudFiles is loaded; the loads of other sources need none of this.
        from pyspark_cloudfiles.classic import has_metadata, hide_metadata

        options[f"{INTERNAL}metadata"] = "true"
        options[f"{INTERNAL}parallelism"] = str(spark.sparkContext.defaultParallelism)
        schema = _complete_schema(given.schema, rescued, True)
        frame = _load_classic(spark, given.name, options, schema, load)
        return hide_metadata(frame) if has_metadata(frame) else frame
    from pyspark_cloudfiles.remote import FilesFrame  # PySpark without its extra `connect` has no such frame

    registration.register(spark)
    name, given_schema = given.name, given.schema  # the reader may be given others later

    def load_remote(with_metadata: bool) -> DataFrame:
        own = options | ({f"{INTERNAL}metadata": "true"} if with_metadata else {})
        schema = _complete_schema(given_schema, rescued, with_metadata)
        return load(_configured_reader(spark, name, own, schema))

    return FilesFrame(load_remote(False), partial(load_remote, True))


def _load_classic(spark: SparkSession, name: str | None, options: dict, schema: StructType | None, load: Any) -> Any:
    """Load in a classic session, with the steps that this process can do faster than those that Spark starts."""
    # Only for sessions that load cloudFiles.
    from pyspark_cloudfiles import classic

    registration.skip_source_lookup(spark)
    registration.register(spark)
    classic.warm_worker(spark, options.get("cloudfiles.format", ""))
    if not classic.can_create_source(spark):
        return load(_configured_reader(spark, name, options, schema))
    made = classic.create_source(options, schema)
    if schema is None:
        options |= {f"{INTERNAL}inferred": "true"}

    def load_created(made: classic.Created, options: dict[str, str]) -> DataFrame:
        frame = load(_configured_reader(spark, name, options, made.schema))
        classic.inject_into_plan(frame, made)
        return frame

    def load_without_metadata() -> DataFrame:
        return load_created(made.without_metadata(), options | {f"{INTERNAL}metadata": "false"})

    return load_created(made, options | classic.remember_load(load_without_metadata))


def _configured_reader(
    spark: SparkSession, name: str | None, options: dict[str, str], schema: StructType | None
) -> Any:
    reader = spark.readStream.format("cloudFiles").options(**options)
    if name is not None:
        reader = reader.name(name)
    return reader if schema is None else reader.schema(schema)


def _complete_schema(schema: StructType | str | None, rescued: str | None, with_hidden: bool) -> StructType | None:
    """Return the user's schema, if any, with the columns that a data source cannot add to it."""
    if schema is None:
        return None
    from pyspark.sql.types import StructType

    from pyspark_cloudfiles.classic import add_rescued_column

    # Only for sessions that load cloudFiles.
    from pyspark_cloudfiles.layout import add_metadata

    given: Any = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    completed = add_rescued_column(given, rescued)
    return add_metadata(completed) if with_hidden else completed
