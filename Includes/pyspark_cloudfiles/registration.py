"""Making a session know the source and the table function, wherever its workers are.

Both are sent as classes that bring this package along, because a worker may not have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles import shipping

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MARK = "_cloudfiles_registered"


def register(spark: SparkSession) -> None:
    """Register the source, once a session."""
    if not hasattr(spark, f"{_MARK}_source"):
        spark.dataSource.register(_travelling_source())
        setattr(spark, f"{_MARK}_source", True)


def register_functions(spark: SparkSession) -> None:
    """Register the table functions of SQL, once a session."""
    if not hasattr(spark, f"{_MARK}_functions"):
        spark.udtf.register("cloud_files_state", _state_function())
        setattr(spark, f"{_MARK}_functions", True)


def _travelling_source() -> type:
    from pyspark.sql.datasource import DataSource

    make_importable, origin = shipping.loader()

    class CloudFiles(DataSource):
        def __new__(cls, options: Any) -> Any:
            make_importable(*origin)
            # On a worker, after the package has been brought there.
            from pyspark_cloudfiles.source import CloudFilesDataSource

            return CloudFilesDataSource(options)

        @classmethod
        def name(cls) -> str:
            return "cloudFiles"

    return CloudFiles


def _state_function() -> Any:
    from pyspark.sql.functions import udtf

    # Not before Spark's own functions, whose import takes longest.
    from pyspark_cloudfiles.file_state import COLUMNS

    make_importable, origin = shipping.loader()

    class CloudFilesState:
        def eval(self, checkpoint: str) -> Iterator[tuple]:
            make_importable(*origin)
            # On a worker, after the package has been brought there.
            from pyspark_cloudfiles.file_state import file_states

            yield from map(tuple, file_states(checkpoint))

    return udtf(CloudFilesState, returnType=COLUMNS)
