"""The hidden ``_metadata`` column: not in ``df.columns``, but selectable by name.

Spark's file sources have it built in.  Here the data source gives it as an ordinary last column, and the frame that
``load`` returns hides it, with the mark that Spark itself puts on the columns that ``USING`` hides in a join.  That
mark is out of reach over Spark Connect, where there is no such column.

``input_file_name()`` is made of the column.  Spark knows it of its own file sources only: each task keeps a note of the
file whose rows it is at, and the function reads it.  Here a filter that lets every row pass writes the note where a row
is of another file than the previous one; so the function works in every place where it does with Spark's own sources,
and costs no more than comparing two texts for a row.  It gives what ``_metadata.file_path`` gives, as on Databricks:
``dbfs:/x``, where Spark's own sources have ``dbfs:///x``.  Over Spark Connect the function gives nothing.
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

# What is raised where a release of Spark has what is used here elsewhere, or not at all.
_MOVED = (Py4JError, TypeError, AttributeError, PySparkException)
_HOLDER = "org.apache.spark.rdd.InputFileBlockHolder"


def has_metadata(frame: DataFrame) -> bool:
    """Whether a frame has the column that the data source gives."""
    return any(map(is_file_metadata, frame.schema.fields))


def concealed(frame: DataFrame) -> DataFrame:
    """Return a frame that hides the column and knows the files of its rows; a Spark without the means drops it."""
    with suppress(*_MOVED):
        frame = noted(frame)
    with suppress(*_MOVED):
        return hidden(frame)
    return frame.drop(METADATA)


def hidden(frame: DataFrame) -> DataFrame:
    """Return a frame without the column, which can still be selected by name from it, its filters and projections."""
    visible = frame.drop(METADATA)
    jvm = frame.sparkSession._jvm
    concealed = [column for column in elements(frame._jdf.queryExecution().analyzed().output()) if is_own(column)]
    tag = jvm.org.apache.spark.sql.catalyst.plans.logical.Project.hiddenOutputTag()
    visible._jdf.logicalPlan().setTagValue(tag, jvm.org.apache.spark.api.python.PythonUtils.toSeq(concealed))
    return visible


def is_own(column: Any) -> bool:
    """Whether a column of a plan is the file's own, by its name."""
    return column.name() == METADATA


def elements(sequence: Any) -> Iterator[Any]:
    """Yield the elements of a sequence of the JVM."""
    iterator = sequence.iterator()
    while iterator.hasNext():
        yield iterator.next()


def noted(frame: DataFrame) -> DataFrame:
    """Return a frame of which each task notes the file that a row is from; it has a ``_metadata`` column."""
    from pyspark.sql.classic.dataframe import DataFrame  # only classic sessions have the column

    # Not as a text, and not by PySpark's functions: a session may have used neither yet, and both take long at first.
    jvm = frame.sparkSession._jvm
    functions = jvm.org.apache.spark.sql.functions
    path, start, length = (functions.col(f"{METADATA}.file_{part}") for part in ("path", "block_start", "block_length"))
    call = [functions.lit(_HOLDER), functions.lit("set"), path, start, length]
    # The call returns nothing, which is a null.
    note = functions.java_method(jvm.org.apache.spark.api.python.PythonUtils.toSeq(call)).equalTo("null")
    is_same = functions.input_file_name().equalTo(path)
    return DataFrame(frame._jdf.filter(getattr(is_same, "or")(note)), frame.sparkSession)


def with_rescued(schema: T.StructType, name: str | None) -> T.StructType:
    """Return a user's schema as file sources read it, every column nullable, and with the rescued column."""
    fields = [T.StructField(field.name, field.dataType, True, field.metadata) for field in schema.fields]
    if name and name not in schema.fieldNames():
        fields.append(T.StructField(name, T.StringType()))
    return T.StructType(fields)
