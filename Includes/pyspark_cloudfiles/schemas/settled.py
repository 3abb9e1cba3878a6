"""What a schema version means to a stream: with the hints of now, and each name once.

A name may be in the data and in the path, and the path's value counts, as in Spark.  Names that are ours, the rescued
column and ``_metadata``, are no data columns either; what the data has under them is rescued.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql.types import StructType

from pyspark_cloudfiles import layout
from pyspark_cloudfiles.formats import format_named
from pyspark_cloudfiles.layout import Layout
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.schemas.hints import apply_hints, parse_hints
from pyspark_cloudfiles.schemas.store import SchemaVersion


def settled(version: SchemaVersion, options: Options) -> SchemaVersion:
    """Return a version with the stream's hints, whose data columns are not also columns of another kind."""
    hints = parse_hints(options.schema_hints)
    in_path = {field.name.lower() for field in version.partitions.fields}
    taken = {*in_path, (rescued_column(options) or "").lower(), layout.METADATA}
    data = apply_hints(version.data, [hint for hint in hints if hint.path[0].lower() not in in_path])
    return replace(
        version,
        data=StructType([field for field in data.fields if field.name.lower() not in taken]),
        partitions=apply_hints(version.partitions, [hint for hint in hints if hint.path[0].lower() in in_path]),
    )


def layout_of(version: SchemaVersion, options: Options) -> Layout:
    """Return the columns that a stream has with a schema version."""
    version = settled(version, options)
    return layout.of_inferred(version.data, version.partitions, rescued_column(options), options.hidden_metadata)


def rescued_column(options: Options) -> str | None:
    """Return the name of the rescued column of an inferred schema; formats that are always the same have none."""
    if format_named(options.format).fixed_schema() is not None:
        return None
    return options.rescued_data_column or layout.RESCUED
