"""``spark.readStream`` with what a data source cannot do: bring itself along, and hide its ``_metadata``.

Spark's readers keep what the user says on the other side of a bridge.  Here they remember it, and when they load
``cloudFiles`` they register the source, tell it what only the session knows, hide the column, and have
``input_file_name()`` know the files.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles import registration
from pyspark_cloudfiles.options import INTERNAL

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_MARK = "_cloudfiles_reader"


class Said:
    """What the user has said to one reader."""

    def __init__(self) -> None:
        self.format = ""
        self.schema: StructType | str | None = None
        self.options: dict[str, str] = {}

    def note(self, key: str, value: Any) -> None:
        """Remember an option; one that is None is none."""
        self.options.pop(key.lower(), None)
        if value is not None:
            self.options[key.lower()] = str(value)


def install(reader: type) -> None:
    """Teach a class of stream readers, the classic one or Spark Connect's."""
    if hasattr(reader, _MARK):
        return
    setattr(reader, _MARK, True)
    _remember(reader, "format", lambda said, source: setattr(said, "format", source))
    _remember(reader, "schema", lambda said, schema: setattr(said, "schema", schema))
    _remember(reader, "option", lambda said, key, value: said.note(key, value))
    _spell_out_options(reader)
    _load(reader)


def _remember(reader: type, method: str, note: Any) -> None:
    original = getattr(reader, method)

    @wraps(original)
    def remembering(self: Any, *args: Any, **kwargs: Any) -> Any:
        note(_said(self), *args, **kwargs)
        return original(self, *args, **kwargs)

    setattr(reader, method, remembering)


def _spell_out_options(reader: type) -> None:
    original = reader.options

    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        for key, value in given.items():
            _said(self).note(key, value)
        return original(self, **given)

    reader.options = options


def _load(reader: type) -> None:
    original = reader.load

    @wraps(original)
    def load(self: Any, path: Any = None, format: Any = None, schema: Any = None, **options: Any) -> DataFrame:
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        if _said(self).format.lower() != "cloudfiles":
            return original(self, path)
        return _loaded(self, lambda: original(self, path))

    reader.load = load


def _loaded(reader: Any, load: Any) -> DataFrame:
    spark = _session_of(reader)
    registration.register(spark)
    schema, options = _said(reader).schema, _said(reader).options
    hides = _can_hide(spark)
    reader.option(f"{INTERNAL}timezone", spark.conf.get("spark.sql.session.timeZone"))
    if hides:
        reader.option(f"{INTERNAL}metadata", "true")
        reader.option(f"{INTERNAL}parallelism", str(spark.sparkContext.defaultParallelism))
    if schema is not None:
        reader.schema(_completed(schema, options.get("rescueddatacolumn"), hides))
    try:
        return _without_metadata(load()) if hides else load()
    finally:
        if schema is not None:
            reader.schema(schema)  # as the user gave it, for whatever is loaded next


def _without_metadata(frame: DataFrame) -> DataFrame:
    # Readers are wrapped before anything of cloudFiles is loaded; others' loads need none of this.
    from pyspark_cloudfiles.hidden_metadata import has_metadata, hidden
    from pyspark_cloudfiles.input_file_name import noted

    return hidden(noted(frame)) if has_metadata(frame) else frame


def _completed(schema: StructType | str, rescued: str | None, hides: bool) -> StructType:
    """Return the user's schema with the columns that a data source cannot add to it."""
    from pyspark.sql.types import StructType

    # As above.
    from pyspark_cloudfiles.hidden_metadata import with_metadata, with_rescued

    given = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    completed = with_rescued(given, rescued)
    return with_metadata(completed) if hides else completed


def _said(reader: Any) -> Said:
    if "_cloudfiles_said" not in vars(reader):
        reader._cloudfiles_said = Said()
    return reader._cloudfiles_said


def _session_of(reader: Any) -> SparkSession:
    return vars(reader).get("_spark") or reader._client


def _can_hide(spark: SparkSession) -> bool:
    return hasattr(spark, "_jvm")
