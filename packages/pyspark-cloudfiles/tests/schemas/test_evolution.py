"""Evolution: what is added, what stays, and which types may grow."""

from __future__ import annotations

import pytest
from pyspark.sql.types import StructType

from pyspark_cloudfiles.layout import apply_hints, evolve_schema, parse_hints


def schema(columns: str) -> StructType:
    return apply_hints(StructType(), parse_hints(columns)) if columns else StructType()


@pytest.mark.parametrize(
    ("current", "found", "result"),
    [
        ("a INT", "b INT, a STRING", "a INT, b INT"),
        ("b INT, a INT", "a INT, c INT, d INT", "b INT, a INT, c INT, d INT"),
        ("s struct<x: int>", "s struct<y: int, x: string>", "s struct<x: int, y: int>"),
        ("l array<struct<x: int>>", "l array<struct<y: int>>", "l array<struct<x: int, y: int>>"),
        ("m map<string, struct<x: int>>", "m map<string, struct<y: int>>", "m map<string, struct<x: int, y: int>>"),
        ("a INT", "A INT", "a INT"),
        ("a STRING", "a struct<x: int>", "a STRING"),
    ],
)
def test_what_is_new_goes_to_the_end_and_types_stay(current: str, found: str, result: str):
    assert evolve_schema(schema(current), schema(found)) == schema(result)


@pytest.mark.parametrize(
    ("current", "found", "result"),
    [
        ("INT", "BIGINT", "BIGINT"),
        ("BIGINT", "INT", "BIGINT"),
        ("TINYINT", "DOUBLE", "DOUBLE"),
        ("INT", "DOUBLE", "DOUBLE"),
        ("FLOAT", "DOUBLE", "DOUBLE"),
        ("BIGINT", "DOUBLE", "BIGINT"),
        ("INT", "DECIMAL(12,2)", "DECIMAL(12,2)"),
        ("DECIMAL(5,2)", "DECIMAL(6,4)", "DECIMAL(7,4)"),
        ("DECIMAL(38,0)", "DECIMAL(38,20)", "DECIMAL(38,0)"),
        ("INT", "STRING", "INT"),
        ("INT", "DECIMAL(5,2)", "DECIMAL(12,2)"),
        ("TINYINT", "DECIMAL(3,1)", "DECIMAL(11,1)"),
        ("SMALLINT", "DECIMAL(3,1)", "DECIMAL(11,1)"),
        ("BIGINT", "DECIMAL(5,2)", "DECIMAL(22,2)"),
        ("TINYINT", "FLOAT", "TINYINT"),
        ("FLOAT", "DECIMAL(5,2)", "FLOAT"),
        ("DECIMAL(5,2)", "DOUBLE", "DECIMAL(5,2)"),
        ("DATE", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"),
        ("DATE", "TIMESTAMP", "DATE"),
        ("array<int>", "array<bigint>", "array<bigint>"),
        ("map<string, int>", "map<string, bigint>", "map<string, bigint>"),
        ("struct<x: int>", "struct<x: bigint>", "struct<x: bigint>"),
    ],
)
def test_types_grow_only_where_no_value_is_lost(current: str, found: str, result: str):
    assert evolve_schema(schema(f"a {current}"), schema(f"a {found}"), widen="parquet") == schema(f"a {result}")
    if current != result and "<" not in current:
        assert evolve_schema(schema(f"a {current}"), schema(f"a {found}")) == schema(f"a {current}")


def test_dates_become_timestamps_only_in_parquet():
    assert evolve_schema(schema("a DATE"), schema("a TIMESTAMP_NTZ"), widen="avro") == schema("a DATE")
