"""The data source ``cloudFiles``: what ``spark.readStream.format("cloudFiles").load(path)`` makes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import DataType, StringType, StructField, StructType

from pyspark_cloudfiles import filesystem, layout
from pyspark_cloudfiles.errors import (
    AddNewNotSupported,
    EmptyDirectory,
    InferenceFailed,
    InvalidOption,
    SchemaLocationNeeded,
)
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import format_named
from pyspark_cloudfiles.layout import Layout
from pyspark_cloudfiles.options import Options, parse
from pyspark_cloudfiles.partitions import infer_partition_types, partition_values
from pyspark_cloudfiles.plan import Plan, discover_files
from pyspark_cloudfiles.schemas.settled import layout_of, settled
from pyspark_cloudfiles.schemas.store import SchemaStore, SchemaVersion
from pyspark_cloudfiles.shipping import shipped

SAMPLED_FILES = 1000
SAMPLED_BYTES = 50 * 1024**3


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
        format_named(self._options.format)
        if self._options.clean_source == "MOVE":
            from pyspark_cloudfiles.cleaning import refuse_destination_in_source  # few streams clean

            refuse_destination_in_source(self._options)
        self._inferred: Layout | None = None

    def __reduce__(self) -> tuple:
        return shipped(type(self), self.__dict__)

    @classmethod
    def name(cls) -> str:
        return "cloudFiles"

    def schema(self) -> StructType:
        """Return the schema in the schema location, or infer one and put it there.

        Raises
        ------
        SchemaLocationNeeded, EmptyDirectory, InferenceFailed, InvalidOption
        """
        version = stored_version(self._options) or infer_version(self._options)
        self._inferred = layout_of(version, self._options)
        return self._inferred.schema

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        from pyspark_cloudfiles.stream import CloudFilesStreamReader  # a process needs one of the two readers

        return CloudFilesStreamReader(self._plan(schema))

    def reader(self, schema: StructType) -> DataSourceReader:
        from pyspark_cloudfiles.batch import CloudFilesReader  # a process needs one of the two readers

        if not self._options.batch:
            raise InvalidOption(
                "cloudFiles is a streaming source. Use spark.readStream, or spark.read with the files' own format."
            )
        return CloudFilesReader(self._plan(schema))

    def _plan(self, schema: StructType) -> Plan:
        inferred = self._inferred is not None and set(self._inferred.schema.fieldNames()) == set(schema.fieldNames())
        mode = self._options.evolution_mode
        if inferred:
            default = "rescue" if self._options.batch else "addNewColumns"
            return Plan(self._options, self._inferred, mode or default, inferred=True)
        if mode in ("addNewColumns", "addNewColumnsWithTypeWidening"):
            raise AddNewNotSupported(
                f"Schema evolution mode {mode} is not supported when a schema is given. Leave the schema to inference "
                "and describe what you know of it in cloudFiles.schemaHints, or choose the mode rescue or none."
            )
        if self._options.schema_hints:
            raise InvalidOption("cloudFiles.schemaHints needs an inferred schema. Remove them, or the schema.")
        rescued = self._options.rescued_data_column or layout.RESCUED
        return Plan(self._options, layout.of_given(schema, rescued), mode or "none", inferred=False)


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


def infer_version(settings: Options) -> SchemaVersion:
    """Infer the schema from the first files and keep it.

    Raises
    ------
    SchemaLocationNeeded
        There is nowhere to keep it.
    EmptyDirectory, InferenceFailed
        There is nothing to infer it from; it cannot be inferred.
    """
    fixed = format_named(settings.format).fixed_schema()
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
    version = settled(_inferred_version(files, settings), settings)
    if settings.schema_location is None or SchemaStore(settings.schema_location).begin(version):
        return version
    return stored_version(settings)  # another start of this stream was quicker


def sample(settings: Options) -> list[SourceFile]:
    """Return the files that a schema is inferred from: the first thousand, or the first 50 GB."""
    taken, size = [], 0
    for file in islice(discover_files(settings), SAMPLED_FILES):
        taken.append(file)
        size += file.size
        if size >= SAMPLED_BYTES:
            break
    return sorted(taken, key=lambda file: (file.modified, file.url))  # whatever order a directory is listed in


def _inferred_version(files: list[SourceFile], settings: Options) -> SchemaVersion:
    from pyspark_cloudfiles.inference import infer  # not where a schema is given or stored

    data = format_named(settings.format).fixed_schema() or infer(files, settings)
    if not data.fields:
        raise InferenceFailed(
            f"The files in {settings.path} have no columns. Check cloudFiles.format and the files, or give a schema."
        )
    partitions = _partition_schema(files, settings)
    return SchemaVersion(data, partitions, filesystem.canonical(settings.path), settings.format.lower())


def _partition_schema(files: list[SourceFile], settings: Options) -> StructType:
    if settings.recursive_file_lookup:
        return StructType()
    values = [partition_values(settings.path, file.url) for file in files]
    found: dict[str, str] = {}
    for name in (name for file_values in values for name in file_values):
        found.setdefault(name.lower(), name)
    names = list(found.values()) if settings.partition_columns is None else settings.partition_columns
    types: dict[str, DataType] = infer_partition_types(values) if settings.infer_column_types else {}
    return StructType([StructField(name, types.get(name, StringType())) for name in names])


def _refuse_foreign(version: SchemaVersion, settings: Options) -> None:
    path = filesystem.canonical(settings.path)
    if (version.path, version.format) != (path, settings.format.lower()):
        raise InvalidOption(
            f"cloudFiles.schemaLocation {settings.schema_location} belongs to another stream, which reads "
            f"{version.format} from {version.path}. Choose another directory for this one."
        )
