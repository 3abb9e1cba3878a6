"""What a query's processes must agree on: the options, the columns, and what happens to those that are new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import StringType, StructField, StructType

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import format_named
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.layout import Layout
from pyspark_cloudfiles.options import Options

_ON_UNKNOWN = {
    "addNewColumns": "error",
    "addNewColumnsWithTypeWidening": "error",
    "failOnNewColumns": "error",
    "rescue": "rescue",
    "none": "ignore",
}


@dataclass(frozen=True)
class Plan:
    """One query's reading.

    Parameters
    ----------
    options : Options
        Of the stream.
    layout : Layout
        Its columns.
    evolution_mode : str
        What to do with new columns; see :data:`pyspark_cloudfiles.options.EVOLUTION_MODES`.
    inferred : bool
        Whether the schema is ours to evolve.
    """

    options: Options
    layout: Layout
    evolution_mode: str
    inferred: bool

    @property
    def may_refuse(self) -> bool:
        """Whether data that is well can end the query, because of what it has besides the schema."""
        if format_named(self.options.format).fixed_schema() is not None:
            return False
        return _ON_UNKNOWN[self.evolution_mode] == "error" or self.options.mode == "FAILFAST"

    def request(self, layout: Layout) -> ReadRequest:
        """Return what the format is asked for, when the columns are those of ``layout``."""
        options = self.options
        asked_to_rescue = options.rescued_data_column is not None
        rescue = layout.rescued is not None and (self.evolution_mode != "none" or asked_to_rescue)
        on_unknown = _ON_UNKNOWN[self.evolution_mode]
        if on_unknown == "ignore" and rescue:
            on_unknown = "rescue"
        data = layout.data
        if self.inferred:
            # Where the data has a column of the path as well, it is known, and left.
            data = StructType([*data.fields, *(StructField(name, StringType()) for name in layout.partitions)])
        return ReadRequest(
            schema=data,
            on_unknown=on_unknown,
            rescue=rescue,
            case_sensitive=options.reader_case_sensitive,
            mode=options.mode,
            corrupt_column=options.corrupt_column if options.corrupt_column in data.fieldNames() else None,
            timezone=options.timezone or local_timezone(),
            # Columns of a given schema are the file's by their position, as in Spark, unless it has a header.
            options=options.format_options if self.inferred else {"header": "false", **options.format_options},
        )


@dataclass
class FilePartition(InputPartition):
    """Files that one task reads, and where the whole batch is found in the log.

    Parameters
    ----------
    files : list of SourceFile
        In the order in which to read them.
    layout : Layout
        The columns of this batch.
    log : str
        URL of the log.
    start, end : int
        The batch's files in it.
    """

    files: list[SourceFile]
    layout: Layout
    log: str
    start: int
    end: int

    def __init__(self, files: list[SourceFile], layout: Layout, log: str, start: int, end: int) -> None:
        super().__init__(None)
        self.files, self.layout, self.log, self.start, self.end = files, layout, log, start, end


def discover_files(options: Options) -> Iterator[SourceFile]:
    """Iterate over the files that are there now."""
    # Workers, which are handed plans, list nothing.
    from pyspark_cloudfiles.discovery import DiscoveryOptions, discover, parse_timestamp

    timezone = options.timezone or local_timezone()
    times = (options.modified_after, options.modified_before)
    after, before = (parse_timestamp(text, timezone) if text else None for text in times)
    wanted = DiscoveryOptions(
        strict_glob=options.strict_globber,
        path_glob_filter=options.path_glob_filter,
        modified_after_us=after,
        modified_before_us=before,
    )
    return discover(options.path, wanted)


@cache
def local_timezone() -> str:
    """Return the machine's time zone as Spark's JVM sees it by default: its IANA name, or the offset of now."""
    import os
    import time
    from pathlib import Path

    if name := os.environ.get("TZ"):
        return name.lstrip(":")
    link = Path("/etc/localtime")
    if link.is_symlink() and "zoneinfo/" in (target := str(link.resolve())):
        return target.split("zoneinfo/")[1]
    return time.strftime("%z")[:3] + ":" + time.strftime("%z")[3:]
