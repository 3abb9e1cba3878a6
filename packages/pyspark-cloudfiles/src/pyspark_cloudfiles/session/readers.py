"""The wrapper of ``spark.readStream`` that ships the package and hides ``_metadata``.

Spark's readers keep their options in the JVM.  Here they record them in Python as well, and when they load
``cloudFiles`` they register the source, pass the session's settings to it, hide the column, and make
``input_file_name()`` work.  In a classic session they also create the data source themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles.option_names import INTERNAL, PREFIX
from pyspark_cloudfiles.session import registration
from pyspark_cloudfiles.session.registration import session_options
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


class ReaderOptions:
    """The format, schema, name and options of one reader."""

    def __init__(self) -> None:
        self.format = ""
        self.schema: StructType | str | None = None
        self.name: str | None = None
        self.options: dict[str, str] = {}

    def record_option(self, key: str, value: Any) -> None:
        """Record an option as Spark's reader passes it on; None removes it."""
        self.options.pop(key.lower(), None)
        if value is not None:
            self.options[key.lower()] = str(value).lower() if isinstance(value, bool) else str(value)


def install(reader: type) -> None:
    wrappers: dict[str, Callable[[Any], Any]] = {
        "format": partial(_wrap_setter, lambda given, source: setattr(given, "format", source)),
        "schema": partial(_wrap_setter, lambda given, schema: setattr(given, "schema", schema)),
        "option": partial(_wrap_setter, lambda given, key, value: given.record_option(key, value)),
        "name": partial(_wrap_setter, lambda given, name: setattr(given, "name", name)),
        "options": _wrap_options,
        "load": _wrap_load,
    }
    for method, make in wrappers.items():
        hooks.wrap(reader, method, make, by=PACKAGE, layer="source", why="what a reader of cloudFiles was given")


def _wrap_setter(record_option: Any, original: Any) -> Any:
    signature = inspect.signature(original)

    @wraps(original)
    def remembering(self: Any, *args: Any, **kwargs: Any) -> Any:
        _, *values = signature.bind(self, *args, **kwargs).arguments.values()  # by Spark's own names
        record_option(_options_of(self), *values)
        return original(self, *args, **kwargs)

    return remembering


def _wrap_options(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        for key, value in given.items():
            _options_of(self).record_option(key, value)
        return original(self, **given)

    return options


def _wrap_load(original: Any) -> Any:
    @wraps(original)
    def load(self: Any, path: Any = None, format: Any = None, schema: Any = None, **options: Any) -> DataFrame:
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        if _options_of(self).format.lower() != "cloudfiles" or not (path is None or isinstance(path, str)):
            return original(self, path)  # which refuses what is no path
        return _load(self, path, original)

    return load


def _load(reader: Any, path: Any, load: Any) -> DataFrame:
    """Load with a new reader, so that our own options stay away from the next loads of the user's reader."""
    spark: SparkSession = vars(reader).get("_spark") or reader._client
    given = _options_of(reader)
    options = given.options if path is None else {**given.options, "path": path}
    classic = hasattr(spark, "_jvm")
    options = {**options, **session_options(spark)}
    if classic:
        options[f"{INTERNAL}metadata"] = "true"  # over Spark Connect it cannot be hidden
        options[f"{INTERNAL}parallelism"] = str(spark.sparkContext.defaultParallelism)
    schema = given.schema
    if schema is not None:
        rescued = options.get("rescueddatacolumn") or options.get(f"{PREFIX}rescueddatacolumn")
        schema = _complete_schema(schema, rescued, classic)
    if classic:
        # Readers are wrapped before anything of cloudFiles is loaded; the loads of other sources need none of this.
        from pyspark_cloudfiles.session.hidden_metadata import has_metadata, hide_metadata

        frame = _load_classic(spark, given.name, options, schema, load)
        return hide_metadata(frame) if has_metadata(frame) else frame
    registration.register(spark)
    return load(_configured_reader(spark, given.name, options, schema))


def _load_classic(spark: SparkSession, name: str | None, options: dict, schema: StructType | None, load: Any) -> Any:
    """Load in a classic session, with the steps that this process can do faster than those that Spark starts."""
    # Only for sessions that load cloudFiles.
    from pyspark_cloudfiles.session import metadata_pruning, source_creation, worker_warmup

    registration.skip_source_lookup(spark)
    registration.register(spark)
    worker_warmup.warm(spark, options.get("cloudfiles.format", ""))
    if not source_creation.is_possible(spark):
        return load(_configured_reader(spark, name, options, schema))
    made = source_creation.create(options, schema)
    if schema is None:
        options |= {f"{INTERNAL}inferred": "true"}

    def load_created(made: source_creation.Created, options: dict[str, str]) -> DataFrame:
        frame = load(_configured_reader(spark, name, options, made.schema))
        source_creation.inject_into_plan(frame, made)
        return frame

    def load_without_metadata() -> DataFrame:
        return load_created(made.without_metadata(), options | {f"{INTERNAL}metadata": "false"})

    return load_created(made, options | metadata_pruning.remember_load(load_without_metadata))


def _configured_reader(
    spark: SparkSession, name: str | None, options: dict[str, str], schema: StructType | None
) -> Any:
    reader = spark.readStream.format("cloudFiles").options(**options)
    if name is not None:
        reader = reader.name(name)
    return reader if schema is None else reader.schema(schema)


def _complete_schema(schema: StructType | str, rescued: str | None, with_hidden: bool) -> StructType:
    """Return the user's schema with the columns that a data source cannot add to it."""
    from pyspark.sql.types import StructType

    # Only for sessions that load cloudFiles.
    from pyspark_cloudfiles.schemas.layout import add_metadata
    from pyspark_cloudfiles.session.hidden_metadata import add_rescued_column

    given: Any = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    completed = add_rescued_column(given, rescued)
    return add_metadata(completed) if with_hidden else completed


def _options_of(reader: Any) -> ReaderOptions:
    if "_cloudfiles_options" not in vars(reader):
        reader._cloudfiles_options = ReaderOptions()
    return reader._cloudfiles_options
