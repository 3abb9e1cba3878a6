"""Keys and computed columns are left out of a schema that Python declares."""

from __future__ import annotations

import pytest

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Definitions, SourceLocation
from declarative_pipelines.errors import BadDefinition
from declarative_pipelines.planning.plan import parse_schemas


def declared(schema: str) -> Definitions:
    place = SourceLocation("pipeline.py", 3)
    return Definitions([Dataset("orders", DatasetKind.STREAMING_TABLE, place, schema=schema)])


@pytest.mark.parametrize(
    ("schema", "left"),
    [
        ("id INT NOT NULL PRIMARY KEY, v INT, CONSTRAINT fk FOREIGN KEY (v) REFERENCES u", "id INT NOT NULL, v INT"),
        ("id INT  NOT NULL", "id INT  NOT NULL"),
    ],
)
def test_keys_are_left_out_and_other_schemas_stay_as_they_are(schema: str, left: str) -> None:
    definitions = declared(schema)
    parse_schemas(definitions)
    assert [dataset.schema for dataset in definitions.datasets] == [left]


@pytest.mark.parametrize(
    ("schema", "words"),
    [("a INT, CONSTRAINT c EXPECT (a > 0)", "write @dlt.expect"), ("a INT PRIMARY KEY, b", "b needs a type")],
)
def test_what_is_no_list_of_columns_is_refused_where_the_dataset_stands(schema: str, words: str) -> None:
    with pytest.raises(BadDefinition, match=f"pipeline.py, line 3: the schema of orders: .*{words}"):
        parse_schemas(declared(schema))
