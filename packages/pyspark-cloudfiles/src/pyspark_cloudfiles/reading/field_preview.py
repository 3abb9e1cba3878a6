"""A look at the field names of a small batch before its tasks read it.

What ends a query is better found by the process that plans: every sink shows its errors as they are, instead of
wrapping them.  Names alone tell of nearly all batches that there is nothing new in them, at a fraction of what reading
costs.
"""

from __future__ import annotations

from pyspark.sql.types import ArrayType, MapType, StructType

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.formats import format_of
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.planning.plan import FilePartition, Plan

# Of these, names are found without reading values.
_FORMATS = {"json", "csv", "parquet", "orc", "avro"}
_NESTED = (StructType, ArrayType, MapType)


def is_plainly_known(partition: FilePartition, plan: Plan) -> bool:
    """Tell whether no file of a batch has a column that the schema does not have; False says nothing.

    Parameters
    ----------
    partition : FilePartition
        All files of the batch.
    """
    request = plan.request(partition.layout)
    if not _is_decided_by_names(plan, request):
        return False
    known = {name.lower() for name in request.schema.names}
    # Fields that are always NULL are fields as well here.
    options = {key: value for key, value in request.options.items() if key != "dropfieldifallnull"}
    asked = InferRequest(case_sensitive=True, options=options, timezone=request.timezone, hinted=frozenset(known))
    try:
        found = format_of(plan.options).infer(partition.files, asked)
    except CloudFilesError:
        return False  # for the reading to say, with all that the options make of it
    return all(name.lower() in known for name in found.names)


def _is_decided_by_names(plan: Plan, request: ReadRequest) -> bool:
    """Tell whether new names at the top are all that could end the query."""
    if plan.options.format.lower() not in _FORMATS or request.mode == "FAILFAST":
        return False
    if plan.evolution_mode == "addNewColumnsWithTypeWidening":
        return False
    return not any(isinstance(field.dataType, _NESTED) for field in request.schema.fields)
