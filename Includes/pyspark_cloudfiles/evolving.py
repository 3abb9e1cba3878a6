"""Making a new schema version of what a batch brought.

Any task that meets something new does it, for the whole batch, so that one restart is enough whatever the number of
tasks and of new columns.  Several tasks may do it at once: they find the same, and the versions of the store are
written one after the other.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.inference import infer
from pyspark_cloudfiles.log.file_log import files_between
from pyspark_cloudfiles.plan import FilePartition, Plan
from pyspark_cloudfiles.schemas.evolution import evolved
from pyspark_cloudfiles.schemas.settled import layout_of, settled
from pyspark_cloudfiles.schemas.store import SchemaStore, SchemaVersion


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
    if _knows_more(store.latest(), plan):
        return True  # another task was here
    found = infer(files_between(partition.log, partition.start, partition.end), options)
    widen = plan.evolution_mode == "addNewColumnsWithTypeWidening"
    newest = store.evolve(
        lambda version: settled(replace(version, data=evolved(version.data, found, widen=widen)), options)
    )
    return _knows_more(newest, plan)


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
