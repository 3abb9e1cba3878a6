"""A new schema version, inferred from a batch.

Any task that meets something new infers it for the whole batch, so that one restart is enough whatever the number of
tasks and of new columns.  The other tasks wait for it and read its result.  On stores without locks, several tasks find
the same, and the versions are written one after the other.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from hashlib import sha256

from pyspark_cloudfiles.errors import CloudFilesError, StateInUse
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.log.file_log import files_between
from pyspark_cloudfiles.schemas.layout import evolve_schema
from pyspark_cloudfiles.schemas.versions import SchemaStore, SchemaVersion, apply_options, infer, version_layout
from pyspark_cloudfiles.source.plan import FilePartition, Plan

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
