"""The data source behind ``spark.readStream.format("cloudFiles").load(path)``."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from itertools import islice

from pyspark.sql import types as T
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader

from pyspark_cloudfiles.errors import (
    AddNewNotSupported,
    EmptyDirectory,
    InvalidOption,
    SchemaLocationNeeded,
)
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile, digest_of
from pyspark_cloudfiles.filesystems.urls import mounted
from pyspark_cloudfiles.formats import format_of
from pyspark_cloudfiles.options import Options, parse
from pyspark_cloudfiles.planning.plan import Plan
from pyspark_cloudfiles.schemas import layout
from pyspark_cloudfiles.schemas.layout import Layout
from pyspark_cloudfiles.schemas.versions import SchemaStore, SchemaVersion, layout_of, settled
from pyspark_cloudfiles.shipping import shipped


class CloudFilesDataSource(DataSource):
    """Files that keep coming, each ingested once, with a schema that may drift.

    Compatible in behaviour with Databricks' Auto Loader.

    Parameters
    ----------
    options : Mapping of str
        What the user set with ``.option(...)``, and ``path``; see :mod:`pyspark_cloudfiles.options`.

    Raises
    ------
    CloudFilesError
        An option is unknown, has a wrong value or contradicts another.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._options = parse(options)
        with mounted(self._options.mounts):
            self._check()
        self._inferred: Layout | None = None
        self._inferred_from: str | None = None

    def _check(self) -> None:
        """Raise what can be said of the options without looking at files."""
        format_of(self._options)
        if self._options.clean_source == "MOVE":
            from pyspark_cloudfiles.planning.cleaning import refuse_destination_in_source  # few streams clean

            refuse_destination_in_source(self._options)
        if self._options.bad_records_path is not None:
            from pyspark_cloudfiles.reading.bad_records import refuse_path_in_source  # as above

            refuse_path_in_source(self._options)

    def __reduce__(self) -> tuple:
        return shipped(type(self), self.__dict__)

    @classmethod
    def name(cls) -> str:
        return "cloudFiles"

    def without_metadata(self) -> CloudFilesDataSource:
        """Return the same source, with what it has inferred, for a query that does not use ``_metadata``."""
        other = copy(self)
        other._options = replace(self._options, hidden_metadata=False)
        other._inferred = self._inferred and self._inferred.without_metadata()
        return other

    def schema(self) -> T.StructType:
        """Return the schema in the schema location, or infer one and put it there.

        Raises
        ------
        SchemaLocationNeeded, EmptyDirectory, InferenceFailed, InvalidOption
        """
        with mounted(self._options.mounts):
            version = stored_version(self._options)
            if version is None:
                version, self._inferred_from = infer_version(self._options)
            self._inferred = layout_of(version, self._options)
        return self._inferred.schema

    def streamReader(self, schema: T.StructType) -> DataSourceStreamReader:
        # A process needs one of the two readers.
        from pyspark_cloudfiles.source.stream_reader import CloudFilesStreamReader

        with mounted(self._options.mounts):
            return CloudFilesStreamReader(self._plan(schema))

    def reader(self, schema: T.StructType) -> DataSourceReader:
        from pyspark_cloudfiles.source.batch_reader import CloudFilesReader  # as above

        if not self._options.batch:
            raise InvalidOption(
                "cloudFiles is a streaming source. Use spark.readStream, or spark.read with the files' own format."
            )
        with mounted(self._options.mounts):
            return CloudFilesReader(self._plan(schema))

    def _plan(self, schema: T.StructType) -> Plan:
        if self._inferred is None and self._options.inferred:
            self.schema()
        inferred = self._inferred is not None and set(self._inferred.schema.fieldNames()) == set(schema.fieldNames())
        mode, bad_records = self._options.evolution_mode, None
        if self._options.bad_records_path is not None:
            from pyspark_cloudfiles.reading.bad_records import directory_of  # few streams have it

            bad_records = directory_of(self._options)
        if inferred:
            default = "rescue" if self._options.batch else "addNewColumns"
            return Plan(
                self._options, self._inferred, mode or default, True, self._inferred_from, bad_records=bad_records
            )
        if mode in ("addNewColumns", "addNewColumnsWithTypeWidening"):
            raise AddNewNotSupported(
                f"Schema evolution mode {mode} is not supported when a schema is given. Leave the schema to inference "
                "and describe what you know of it in cloudFiles.schemaHints, or choose the mode rescue or none."
            )
        if self._options.schema_hints:
            raise InvalidOption("cloudFiles.schemaHints needs an inferred schema. Remove them, or the schema.")
        rescued = self._options.rescued_data_column or layout.RESCUED
        given = layout.of_given(schema, rescued)
        return Plan(self._options, given, mode or "none", inferred=False, bad_records=bad_records)


def stored_version(settings: Options) -> SchemaVersion | None:
    """Return the newest schema version of a stream, None where there is none.

    Raises
    ------
    InvalidOption
        The schema location belongs to another stream.
    """
    if settings.schema_location is None:
        return None
    version = SchemaStore(settings.schema_location).latest()
    if version is None:
        return None
    _refuse_foreign(version, settings)
    return version


def infer_version(settings: Options) -> tuple[SchemaVersion, str | None]:
    """Infer the schema from the first files and keep it.

    Returns
    -------
    tuple of SchemaVersion and str or None
        The schema, and a digest of the files that it has all columns of, if it is known to have them.

    Raises
    ------
    SchemaLocationNeeded
        There is nowhere to keep it.
    EmptyDirectory, InferenceFailed
        There is nothing to infer it from; it cannot be inferred.
    """
    from pyspark_cloudfiles.schemas.versions import first_version  # not where a schema is given or stored

    fixed = format_of(settings).fixed_schema()
    if fixed is None and settings.schema_location is None and not settings.batch:
        raise SchemaLocationNeeded(
            "To infer a schema, set cloudFiles.schemaLocation to a directory that keeps it, the checkpoint for "
            "instance; or give a schema with .schema(...)."
        )
    files = sample(settings)
    if fixed is None and not files:
        raise EmptyDirectory(
            f"Cannot infer a schema while {settings.path} has no files. Wait for the first, or give a schema "
            "with .schema(...)."
        )
    version = settled(first_version(files, settings), settings)
    if settings.schema_location is None or SchemaStore(settings.schema_location).begin(version):
        return version, digest_of(files)
    return stored_version(settings), None  # another start of this stream was quicker


def sample(settings: Options) -> list[SourceFile]:
    """Return the files that a schema is inferred from: by default the first thousand, or the first 50 GB."""
    from pyspark_cloudfiles.planning.discovery import discover_files  # as above

    taken, size = [], 0
    for file in islice(discover_files(settings), settings.sample_files):
        taken.append(file)
        size += file.size
        if size >= settings.sample_bytes:
            break
    return sorted(taken, key=lambda file: (file.modified, file.url))  # whatever order a directory is listed in


def _refuse_foreign(version: SchemaVersion, settings: Options) -> None:
    path = filesystem.canonical(settings.path)
    if (version.path, version.format) != (path, settings.format.lower()):
        raise InvalidOption(
            f"cloudFiles.schemaLocation {settings.schema_location} belongs to another stream, which reads "
            f"{version.format} from {version.path}. Choose another directory for this one."
        )
    if settings.single_variant_column not in (None, *version.data.names):
        raise InvalidOption(
            f"cloudFiles.schemaLocation {settings.schema_location} belongs to a stream without the column "
            f"{settings.single_variant_column}, which singleVariantColumn asks for. Choose another directory."
        )
