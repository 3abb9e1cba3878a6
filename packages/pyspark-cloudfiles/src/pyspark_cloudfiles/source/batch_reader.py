"""The batch reader: all files that are there, read once, for ``read_files`` in SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.filesystems.urls import iterated, mounted
from pyspark_cloudfiles.planning.plan import FilePartition, Plan, tasks, with_partitions_of
from pyspark_cloudfiles.reading.task import read_partition
from pyspark_cloudfiles.shipping import shipped


class CloudFilesReader(DataSourceReader):
    """Reads all files of a path.

    Parameters
    ----------
    plan : Plan
        What to read and how.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __reduce__(self) -> tuple:
        return shipped(type(self), self.__dict__)

    def partitions(self) -> list[FilePartition]:
        from pyspark_cloudfiles.planning.discovery import discover_files  # tasks list nothing

        with mounted(self._plan.options.mounts):
            files = sorted(discover_files(self._plan.options), key=lambda file: (file.modified, file.url))
            return self._tasks(files)

    def _tasks(self, files: list[SourceFile]) -> list[FilePartition]:
        layout = with_partitions_of(files, self._plan)
        groups = tasks(files, self._plan)
        # Spark reads a source without partitions once all the same.
        return [FilePartition(group, layout, "", 0, 0) for group in groups or [[]]]

    def read(self, partition: FilePartition) -> Iterator[pa.RecordBatch]:
        return iterated(self._plan.options.mounts, read_partition(partition, self._plan))
