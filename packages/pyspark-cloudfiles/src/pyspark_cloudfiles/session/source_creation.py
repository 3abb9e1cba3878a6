"""The data source created in the user's own process instead of a new one.

For ``load`` Spark starts a Python that creates the data source and asks it for its schema, and for a query's first
batch another that makes the function with which tasks read.  In a classic session this process is on the same machine
and has PySpark imported already; it does both in a fraction of the time, and puts the results where Spark keeps its
own.

Where the results cannot be put, because a release of Spark keeps them elsewhere, Spark makes them as before.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.schemas.layout import schema_without_metadata

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.datasource import DataSourceStreamReader
    from pyspark.sql.types import StructType

    from pyspark_cloudfiles.source.data_source import CloudFilesDataSource

_KEPT_IN = "dataSourceInPython"  # a field of Spark's relation
_PYTHON = "org.apache.spark.sql.execution.datasources.v2.python"


class Created(NamedTuple):
    """A data source, its schema, and what plans and reads its streams."""

    source: CloudFilesDataSource
    schema: StructType
    reader: DataSourceStreamReader

    def without_metadata(self) -> Created:
        """Return the same without the ``_metadata`` column."""
        source, schema = self.source.without_metadata(), schema_without_metadata(self.schema)
        return Created(source, schema, source.streamReader(schema))


def is_here(spark: SparkSession) -> bool:
    """Tell whether a classic session's data sources can be made by this process.

    Its JVM must have the same directory as this process: otherwise a relative path would mean two places.
    """
    try:
        return spark._jvm.java.lang.System.getProperty("user.dir") == str(Path.cwd())
    except OSError:  # the directory was removed
        return False


def created(options: Mapping[str, str], schema: StructType | None) -> Created:
    """Make the data source for a reader's options, with the user's schema or else the inferred one.

    Raises
    ------
    pyspark.errors.AnalysisException
        It cannot be made of these options or files; Spark raises the same where it makes it.
    """
    from pyspark_cloudfiles.source.data_source import CloudFilesDataSource  # a session that loads nothing does without

    try:
        source = CloudFilesDataSource(options)
        schema = source.schema() if schema is None else schema
        return Created(source, schema, source.streamReader(schema))
    except CloudFilesError as error:
        raise AnalysisException(str(error)) from None  # whose text has everything


def hand_over(frame: DataFrame, made: Created) -> None:
    """Give Spark the data source that the frame just loaded reads from, and the function that reads it.

    Parameters
    ----------
    frame : DataFrame
        What ``load`` has returned for the source's options and its schema.
    """
    jvm = frame.sparkSession._jvm
    try:
        provider = frame._jdf.queryExecution().analyzed().collectLeaves().head().source().get()
        _keep_source(jvm, provider, made)
        _keep_function(jvm, provider, made, frame.sparkSession._jsparkSession.sessionState().conf())
    except (Py4JError, TypeError, ImportError, AttributeError):  # another Spark keeps or makes them elsewhere
        return


def _keep_source(jvm: Any, provider: Any, made: Created) -> None:
    from pyspark.serializers import CPickleSerializer

    schema = jvm.org.apache.spark.sql.types.DataType.fromJson(made.schema.json())
    result = getattr(jvm, f"{_PYTHON}.PythonDataSourceCreationResult")(CPickleSerializer().dumps(made.source), schema)
    kept = provider.getClass().getDeclaredField(_KEPT_IN)
    kept.setAccessible(True)
    kept.set(provider, result)


def _keep_function(jvm: Any, provider: Any, made: Created, conf: Any) -> None:
    function = _pickled_function(made, conf.arrowMaxRecordsPerBatch(), conf.pysparkBinaryAsBytes())
    no_partitions = jvm.org.apache.spark.api.python.PythonUtils.toSeq([])
    provider.setReadInfo(getattr(jvm, f"{_PYTHON}.PythonDataSourceReadInfo")(function, no_partitions))


def _pickled_function(made: Created, rows: int, binary_as_bytes: bool) -> bytes:
    """Return what Spark's own process would: its function around our reader."""
    # Late, because they import pyarrow, which a session that loads nothing does without.
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
