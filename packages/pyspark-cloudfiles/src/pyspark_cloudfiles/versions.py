"""The versions of a schema, and their store below the schema location.

They are the files ``<schemaLocation>/_schemas/0``, ``1`` ...  A version is written once, whole, and never changed.  If
several writers, on several machines, find the same new column at the same time, the later ones add to the version of
the first.

A stream reads a version with its current hints, and each name once.  For a name in both the data and the path, the
path's value counts, as in Spark.  The rescued column is not a data column either: data under its name is rescued.  A
data column ``_metadata`` hides the files' metadata, as in Spark.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from pyspark.sql import types as T

from pyspark_cloudfiles import layout
from pyspark_cloudfiles.errors import InferenceFailed, InvalidOption, MissingFile, StateLost, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import stream_format
from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.layout import Layout, apply_hints
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.paths import infer_partition_types, partition_values

_DIRECTORY = "_schemas"
_EVOLVE_ATTEMPTS = 100


@dataclass(frozen=True)
class SchemaVersion:
    """The columns in a stream's files and in their paths, and the path and format of the stream that they belong to."""

    data: T.StructType
    partitions: T.StructType
    path: str
    format: str

    def to_bytes(self) -> bytes:
        content = {
            "version": 1,
            "path": self.path,
            "format": self.format,
            "dataSchema": self.data.jsonValue(),
            "partitionSchema": self.partitions.jsonValue(),
        }
        return json.dumps(content, ensure_ascii=False, indent=1).encode()

    @staticmethod
    def from_bytes(content: bytes) -> SchemaVersion:
        """Parse the content of a version's file; raise ValueError, KeyError or TypeError for other content."""
        read = json.loads(content)
        data, partitions = T.StructType.fromJson(read["dataSchema"]), T.StructType.fromJson(read["partitionSchema"])
        return SchemaVersion(data, partitions, read["path"], read["format"])


def infer_first_version(files: list[SourceFile], options: Options) -> SchemaVersion:
    """Infer the schema of files and of their paths; raise InferenceFailed if there are no columns."""
    data = stream_format(options).fixed_schema() or infer(files, options)
    if not data.fields:
        raise InferenceFailed(
            f"The files in {options.path} have no columns. Check cloudFiles.format and the files, or give a schema."
        )
    partitions = T.StructType()
    if not options.recursive_file_lookup:
        values = [partition_values(options.path, file.url) for file in files]
        found: dict[str, str] = {}
        for name in (name for file_values in values for name in file_values):
            found.setdefault(name.lower(), name)
        types: dict[str, T.DataType] = infer_partition_types(values) if options.infer_column_types else {}
        for name in list(found.values()) if options.partition_columns is None else options.partition_columns:
            partitions.add(name, types.get(name, T.StringType()))
    return SchemaVersion(data, partitions, filesystem.canonical(options.path), options.format.lower())


def infer(files: list[SourceFile], options: Options) -> T.StructType:
    """Infer the schema of the data in files, except for missing files, and unreadable ones if the options allow it."""
    request = InferRequest(
        infer_types=options.infer_column_types,
        options=options.format_options,
        timezone=options.timezone,
        hinted=frozenset(hint.path[0].lower() for hint in options.schema_hints),
    )
    file_format = stream_format(options)
    while True:
        try:
            return file_format.infer(files, request)
        except MissingFile:
            files = [file for file in files if filesystem.exists(file.url)]
        except UnreadableFile as error:
            left = [file for file in files if file.url != error.path]
            is_skipped = options.ignore_corrupt_files or options.bad_records_path is not None
            if not is_skipped or len(left) == len(files):
                raise
            files = left


def apply_options(version: SchemaVersion, options: Options) -> SchemaVersion:
    """Return a version with the stream's hints, and without data columns that are columns of another kind."""
    in_path = {field.name.lower() for field in version.partitions.fields}
    others = {*in_path, (rescued_column(options) or "").lower()}
    of_data = [hint for hint in options.schema_hints if hint.path[0].lower() not in in_path]
    of_path = [hint for hint in options.schema_hints if hint.path[0].lower() in in_path]
    data = apply_hints(version.data, of_data)
    return replace(
        version,
        data=T.StructType([field for field in data.fields if field.name.lower() not in others]),
        partitions=apply_hints(version.partitions, of_path),
    )


def version_layout(version: SchemaVersion, options: Options) -> Layout:
    version = apply_options(version, options)
    rescued, has_metadata = rescued_column(options), options.hidden_metadata
    return layout.inferred_layout(version.data, version.partitions, rescued, has_metadata)


def rescued_column(options: Options) -> str | None:
    if options.single_variant_column is not None:
        return options.rescued_data_column
    if stream_format(options).fixed_schema() is not None:
        return None
    return options.rescued_data_column or layout.RESCUED


class SchemaStore:
    """The schema versions below a schema location."""

    def __init__(self, location: str) -> None:
        self._directory = f"{filesystem.canonical(location)}/{_DIRECTORY}"

    def latest(self) -> SchemaVersion | None:
        """Return the newest version, if any; raise StateLost if its file was not written by this package."""
        number = self._latest_number()
        return None if number is None else self._read(number)

    def begin(self, version: SchemaVersion) -> bool:
        return self._write(0, version)

    def evolve(self, change: Callable[[SchemaVersion], SchemaVersion]) -> SchemaVersion:
        """Apply a change to the newest version, beside other writers, and write the result unless it is equal."""
        for _ in range(_EVOLVE_ATTEMPTS):
            number = self._latest_number()
            if number is None:
                raise StateLost(f"The schema versions in {self._directory} are gone. Start the stream again.")
            current = self._read(number)
            changed = change(current)
            if changed == current or self._write(number + 1, changed):
                return changed
        raise StateLost(f"Others keep changing the schema in {self._directory}. Give each stream its own location.")

    def _latest_number(self) -> int | None:
        try:
            numbers = [int(name) for name in filesystem.names(self._directory) if name.isdecimal()]
        except NotADirectoryError:
            numbers = []
        return max(numbers, default=None)

    def _read(self, number: int) -> SchemaVersion:
        url = f"{self._directory}/{number}"
        try:
            return SchemaVersion.from_bytes(filesystem.read_bytes(url))
        except (ValueError, KeyError, TypeError) as error:
            raise StateLost(
                f"{url} is no schema version of this package. Choose another cloudFiles.schemaLocation, or remove it."
            ) from error

    def _write(self, number: int, version: SchemaVersion) -> bool:
        try:
            filesystem.write_atomically(f"{self._directory}/{number}", version.to_bytes(), overwrite=False)
        except FileExistsError:
            return False
        except NotADirectoryError as error:
            raise InvalidOption(
                f"cloudFiles.schemaLocation is in a file, not in a directory ({self._directory}). Choose another."
            ) from error
        return True
