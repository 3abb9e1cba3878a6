"""The versions of a schema, and their store below the schema location.

They are the files ``<schemaLocation>/_schemas/0``, ``1`` ...  A version is written once, whole, and never changed.
Several writers may find the same new column at the same moment, on several machines: the one that comes second sees the
version of the first and adds to that.

A stream reads a version with its present hints, and each name once.  A name may be in the data and in the path, and
the path's value counts, as in Spark.  The rescued column is no data column either; what the data has under its name is
rescued.  A data column ``_metadata`` is one, and hides the files' metadata, as in Spark.

It is asked of the format, without the files that nobody can read; columns of the path are found in the paths.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InferenceFailed, InvalidOption, MissingFile, StateLost, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import format_of
from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.schemas import layout
from pyspark_cloudfiles.schemas.hints import apply_hints, parse_hints
from pyspark_cloudfiles.schemas.layout import Layout
from pyspark_cloudfiles.schemas.partitions import infer_partition_types, partition_values
from pyspark_cloudfiles.values.times import local_timezone


def first_version(files: list[SourceFile], options: Options) -> SchemaVersion:
    """Return the schema of ``files`` with the columns of their paths.

    Raises
    ------
    InferenceFailed
        They have no columns, or types that cannot be merged.
    """
    data = format_of(options).fixed_schema() or infer(files, options)
    if not data.fields:
        raise InferenceFailed(
            f"The files in {options.path} have no columns. Check cloudFiles.format and the files, or give a schema."
        )
    partitions = _partition_schema(files, options)
    return SchemaVersion(data, partitions, filesystem.canonical(options.path), options.format.lower())


def _partition_schema(files: list[SourceFile], options: Options) -> T.StructType:
    if options.recursive_file_lookup:
        return T.StructType()
    values = [partition_values(options.path, file.url) for file in files]
    found: dict[str, str] = {}
    for name in (name for file_values in values for name in file_values):
        found.setdefault(name.lower(), name)
    names = list(found.values()) if options.partition_columns is None else options.partition_columns
    types: dict[str, T.DataType] = infer_partition_types(values) if options.infer_column_types else {}
    return T.StructType([T.StructField(name, types.get(name, T.StringType())) for name in names])


def infer(files: list[SourceFile], options: Options) -> T.StructType:
    """Return the schema of the data in ``files``; see :meth:`pyspark_cloudfiles.formats.base.Format.infer`."""
    request = InferRequest(
        infer_types=options.infer_column_types,
        options=options.format_options,
        timezone=options.timezone or local_timezone(),
        hinted=frozenset(hint.path[0].lower() for hint in parse_hints(options.schema_hints)),
    )
    file_format = format_of(options)
    while True:
        try:
            return file_format.infer(files, request)
        except MissingFile:
            # Files that went away can be read by nobody; their columns are not missed.
            files = [file for file in files if filesystem.exists(file.url)]
        except UnreadableFile as error:
            left = [file for file in files if file.url != error.path]
            passed_over = options.ignore_corrupt_files or options.bad_records_path is not None
            if not passed_over or len(left) == len(files):
                raise
            files = left


_DIRECTORY = "_schemas"
_ATTEMPTS = 100


@dataclass(frozen=True)
class SchemaVersion:
    """What a stream knows of its data.

    Parameters
    ----------
    data : StructType
        Columns that are in the files.
    partitions : StructType
        Columns that are in the path.
    path, format : str
        What the stream reads: a location belongs to one stream.
    """

    data: T.StructType
    partitions: T.StructType
    path: str
    format: str

    def to_bytes(self) -> bytes:
        """Return the content of the version's file."""
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
        """Return what :meth:`to_bytes` wrote; ValueError, KeyError or TypeError if it did not."""
        read = json.loads(content)
        return SchemaVersion(
            T.StructType.fromJson(read["dataSchema"]),
            T.StructType.fromJson(read["partitionSchema"]),
            read["path"],
            read["format"],
        )


def settled(version: SchemaVersion, options: Options) -> SchemaVersion:
    """Return a version with the stream's hints, whose data columns are not also columns of another kind."""
    hints = parse_hints(options.schema_hints)
    in_path = {field.name.lower() for field in version.partitions.fields}
    taken = {*in_path, (rescued_column(options) or "").lower()}
    data = apply_hints(version.data, [hint for hint in hints if hint.path[0].lower() not in in_path])
    return replace(
        version,
        data=T.StructType([field for field in data.fields if field.name.lower() not in taken]),
        partitions=apply_hints(version.partitions, [hint for hint in hints if hint.path[0].lower() in in_path]),
    )


def layout_of(version: SchemaVersion, options: Options) -> Layout:
    """Return the columns that a stream has with a schema version."""
    version = settled(version, options)
    return layout.of_inferred(version.data, version.partitions, rescued_column(options), options.hidden_metadata)


def rescued_column(options: Options) -> str | None:
    """Return the name of the rescued column of an inferred schema.

    Formats that are always the same have none, a VARIANT has one if it is asked for: for malformed records.
    """
    if options.single_variant_column is not None:
        return options.rescued_data_column
    if format_of(options).fixed_schema() is not None:
        return None
    return options.rescued_data_column or layout.RESCUED


class SchemaStore:
    """The schema versions below a schema location."""

    def __init__(self, location: str) -> None:
        self._directory = f"{filesystem.canonical(location)}/{_DIRECTORY}"

    def latest(self) -> SchemaVersion | None:
        """Return the newest version, or None where there is none.

        Raises
        ------
        StateLost
            Its file is not one that was written here.
        InvalidOption
            The location is a file.
        """
        number = self._latest_number()
        return None if number is None else self._read(number)

    def begin(self, version: SchemaVersion) -> bool:
        """Make ``version`` the first; say whether it was done, which it is not where there is one."""
        return self._put(0, version)

    def evolve(self, change) -> SchemaVersion:
        """Apply a change to the newest version and keep the result, whoever else does the same meanwhile.

        Parameters
        ----------
        change : callable
            Takes a :class:`SchemaVersion` and returns one; where it returns an equal one, nothing is written.
        """
        for _ in range(_ATTEMPTS):
            number = self._latest_number()
            if number is None:
                raise StateLost(f"The schema versions in {self._directory} are gone. Start the stream again.")
            current = self._read(number)
            changed = change(current)
            if changed == current or self._put(number + 1, changed):
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

    def _put(self, number: int, version: SchemaVersion) -> bool:
        try:
            filesystem.write_atomically(f"{self._directory}/{number}", version.to_bytes(), overwrite=False)
        except FileExistsError:
            return False
        except NotADirectoryError as error:
            raise InvalidOption(
                f"cloudFiles.schemaLocation is in a file, not in a directory ({self._directory}). Choose another."
            ) from error
        return True
