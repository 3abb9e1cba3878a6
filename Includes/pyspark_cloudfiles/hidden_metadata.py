"""The ``_metadata`` column: not among a frame's columns, but there when it is asked for by name.

Spark's file sources have it built in.  Here the data source gives it as an ordinary last column, and the frame that
``load`` returns hides it, with the mark that Spark itself puts on the columns that ``USING`` hides in a join.  That
mark is out of reach over Spark Connect, where there is no such column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import StringType, StructField, StructType

from pyspark_cloudfiles.layout import METADATA, METADATA_TYPE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def has_metadata(frame: DataFrame) -> bool:
    """Whether a frame has the column that the data source gives."""
    return any(field.name == METADATA and field.dataType == METADATA_TYPE for field in frame.schema.fields)


def hidden(frame: DataFrame) -> DataFrame:
    """Return a frame without the column, which can still be selected by name from it, its filters and projections."""
    visible = frame.drop(METADATA)
    jvm = frame.sparkSession._jvm
    attributes = frame._jdf.queryExecution().analyzed().output().iterator()
    concealed = []
    while attributes.hasNext():
        attribute = attributes.next()
        if attribute.name() == METADATA:
            concealed.append(attribute)
    tag = jvm.org.apache.spark.sql.catalyst.plans.logical.Project.hiddenOutputTag()
    visible._jdf.logicalPlan().setTagValue(tag, jvm.org.apache.spark.api.python.PythonUtils.toSeq(concealed))
    return visible


def with_metadata(schema: StructType) -> StructType:
    """Return a schema with the ``_metadata`` column at its end."""
    if METADATA in schema.fieldNames():
        return schema
    return StructType([*schema.fields, StructField(METADATA, METADATA_TYPE, nullable=False)])


def with_rescued(schema: StructType, name: str | None) -> StructType:
    """Return a user's schema as file sources read it, every column nullable, and with the rescued column."""
    fields = [StructField(field.name, field.dataType, True, field.metadata) for field in schema.fields]
    if name and name not in schema.fieldNames():
        fields.append(StructField(name, StringType()))
    return StructType(fields)
