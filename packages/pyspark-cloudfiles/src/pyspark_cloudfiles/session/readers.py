"""The wrapper of ``spark.readStream`` that ships the package and hides ``_metadata``.

Spark's readers keep what the user says on the other side of a bridge.  Here they remember it, and when they load
``cloudFiles`` they register the source, tell it what only the session knows, hide the column, and have
``input_file_name()`` know the files.  In a classic session they also make the data source themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles.option_names import INTERNAL, PREFIX
from pyspark_cloudfiles.session import registration
from pyspark_cloudfiles.session.session_options import session_options
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


class ReaderOptions:
    """What the user has given to one reader."""

    def __init__(self) -> None:
        self.format = ""
        self.schema: StructType | str | None = None
        self.name: str | None = None
        self.options: dict[str, str] = {}

    def note(self, key: str, value: Any) -> None:
        """Record an option as Spark's reader passes it on; None removes it."""
        self.options.pop(key.lower(), None)
        if value is not None:
            self.options[key.lower()] = str(value).lower() if isinstance(value, bool) else str(value)


def install(reader: type) -> None:
    """Teach a class of stream readers, the classic one or Spark Connect's."""
    wrappers: dict[str, Callable[[Any], Any]] = {
        "format": partial(_remembering, lambda given, source: setattr(given, "format", source)),
        "schema": partial(_remembering, lambda given, schema: setattr(given, "schema", schema)),
        "option": partial(_remembering, lambda given, key, value: given.note(key, value)),
        "name": partial(_remembering, lambda given, name: setattr(given, "name", name)),
        "options": _recording_options,
        "load": _loading,
    }
    for method, make in wrappers.items():
        hooks.wrap(reader, method, make, by=PACKAGE, layer="source", why="what a reader of cloudFiles was given")


def _remembering(note: Any, original: Any) -> Any:
    signature = inspect.signature(original)

    @wraps(original)
    def remembering(self: Any, *args: Any, **kwargs: Any) -> Any:
        _, *values = signature.bind(self, *args, **kwargs).arguments.values()  # by Spark's own names
        note(_options_of(self), *values)
        return original(self, *args, **kwargs)

    return remembering


def _recording_options(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        for key, value in given.items():
            _options_of(self).note(key, value)
        return original(self, **given)

    return options


def _loading(original: Any) -> Any:
    @wraps(original)
    def load(self: Any, path: Any = None, format: Any = None, schema: Any = None, **options: Any) -> DataFrame:
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        if _options_of(self).format.lower() != "cloudfiles" or not (path is None or isinstance(path, str)):
            return original(self, path)  # which refuses what is no path
        return _loaded(self, path, original)

    return load


def _loaded(reader: Any, path: Any, load: Any) -> DataFrame:
    """Load with a reader of our own: what we say besides stays away from what the user's loads next."""
    spark, given = _session_of(reader), _options_of(reader)
    options = given.options if path is None else {**given.options, "path": path}
    classic = hasattr(spark, "_jvm")
    options = {**options, **_of_the_session(spark, classic)}
    schema = given.schema
    if schema is not None:
        rescued = options.get("rescueddatacolumn") or options.get(f"{PREFIX}rescueddatacolumn")
        schema = _completed(schema, rescued, classic)
    if classic:
        return _without_metadata(_loaded_here(spark, given.name, options, schema, load))
    registration.register(spark)
    return load(_ours(spark, given.name, options, schema))


def _loaded_here(spark: SparkSession, name: str | None, options: dict, schema: StructType | None, load: Any) -> Any:
    """Load in a classic session, with what this process can do faster than those that Spark starts."""
    # Sessions that load nothing, or elsewhere, do without.
    from pyspark_cloudfiles.session import metadata_pruning, source_creation, worker_warmup

    registration.spare_lookup(spark)
    registration.register(spark)
    worker_warmup.warm(spark, options.get("cloudfiles.format", ""))
    if not source_creation.is_here(spark):
        return load(_ours(spark, name, options, schema))
    made = source_creation.created(options, schema)
    if schema is None:
        options |= {f"{INTERNAL}inferred": "true"}

    def handed_over(made: source_creation.Created, options: dict[str, str]) -> DataFrame:
        frame = load(_ours(spark, name, options, made.schema))
        source_creation.hand_over(frame, made)
        return frame

    def without_metadata() -> DataFrame:
        return handed_over(made.without_metadata(), options | {f"{INTERNAL}metadata": "false"})

    return handed_over(made, options | metadata_pruning.remembered(without_metadata))


def _ours(spark: SparkSession, name: str | None, options: dict[str, str], schema: StructType | None) -> Any:
    reader = spark.readStream.format("cloudFiles").options(**options)
    if name is not None:
        reader = reader.name(name)
    return reader if schema is None else reader.schema(schema)


def _of_the_session(spark: SparkSession, classic: bool) -> dict[str, str]:
    """Return what only the session knows, as options."""
    known = session_options(spark)
    if classic:
        known |= {
            f"{INTERNAL}metadata": "true",  # which is out of reach over Spark Connect
            f"{INTERNAL}parallelism": str(spark.sparkContext.defaultParallelism),
        }
    return known


def _without_metadata(frame: DataFrame) -> DataFrame:
    # Readers are wrapped before anything of cloudFiles is loaded; others' loads need none of this.
    from pyspark_cloudfiles.session.hidden_metadata import concealed, has_metadata

    return concealed(frame) if has_metadata(frame) else frame


def _completed(schema: StructType | str, rescued: str | None, with_hidden: bool) -> StructType:
    """Return the user's schema with the columns that a data source cannot add to it."""
    from pyspark.sql.types import StructType

    # As above.
    from pyspark_cloudfiles.schemas.layout import with_metadata
    from pyspark_cloudfiles.session.hidden_metadata import with_rescued

    given: Any = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    completed = with_rescued(given, rescued)
    return with_metadata(completed) if with_hidden else completed


def _options_of(reader: Any) -> ReaderOptions:
    if "_cloudfiles_options" not in vars(reader):
        reader._cloudfiles_options = ReaderOptions()
    return reader._cloudfiles_options


def _session_of(reader: Any) -> SparkSession:
    return vars(reader).get("_spark") or reader._client
