"""Schemas that Python declares as DDL, without their keys, which the platform takes and Spark's parser rejects."""

from __future__ import annotations

from dataclasses import replace

from declarative_pipelines.definitions.model import Dataset, Definitions
from declarative_pipelines.errors import BadDefinition
from declarative_pipelines.sql.columns import without_keys
from declarative_pipelines.sql.sql_error import SqlError


def leave_out_keys(definitions: Definitions) -> None:
    """Replace each dataset whose schema has keys by one without them.

    Raises
    ------
    BadDefinition
        A schema with keys is no list of columns, or has an expectation in it.
    """
    definitions.datasets[:] = [_without_keys(dataset) for dataset in definitions.datasets]


def _without_keys(dataset: Dataset) -> Dataset:
    if not isinstance(dataset.schema, str):
        return dataset
    try:
        schema = without_keys(dataset.schema)
    except SqlError as error:
        raise BadDefinition(dataset.location, f"the schema of {dataset.name}: {error.problem}") from None
    return dataset if schema == dataset.schema else replace(dataset, schema=schema)
