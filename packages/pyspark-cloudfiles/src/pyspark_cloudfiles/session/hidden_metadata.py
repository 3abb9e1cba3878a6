"""The hide_column ``_metadata`` column: not in ``df.columns``, but selectable by name.

Spark's file sources have it built in.  Here it is an ordinary last column of the data source, and the frame that
``load`` returns hides it, with the mark that Spark itself puts on the columns that ``USING`` hides in a join.  That
mark cannot be set over Spark Connect, so there is no such column there.

``input_file_name()`` is derived from the column.  Spark supports it for its own file sources only: each task stores the
file of its current rows, and the function reads it.  Here a filter that passes every row stores the file if it differs
from the one of the previous row; so the function works in every place where it does with Spark's own sources, and costs
a comparison of two texts per row.  It returns ``_metadata.file_path``, as on Databricks: ``dbfs:/x``, where Spark's own
sources have ``dbfs:///x``.  Over Spark Connect it returns nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import types as T

from pyspark_cloudfiles.schemas.layout import METADATA, is_file_metadata

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The errors of a release of Spark that has moved or removed these private parts.
_MOVED = (Py4JError, TypeError, AttributeError, PySparkException)
_HOLDER = "org.apache.spark.rdd.InputFileBlockHolder"


def has_metadata(frame: DataFrame) -> bool:
    return any(map(is_file_metadata, frame.schema.fields))


def hide_metadata(frame: DataFrame) -> DataFrame:
    """Return a frame that hides the column and knows the files of its rows; if this Spark cannot hide it, drop it."""
    with suppress(*_MOVED):
        frame = store_files(frame)
    with suppress(*_MOVED):
        return hide_column(frame)
    return frame.drop(METADATA)


def hide_column(frame: DataFrame) -> DataFrame:
    """Return a frame without the column, which can still be selected by name from it, its filters and projections."""
    visible = frame.drop(METADATA)
    jvm = frame.sparkSession._jvm
    output = frame._jdf.queryExecution().analyzed().output()
    concealed = [column for column in elements(output) if is_metadata_column(column)]
    tag = jvm.org.apache.spark.sql.catalyst.plans.logical.Project.hiddenOutputTag()
    visible._jdf.logicalPlan().setTagValue(tag, jvm.org.apache.spark.api.python.PythonUtils.toSeq(concealed))
    return visible


def is_metadata_column(column: Any) -> bool:
    return column.name() == METADATA


def elements(sequence: Any) -> Iterator[Any]:
    iterator = sequence.iterator()
    while iterator.hasNext():
        yield iterator.next()


def store_files(frame: DataFrame) -> DataFrame:
    """Return a frame whose tasks store the file of each row, from its ``_metadata`` column."""
    from pyspark.sql.classic.dataframe import DataFrame  # only classic sessions have the column

    # Neither as a text nor by PySpark's functions: a session may have used neither yet, and both are slow at first.
    jvm = frame.sparkSession._jvm
    functions = jvm.org.apache.spark.sql.functions
    path, start, length = (functions.col(f"{METADATA}.file_{part}") for part in ("path", "block_start", "block_length"))
    call = [functions.lit(_HOLDER), functions.lit("set"), path, start, length]
    # The call returns nothing, which is a null.
    note = functions.java_method(jvm.org.apache.spark.api.python.PythonUtils.toSeq(call)).equalTo("null")
    is_same = functions.input_file_name().equalTo(path)
    return DataFrame(frame._jdf.filter(getattr(is_same, "or")(note)), frame.sparkSession)


def add_rescued_column(schema: T.StructType, name: str | None) -> T.StructType:
    """Return a user's schema as file sources read it: every column nullable, and with the rescued column."""
    fields = [T.StructField(field.name, field.dataType, True, field.metadata) for field in schema.fields]
    if name and name not in schema.fieldNames():
        fields.append(T.StructField(name, T.StringType()))
    return T.StructType(fields)
