"""The wrapper of ``spark.readStream`` that ships the package and hides ``_metadata``.

A reader that loads ``cloudFiles`` registers the source, passes the session's settings to it, hides the column, and
makes ``input_file_name()`` work.  In a classic session it also creates the data source itself.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles.option_names import INTERNAL, PREFIX
from pyspark_cloudfiles.session import registration
from pyspark_cloudfiles.session.registration import session_options
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import builders, hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def install(reader: type) -> None:
    builders.record(reader)
    hooks.wrap(reader, "load", _wrap_load, by=PACKAGE, layer="source", why="a load of cloudFiles")


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
