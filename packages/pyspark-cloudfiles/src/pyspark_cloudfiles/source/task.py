"""The task that reads a partition's files into Arrow batches with all columns of the stream.

The rows come from the format; partition columns, rescued data and the files' metadata are added here.  A file that
cannot be read ends the task, or is skipped if the options say so.  New columns in the data become a schema version, and
then end the task as well: the same program, started again, replays this batch with it.

Any task that meets something new infers it for the whole batch, so that one restart is enough whatever the number of
tasks and of new columns.  The other tasks wait for it and read its result.  On stores without locks, several tasks find
the same, and the versions are written one after the other.
"""

from __future__ import annotations

import json
import re
import uuid
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from urllib.parse import quote

import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.columns import longs, texts
from pyspark_cloudfiles.errors import CloudFilesError, MissingFile, StateInUse, UnknownFields, UnreadableFile
from pyspark_cloudfiles.file_log import files_between
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, Rows
from pyspark_cloudfiles.layout import METADATA, Layout, evolve_schema
from pyspark_cloudfiles.options import Options
from pyspark_cloudfiles.paths import convert_partition, partition_values
from pyspark_cloudfiles.source.plan import FilePartition, Plan
from pyspark_cloudfiles.versions import SchemaStore, SchemaVersion, apply_options, infer, version_layout

# The file, beside the log, with the digest of the last batch that had nothing new.
_CHECKED = "looked"
_LOCK_TIMEOUT = 600.0


class TypesWidened(CloudFilesError, condition="UNKNOWN_FIELD_EXCEPTION.NEW_TYPES_IN_FILE"):
    """Values did not fit the types of their columns, which are wider from now on."""


def evolve(partition: FilePartition, plan: Plan) -> bool:
    """Add the new columns of a partition's batch to the schema; whether the newest version differs from the plan's."""
    options = plan.options
    if options.schema_location is None:
        return False
    store = SchemaStore(options.schema_location)
    checked = f"{partition.log or filesystem.canonical(options.schema_location)}/{_CHECKED}"
    if _is_newer(store.latest(), plan):
        return True  # another task has added them
    with ExitStack() as locked:
        with suppress(StateInUse):  # after the timeout this task infers as well
            locked.enter_context(filesystem.lock(checked, _LOCK_TIMEOUT))
        if _is_newer(store.latest(), plan):
            return True  # another task has added them while this one waited
        batch = (partition.log, partition.start, partition.end, plan.layout.data.json(), options)
        digest = sha256(repr(batch).encode()).hexdigest().encode()
        with suppress(FileNotFoundError):
            if filesystem.read_bytes(checked) == digest:
                return False
        found = infer(files_between(partition.log, partition.start, partition.end), options)
        widen = options.format.lower() if plan.evolution_mode == "addNewColumnsWithTypeWidening" else None
        newest = store.evolve(
            lambda version: apply_options(
                replace(version, data=evolve_schema(version.data, found, widen=widen)), options
            )
        )
        if _is_newer(newest, plan):
            return True
        filesystem.write_atomically(checked, digest)
        return False


def _is_newer(version: SchemaVersion | None, plan: Plan) -> bool:
    return version is not None and version_layout(version, plan.options).data != plan.layout.data


def widened_types_error(plan: Plan, path: str) -> TypesWidened:
    newest = version_layout(SchemaStore(plan.options.schema_location).latest(), plan.options).data
    current = {field.name: field.dataType for field in plan.layout.data.fields}
    changes = [
        f"{field.name} from {current[field.name].simpleString()} to {field.dataType.simpleString()}"
        for field in newest.fields
        if field.name in current and current[field.name] != field.dataType
    ]
    return TypesWidened(
        f"Encountered values that need wider types during parsing: {', '.join(changes)}, which can be fixed by an "
        f"automatic retry: true\nFile: {path}"
    )


# Formats whose column names are found without reading values.
_FORMATS_WITH_NAMES = {"json", "csv", "parquet", "orc", "avro"}
# Bad records in memory, in characters, until they are written.
_BAD_RECORDS_LIMIT = 8 * 1024 * 1024
# Java's `URI` escapes these in a path: ASCII that it does not allow, and control and space characters of any script.
_ESCAPED = re.compile(r"""[\x00-\x20"#%<>?\[\\\]^`{|}\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]""")


def read_partition(partition: FilePartition, plan: Plan) -> Iterator[pa.RecordBatch]:
    """Read a partition's files; new columns become a schema version, if the mode allows, and raise UnknownFields."""
    target = to_arrow_schema(partition.layout.schema, timezone="UTC")
    reading = _Reading(partition, plan)
    for rows in reading.rows():
        yield assemble(rows, partition.layout, target, plan.options)
    reading.write_bad_records()


class _Reading:
    """The reading of one partition: all its files together, which is fast; after the first failure one by one."""

    def __init__(self, partition: FilePartition, plan: Plan) -> None:
        self._partition, self._plan = partition, plan
        self._format, self._request = plan.file_format, plan.request(partition.layout)
        self._yielded: Counter[SourceFile] = Counter()
        self._bad: BadRecords | None = None
        if plan.bad_records is not None:
            self._bad = BadRecords(plan.bad_records)
            self._request = replace(self._request, bad_records=self._bad.record)
        self._may_widen = plan.evolution_mode == "addNewColumnsWithTypeWidening"

    def rows(self) -> Iterator[Rows]:
        files = self._partition.files
        if self._plan.options.allow_overwrites:
            # Files that were overwritten since are, or will be, in the log again as they are now.
            files = [file for file in files if not _is_overwritten(file)]
        try:
            for rows in self._format.read(files, self._request):
                yield self._check_types(rows)
                for file, count in rows.counts:
                    self._yielded[file] += count
            return
        except UnknownFields as error:
            self._evolve_or_raise(error)
        except (MissingFile, UnreadableFile) as error:
            self._skip_or_raise(error)
        except OSError:
            if self._plan.options.bad_records_path is None:
                raise
        for file in files:
            yield from self._remaining_rows(file)

    def write_bad_records(self) -> None:
        """Write the skipped records, last, because after an error they may be read again."""
        if self._bad is not None:
            self._bad.write()

    def _remaining_rows(self, file: SourceFile) -> Iterator[Rows]:
        """Read one file, without the rows that were yielded already."""
        while True:
            skip = self._yielded[file]
            if self._bad is not None:
                self._bad.forget(file.url)
            try:
                for rows in self._format.read([file], self._request):
                    count = rows.batch.num_rows
                    skipped, skip = min(skip, count), max(0, skip - count)
                    if skipped < count:
                        rescued = None if rows.rescued is None else rows.rescued.slice(skipped)
                        yield self._check_types(Rows(rows.batch.slice(skipped), [(file, count - skipped)], rescued))
                        self._yielded[file] += count - skipped
                return
            except UnknownFields as error:
                self._evolve_or_raise(error)  # and read it again, by the request that this leaves
            except (MissingFile, UnreadableFile, OSError) as error:
                self._skip_or_raise(error)
                if self._bad is not None:
                    self._bad.file(file.url, str(error))
                return

    def _skip_or_raise(self, error: MissingFile | UnreadableFile | OSError) -> None:
        options = self._plan.options
        if options.bad_records_path is not None:
            return
        if isinstance(error, OSError):
            raise error
        if not (options.ignore_missing_files if isinstance(error, MissingFile) else options.ignore_corrupt_files):
            raise error

    def _evolve_or_raise(self, error: UnknownFields) -> None:
        """Add the new columns to the schema and end the task; return only if no column could be added."""
        if not self._plan.inferred or self._plan.evolution_mode == "failOnNewColumns":
            raise UnknownFields(error.path, error.record, error.columns, retry=False) from None
        if evolve(self._partition, self._plan):
            raise error
        self._request = replace(self._request, on_unknown="rescue" if self._request.rescue else "ignore")

    def _check_types(self, rows: Rows) -> Rows:
        """Return rows; if types may grow, check once whether the rescued values fit wider ones."""
        if rows.rescued is None or not self._may_widen:
            return rows
        self._may_widen = False
        if evolve(self._partition, self._plan):
            raise widened_types_error(self._plan, rows.counts[0][0].url)
        return rows


def _is_overwritten(file: SourceFile) -> bool:
    try:
        return filesystem.file_status(file.url) != (file.size, file.modified)
    except FileNotFoundError:
        return False  # an error of the reader


def has_known_names(partition: FilePartition, plan: Plan) -> bool:
    """Whether no file of a whole batch has a column that the schema does not have; False is not a definite answer.

    Errors that end a query are better raised by the process that plans: every sink shows them as they are, instead of
    wrapping them.  Names alone prove for nearly all batches that there is nothing new, at a fraction of the cost.
    """
    request, options = plan.request(partition.layout), plan.options
    if options.format.lower() not in _FORMATS_WITH_NAMES or request.mode == "FAILFAST":
        return False
    is_nested = any(isinstance(field.dataType, T.StructType | T.ArrayType | T.MapType) for field in request.schema)
    if is_nested or plan.evolution_mode == "addNewColumnsWithTypeWidening":
        return False
    known = {name.lower() for name in request.schema.names}
    # Here fields that are always NULL are fields as well.
    format_options = {key: value for key, value in request.options.items() if key != "dropfieldifallnull"}
    names = InferRequest(
        case_sensitive=True, options=format_options, timezone=request.timezone, hinted=frozenset(known)
    )
    try:
        found = plan.file_format.infer(partition.files, names)
    except CloudFilesError:
        return False  # the reading raises it, if the options say so
    return all(name.lower() in known for name in found.names)


def assemble(rows: Rows, layout: Layout, target: pa.Schema, options: Options) -> pa.RecordBatch:
    from_data = dict(zip(rows.batch.schema.names, rows.batch.columns, strict=True))
    columns, per_file = [], _FileColumns(rows)
    for field, expected in zip(layout.schema.fields, target, strict=True):
        if field.name in from_data and field.name not in layout.partitions:
            columns.append(from_data[field.name])
        elif field.name == layout.rescued:
            columns.append(pa.nulls(rows.batch.num_rows, expected.type) if rows.rescued is None else rows.rescued)
        elif field.name == METADATA and layout.metadata:
            columns.append(per_file.metadata(expected.type))
        else:
            columns.append(per_file.partition_column(field, expected.type, options))
    return pa.RecordBatch.from_arrays(columns, schema=target)


class _FileColumns:
    """Columns that have the same value for all rows of a file."""

    def __init__(self, rows: Rows) -> None:
        self._files = [file for file, _ in rows.counts]
        self._counts = [count for _, count in rows.counts]

    @cached_property
    def _places(self) -> pa.Array:
        """The file of each row; built without a Python object for each row."""
        places = array("q")
        for place, count in enumerate(self._counts):
            places.extend(array("q", [place]) * count)
        return longs(places)

    def partition_column(self, field: T.StructField, arrow: pa.DataType, options: Options) -> pa.Array:
        def value(file: SourceFile) -> object:
            values = {name.lower(): text for name, text in partition_values(options.path, file.url).items()}
            try:
                return convert_partition(values.get(field.name.lower()), field.dataType, options.timezone)
            except ValueError:
                return None  # like any other value that does not fit

        return pa.array([value(file) for file in self._files], type=arrow).take(self._places)

    def metadata(self, arrow: pa.StructType) -> pa.Array:
        """Return the column ``_metadata``.

        PySpark refuses encodings that would make a repeated value small, dictionaries and runs, because it compares the
        types of batches with those of plain columns.  So the bytes of a path are copied for each row, a hundred if it
        is long, and queries that do not use the column are read without (:mod:`.classic`).
        """
        values: dict[str, Callable[[SourceFile], object]] = {
            "file_path": lambda file: uri(file.url),
            "file_name": lambda file: uri(file.name),
            "file_size": lambda file: file.size,
            "file_block_start": lambda file: file.start,
            "file_block_length": lambda file: file.end - file.start,
            # Spark has milliseconds here.
            "file_modification_time": lambda file: file.modified // 1000 * 1000,
        }
        children = []
        for field in arrow:
            found = [values[field.name](file) for file in self._files]
            made = texts(found) if pa.types.is_string(field.type) else longs(found).cast(field.type)
            children.append(made.take(self._places))
        return pa.StructArray.from_arrays(children, fields=list(arrow))


def uri(url: str) -> str:
    return _ESCAPED.sub(lambda match: quote(match[0], safe=""), url)


class BadRecords:
    """The bad records and files of a task, written below ``badRecordsPath``.

    They are lines of JSON below ``<badRecordsPath>/<time of the start>/``, in files of ``bad_records``, with ``path``,
    ``record`` and ``reason``, and of ``bad_files``, with ``path`` and ``reason``.  As on Databricks this is not
    transactional: a retried task writes them again, and a file that could not be opened for a moment is bad.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._records: dict[str, list[str]] = {}
        self._files: dict[str, str] = {}
        self._size = 0

    def record(self, path: str, text: str, reason: str) -> None:
        line = json.dumps({"path": path, "record": text, "reason": reason}, ensure_ascii=False)
        self._records.setdefault(path, []).append(line)
        self._size += len(line)
        if self._size > _BAD_RECORDS_LIMIT:
            self.write()

    def file(self, path: str, reason: str) -> None:
        self.forget(path)
        self._files[path] = json.dumps({"path": path, "reason": reason}, ensure_ascii=False)

    def forget(self, path: str) -> None:
        self._records.pop(path, None)

    def write(self) -> None:
        records = [line for lines in self._records.values() for line in lines]
        for kind, lines in (("bad_records", records), ("bad_files", self._files.values())):
            if lines:
                data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
                filesystem.write_atomically(f"{self._directory}/{kind}/part-{uuid.uuid4()}", data)
        self._records, self._files, self._size = {}, {}, 0
