"""The data source created in the user's own process instead of a new one.

For ``load`` Spark starts a Python that creates the data source and returns its schema, and for a query's first batch
another that creates the function with which tasks read.  In a classic session this process is on the same machine and
has PySpark imported already; it does both in a fraction of the time, and puts the results where Spark stores its own.

A release of Spark that stores them elsewhere creates them as before.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.schemas.layout import remove_metadata

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.datasource import DataSourceStreamReader
    from pyspark.sql.types import StructType

    from pyspark_cloudfiles.source.data_source import CloudFilesDataSource

_SOURCE_FIELD = "dataSourceInPython"  # a field of Spark's relation
_PYTHON = "org.apache.spark.sql.execution.datasources.v2.python"


class Created(NamedTuple):
    """A data source, its schema, and the reader of its streams."""

    source: CloudFilesDataSource
    schema: StructType
    reader: DataSourceStreamReader

    def without_metadata(self) -> Created:
        """Return the same without the ``_metadata`` column."""
        source, schema = self.source.without_metadata(), remove_metadata(self.schema)
        return Created(source, schema, source.streamReader(schema))


def is_possible(spark: SparkSession) -> bool:
    """Whether the JVM of a classic session has the directory of this process, as relative paths need."""
    try:
        return spark._jvm.java.lang.System.getProperty("user.dir") == str(Path.cwd())
    except OSError:  # the directory was removed
        return False


def create(options: Mapping[str, str], schema: StructType | None) -> Created:
    """Create the data source, with the user's schema or else the inferred one; its errors are Spark's."""
    from pyspark_cloudfiles.source.data_source import CloudFilesDataSource  # only for sessions that load cloudFiles

    try:
        source = CloudFilesDataSource(options)
        schema = source.schema() if schema is None else schema
        return Created(source, schema, source.streamReader(schema))
    except CloudFilesError as error:
        raise AnalysisException(str(error)) from None  # the text is complete


def inject_into_plan(frame: DataFrame, made: Created) -> None:
    """Store the data source of a frame that was just loaded, and the function that reads it, in Spark's plan."""
    from pyspark.serializers import CPickleSerializer

    jvm = frame.sparkSession._jvm
    try:
        provider = frame._jdf.queryExecution().analyzed().collectLeaves().head().source().get()
        schema = jvm.org.apache.spark.sql.types.DataType.fromJson(made.schema.json())
        pickled = CPickleSerializer().dumps(made.source)
        source = provider.getClass().getDeclaredField(_SOURCE_FIELD)
        source.setAccessible(True)
        source.set(provider, getattr(jvm, f"{_PYTHON}.PythonDataSourceCreationResult")(pickled, schema))
        conf = frame.sparkSession._jsparkSession.sessionState().conf()
        function = _pickled_function(made, conf.arrowMaxRecordsPerBatch(), conf.pysparkBinaryAsBytes())
        no_partitions = jvm.org.apache.spark.api.python.PythonUtils.toSeq([])
        provider.setReadInfo(getattr(jvm, f"{_PYTHON}.PythonDataSourceReadInfo")(function, no_partitions))
    except (Py4JError, TypeError, ImportError, AttributeError):  # another Spark stores or creates them elsewhere
        return


def _pickled_function(made: Created, rows: int, binary_as_bytes: bool) -> bytes:
    """Return the result of Spark's own process: its function around our reader."""
    # Late, because they import pyarrow, which only sessions that load cloudFiles need.
    from pyspark.serializers import read_int
    from pyspark.sql.worker.plan_data_source_read import write_read_func_and_partitions

    answer = io.BytesIO()
    write_read_func_and_partitions(
        answer,
        reader=made.reader,
        data_source=made.source,
        schema=made.schema,
        max_arrow_batch_size=rows,
        binary_as_bytes=binary_as_bytes,
    )
    answer.seek(0)
    return answer.read(read_int(answer))
