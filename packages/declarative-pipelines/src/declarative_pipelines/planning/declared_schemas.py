"""Schemas that Python declares as DDL, without what Spark's parser rejects: keys, generated columns and defaults."""

from __future__ import annotations

from dataclasses import replace

from declarative_pipelines.definitions.model import Dataset, Definitions
from declarative_pipelines.errors import BadDefinition
from declarative_pipelines.sql.columns import read_schema
from declarative_pipelines.sql.sql_error import SqlError


def parse_schemas(definitions: Definitions) -> None:
    """Replace each dataset whose schema has keys or computed columns by one whose schema Spark can parse.

    Raises
    ------
    BadDefinition
        Such a schema is no list of columns, or has an expectation in it.
    """
    definitions.datasets[:] = [_parsed(dataset) for dataset in definitions.datasets]


def _parsed(dataset: Dataset) -> Dataset:
    if not isinstance(dataset.schema, str):
        return dataset
    try:
        columns = read_schema(dataset.schema)
    except SqlError as error:
        raise BadDefinition(dataset.location, f"the schema of {dataset.name}: {error.problem}") from None
    if columns.schema == dataset.schema:
        return dataset
    return replace(dataset, schema=columns.schema, computed=columns.computed)
