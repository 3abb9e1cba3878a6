"""A new schema version, made from what a batch contains.

Any task that meets something new does it, for the whole batch, so that one restart is enough whatever the number of
tasks and of new columns.  The others wait for it and learn what it has found.  Where locks do nothing, several find the
same, and the versions of the store are written one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from hashlib import sha256

from pyspark_cloudfiles.errors import CloudFilesError, StateInUse
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.log.file_log import files_between
from pyspark_cloudfiles.planning.plan import FilePartition, Plan
from pyspark_cloudfiles.schemas.layout import evolved
from pyspark_cloudfiles.schemas.versions import SchemaStore, SchemaVersion, infer, layout_of, settled

# What a batch in which there was nothing new is remembered by, beside the list of its files.
_NOTES = "looked"
_PATIENCE = 600.0


class TypesWidened(CloudFilesError):
    """Values did not fit the types of their columns, which are wider from now on: start the same program again."""

    condition = "UNKNOWN_FIELD_EXCEPTION.NEW_TYPES_IN_FILE"


def evolve(partition: FilePartition, plan: Plan) -> bool:
    """Add what the batch of ``partition`` has besides to the schema versions.

    Returns
    -------
    bool
        Whether the newest version has something that the running query does not.
    """
    options = plan.options
    if options.schema_location is None:
        return False
    store = SchemaStore(options.schema_location)
    notes = f"{partition.log or filesystem.canonical(options.schema_location)}/{_NOTES}"
    if _knows_more(store.latest(), plan):
        return True  # another task was here
    with _alone(notes):
        if _knows_more(store.latest(), plan):
            return True  # another was here while this one waited
        batch = _digest(partition, plan)
        if _found_nothing(notes) == batch:
            return False
        found = infer(files_between(partition.log, partition.start, partition.end), options)
        widen = options.format.lower() if plan.evolution_mode == "addNewColumnsWithTypeWidening" else None
        newest = store.evolve(
            lambda version: settled(replace(version, data=evolved(version.data, found, widen=widen)), options)
        )
        if _knows_more(newest, plan):
            return True
        filesystem.write_atomically(notes, batch)
        return False


@contextmanager
def _alone(notes: str) -> Iterator[None]:
    """Wait for the other tasks to check their batch, until the deadline."""
    with ExitStack() as held:
        with suppress(StateInUse):
            held.enter_context(filesystem.lock(notes, _PATIENCE))
        yield


def _found_nothing(notes: str) -> bytes | None:
    """Return the batch in which nothing new was found last."""
    try:
        return filesystem.read_bytes(notes)
    except FileNotFoundError:
        return None


def _digest(partition: FilePartition, plan: Plan) -> bytes:
    """Return what tells a batch, and what is asked of it, from all others."""
    asked = (partition.log, partition.start, partition.end, plan.layout.data.json(), plan.options)
    return sha256(repr(asked).encode()).hexdigest().encode()


def _knows_more(version: SchemaVersion | None, plan: Plan) -> bool:
    return version is not None and layout_of(version, plan.options).data != plan.layout.data


def widened_columns(plan: Plan, path: str) -> TypesWidened:
    """Return the error that ends a query whose types have grown."""
    newest = layout_of(SchemaStore(plan.options.schema_location).latest(), plan.options).data
    now = {field.name: field.dataType for field in plan.layout.data.fields}
    changes = [
        f"{field.name} from {now[field.name].simpleString()} to {field.dataType.simpleString()}"
        for field in newest.fields
        if field.name in now and now[field.name] != field.dataType
    ]
    return TypesWidened(
        f"Encountered values that need wider types during parsing: {', '.join(changes)}, which can be fixed by an "
        f"automatic retry: true\nFile: {path}"
    )
