"""The data source behind ``spark.readStream.format("cloudFiles").load(path)``, and its reader for ``read_files``."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from pyspark_cloudfiles import layout, paths
from pyspark_cloudfiles.errors import AddNewNotSupported, EmptyDirectory, InvalidOption, SchemaLocationNeeded
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile, digest_of
from pyspark_cloudfiles.filesystems.filesystem import iterate_mounted, mounted
from pyspark_cloudfiles.formats import stream_format
from pyspark_cloudfiles.layout import Layout
from pyspark_cloudfiles.options import Options, parse
from pyspark_cloudfiles.shipping import reduce_with_package
from pyspark_cloudfiles.source.plan import FilePartition, Plan
from pyspark_cloudfiles.versions import SchemaStore, SchemaVersion, apply_options, infer_first_version, version_layout

if TYPE_CHECKING:
    import pyarrow as pa


class CloudFilesDataSource(DataSource):
    """Files that keep coming, each ingested once, with a schema that may drift.

    Compatible in behaviour with Databricks' Auto Loader.

    Parameters
    ----------
    options : Mapping of str
        The options that the user set with ``.option(...)``, and ``path``; see :mod:`pyspark_cloudfiles.options`.

    Raises
    ------
    CloudFilesError
        An option is unknown, has an invalid value or contradicts another.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._options = parse(options)
        with mounted(self._options.mounts):
            stream_format(self._options)  # which raises for an unknown one
            if self._options.clean_source == "MOVE":
                from pyspark_cloudfiles.source.cleaning import refuse_destination_in_source  # few streams clean

                refuse_destination_in_source(self._options)
            if self._options.bad_records_path is not None:
                _refuse_bad_records_in_source(self._options)
        self._inferred: Layout | None = None
        self._inferred_from: str | None = None

    def __reduce__(self) -> tuple:
        return reduce_with_package(type(self), self.__dict__)

    @classmethod
    def name(cls) -> str:
        return "cloudFiles"

    def without_metadata(self) -> CloudFilesDataSource:
        """Return the same source and schema without ``_metadata``, for a query that does not use it."""
        other = copy(self)
        other._options = replace(self._options, hidden_metadata=False)
        if inferred := self._inferred:
            schema = layout.remove_metadata(inferred.schema)
            other._inferred = Layout(schema, inferred.partitions, inferred.rescued)
        return other

    def schema(self) -> StructType:
        """Return the schema in the schema location, or infer it and store it there; raise CloudFilesError."""
        with mounted(self._options.mounts):
            version = stored_version(self._options)
            if version is None:
                version, self._inferred_from = infer_version(self._options)
            self._inferred = version_layout(version, self._options)
        return self._inferred.schema

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        # A process needs one of the two readers.
        from pyspark_cloudfiles.source.stream_reader import CloudFilesStreamReader

        with mounted(self._options.mounts):
            return CloudFilesStreamReader(self._plan(schema))

    def reader(self, schema: StructType) -> DataSourceReader:
        if not self._options.batch:
            raise InvalidOption(
                "cloudFiles is a streaming source. Use spark.readStream, or spark.read with the files' own format."
            )
        with mounted(self._options.mounts):
            return CloudFilesReader(self._plan(schema))

    def _plan(self, schema: StructType) -> Plan:
        options = self._options
        if self._inferred is None and options.inferred:
            self.schema()
        inferred = self._inferred is not None and set(self._inferred.schema.fieldNames()) == set(schema.fieldNames())
        mode, bad_records = options.evolution_mode, None
        if options.bad_records_path is not None:
            started = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
            bad_records = f"{filesystem.canonical(options.bad_records_path)}/{started}"
        if inferred:
            mode = mode or ("rescue" if options.batch else "addNewColumns")
            return Plan(options, self._inferred, mode, True, self._inferred_from, bad_records)
        if mode in ("addNewColumns", "addNewColumnsWithTypeWidening"):
            raise AddNewNotSupported(
                f"Schema evolution mode {mode} is not supported when a schema is given. Leave the schema to inference "
                "and describe what you know of it in cloudFiles.schemaHints, or choose the mode rescue or none."
            )
        if options.schema_hints:
            raise InvalidOption("cloudFiles.schemaHints needs an inferred schema. Remove them, or the schema.")
        given = layout.given_layout(schema, options.rescued_data_column or layout.RESCUED)
        return Plan(options, given, mode or "none", False, bad_records=bad_records)


class CloudFilesReader(DataSourceReader):
    """Reads all files of a path once, for ``read_files`` in SQL."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __reduce__(self) -> tuple:
        return reduce_with_package(type(self), self.__dict__)

    def partitions(self) -> list[FilePartition]:
        from pyspark_cloudfiles.source.plan import discover_files  # tasks list nothing

        with mounted(self._plan.options.mounts):
            files = sorted(discover_files(self._plan.options), key=lambda file: (file.modified, file.url))
            columns = self._plan.batch_layout(files)
            # Spark reads a source without partitions once all the same.
            return [FilePartition(group, columns, "", 0, 0) for group in self._plan.divide(files) or [[]]]

    def read(self, partition: FilePartition) -> Iterator[pa.RecordBatch]:
        from pyspark_cloudfiles.source.task import read_partition  # the process that plans reads nothing

        return iterate_mounted(self._plan.options.mounts, read_partition(partition, self._plan))


def stored_version(options: Options) -> SchemaVersion | None:
    """Return the newest schema version of a stream, if any; raise InvalidOption for one of another stream."""
    if options.schema_location is None:
        return None
    version = SchemaStore(options.schema_location).latest()
    if version is None:
        return None
    if (version.path, version.format) != (filesystem.canonical(options.path), options.format.lower()):
        raise InvalidOption(
            f"cloudFiles.schemaLocation {options.schema_location} belongs to another stream, which reads "
            f"{version.format} from {version.path}. Choose another directory for this one."
        )
    if options.single_variant_column not in (None, *version.data.names):
        raise InvalidOption(
            f"cloudFiles.schemaLocation {options.schema_location} belongs to a stream without the column "
            f"{options.single_variant_column}, which singleVariantColumn asks for. Choose another directory."
        )
    return version


def infer_version(options: Options) -> tuple[SchemaVersion, str | None]:
    """Infer the schema from the first files and store it; return it, and their digest if it has all of theirs."""

    is_fixed = stream_format(options).fixed_schema() is not None
    if not is_fixed and options.schema_location is None and not options.batch:
        raise SchemaLocationNeeded(
            "To infer a schema, set cloudFiles.schemaLocation to a directory that keeps it, the checkpoint for "
            "instance; or give a schema with .schema(...)."
        )
    files = sample(options)
    if not is_fixed and not files:
        raise EmptyDirectory(
            f"Cannot infer a schema while {options.path} has no files. Wait for the first, or give a schema "
            "with .schema(...)."
        )
    version = apply_options(infer_first_version(files, options), options)
    if options.schema_location is None or SchemaStore(options.schema_location).begin(version):
        return version, digest_of(files)
    return stored_version(options), None  # another start of this stream was quicker


def sample(options: Options) -> list[SourceFile]:
    """Return the files that a schema is inferred from: by default the first thousand, or the first 50 GB."""
    from pyspark_cloudfiles.source.plan import discover_files  # tasks list nothing

    taken, size = [], 0
    for file in islice(discover_files(options), options.sample_files):
        taken.append(file)
        size += file.size
        if size >= options.sample_bytes:
            break
    return sorted(taken, key=lambda file: (file.modified, file.url))  # directories are listed in any order


def _refuse_bad_records_in_source(options: Options) -> None:
    source = paths.base_of(filesystem.canonical(options.path))
    if f"{filesystem.canonical(options.bad_records_path or '')}/".startswith(f"{source}/"):
        raise InvalidOption(
            f"badRecordsPath {options.bad_records_path} is in the source directory, where its files would be read. "
            "Choose a directory outside."
        )
