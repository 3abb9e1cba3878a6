"""Making a new schema version of what a batch brought.

Any task that meets something new does it, for the whole batch, so that one restart is enough whatever the number of
tasks and of new columns.  Several tasks may do it at once: they find the same, and the versions of the store are
written one after the other.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.log.file_log import files_between
from pyspark_cloudfiles.plan import FilePartition, Plan
from pyspark_cloudfiles.reading import infer
from pyspark_cloudfiles.schemas.evolution import evolved
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
    files = files_between(partition.log, partition.start, partition.end)
    found = infer(files, plan.options)
    widen = plan.evolution_mode == "addNewColumnsWithTypeWidening"

    def change(version: SchemaVersion) -> SchemaVersion:
        data = evolved(version.data, found, widen=widen)
        in_path = set(version.partitions.fieldNames())
        return replace(version, data=StructType([field for field in data.fields if field.name not in in_path]))

    if plan.options.schema_location is None:
        return False
    newest = SchemaStore(plan.options.schema_location).evolve(change)
    return newest.data != plan.layout.data


def widened_columns(partition: FilePartition, plan: Plan, path: str) -> TypesWidened:
    """Return the error that ends a query whose types have grown."""
    newest = SchemaStore(plan.options.schema_location).latest().data
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
