"""The layout of a stream's columns: which come from the data, from the path, or from the file itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

RESCUED = "_rescued_data"
METADATA = "_metadata"
# As Spark's own file sources have it.
METADATA_TYPE = StructType(
    [
        StructField("file_path", StringType(), nullable=False),
        StructField("file_name", StringType(), nullable=False),
        StructField("file_size", LongType(), nullable=False),
        StructField("file_block_start", LongType(), nullable=False),
        StructField("file_block_length", LongType(), nullable=False),
        StructField("file_modification_time", TimestampType(), nullable=False),
    ]
)


@dataclass(frozen=True)
class Layout:
    """The columns of a stream.

    Parameters
    ----------
    schema : StructType
        All of them, in order, as Spark's plan has them.
    partitions : tuple of str
        Names of those that come from the path.
    rescued : str or None
        The one that takes what did not fit.
    metadata : bool
        Whether ``_metadata`` is one of them.
    """

    schema: StructType
    partitions: tuple[str, ...] = ()
    rescued: str | None = None
    metadata: bool = False

    @property
    def data(self) -> StructType:
        """The columns that are in the files."""
        others = {*self.partitions, self.rescued, METADATA if self.metadata else None}
        return StructType([field for field in self.schema.fields if field.name not in others])

    def without_metadata(self) -> Layout:
        """Return the layout without ``_metadata``."""
        return Layout(schema_without_metadata(self.schema), self.partitions, self.rescued)

    def with_partitions(self, names: Iterable[str]) -> Layout:
        """Return the layout in which those of ``names`` that it has come from the path; case does not matter."""
        wanted = {name.lower() for name in names}
        found = tuple(field.name for field in self.schema.fields if field.name.lower() in wanted)
        return Layout(self.schema, found, self.rescued, self.metadata)


def is_file_metadata(field: StructField) -> bool:
    """Whether a column is that of the file's metadata; one of the data with this name may be NULL, as all of them."""
    return field.name == METADATA and field.dataType == METADATA_TYPE and not field.nullable


def with_metadata(schema: StructType) -> StructType:
    """Return a schema with the column at its end, unless the data has one of this name, which Spark prefers."""
    if METADATA in map(str.lower, schema.names):
        return schema
    return StructType([*schema.fields, StructField(METADATA, METADATA_TYPE, nullable=False)])


def schema_without_metadata(schema: StructType) -> StructType:
    """Return a schema without the column that is the file's own."""
    return StructType([field for field in schema.fields if not is_file_metadata(field)])


def of_inferred(data: StructType, partitions: StructType, rescued: str | None, metadata: bool) -> Layout:
    """Return the layout of an inferred schema: data, rescued, partitions, as Spark's file sources order them."""
    fields = list(data.fields)
    if rescued:
        fields.append(StructField(rescued, StringType()))
    schema = StructType([*fields, *partitions.fields])
    schema = with_metadata(schema) if metadata else schema
    return Layout(schema, tuple(partitions.fieldNames()), rescued, any(map(is_file_metadata, schema.fields)))


def of_given(schema: StructType, rescued: str | None) -> Layout:
    """Return the layout of a schema that the user gave; which of its columns the path has is seen in the files."""
    there = set(schema.fieldNames())
    return Layout(schema, (), rescued if rescued in there else None, any(map(is_file_metadata, schema.fields)))
