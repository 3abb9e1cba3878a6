"""The columns of a stream: hints, and what a new version of a schema adds."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as T
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.layout import apply_hints, evolve_schema, parse_hints


def hinted(schema: str | T.StructType, hints: str) -> T.StructType:
    base = schema if isinstance(schema, T.StructType) else T.StructType([T.StructField(schema, T.StringType())])
    return apply_hints(base, parse_hints(hints))


def test_a_hint_replaces_the_type_and_keeps_the_place():
    schema = T.StructType([T.StructField("a", T.StringType()), T.StructField("b", T.StringType())])
    assert hinted(schema, "a INT").simpleString() == "struct<a:int,b:string>"


def test_a_hinted_column_that_is_not_there_is_appended():
    assert hinted("a", "b DATE").simpleString() == "struct<a:string,b:date>"


def test_names_match_without_their_case_and_keep_the_spelling_found():
    assert hinted("Id", "id BIGINT").simpleString() == "struct<Id:bigint>"


def test_a_path_goes_into_structs_arrays_and_maps():
    schema = T.StructType(
        [
            T.StructField("user", T.StructType([T.StructField("name", T.StringType())])),
            T.StructField("users", T.ArrayType(T.StructType([T.StructField("id", T.StringType())]))),
            T.StructField("m", T.MapType(T.StringType(), T.StringType())),
        ]
    )
    result = hinted(schema, "user.dob DATE, users.element.id INT, m.value INT")
    assert result["user"].dataType == T.StructType(
        [T.StructField("name", T.StringType()), T.StructField("dob", T.DateType())]
    )
    assert result["users"].dataType == T.ArrayType(T.StructType([T.StructField("id", T.IntegerType())]))
    assert result["m"].dataType == T.MapType(T.StringType(), T.IntegerType())


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("x decimal(10, 2)", T.DecimalType(10, 2)),
        ("x DECIMAL", T.DecimalType(10, 0)),
        ("x array<map<string, array<bigint>>>", T.ArrayType(T.MapType(T.StringType(), T.ArrayType(T.LongType())))),
        ("x struct<a: int, b c_>", None),
        ("x varchar(10)", T.StringType()),
        ("x INT NOT NULL", T.IntegerType()),
        (
            "x struct<`a b`: int, c date>",
            T.StructType([T.StructField("a b", T.IntegerType()), T.StructField("c", T.DateType())]),
        ),
    ],
)
def test_types(text: str, data_type):
    if data_type is None:
        with pytest.raises(InvalidOption, match="is not a type"):
            parse_hints(text)
    else:
        assert parse_hints(text)[0].data_type == data_type


def test_quoted_names_may_have_anything_in_them():
    assert parse_hints("`a.b``c` INT")[0].path == ("a.b`c",)


@pytest.mark.parametrize("text", ["", "a", "a INT,", "a INT b", "a array<int", "a decimal(40)", "a int; drop", "1"])
def test_what_is_no_hint_is_refused_with_the_text(text: str):
    with pytest.raises(InvalidOption, match="schemaHints"):
        parse_hints(text)


@given(st.text(alphabet="ab ,.<>()`:intstruc19", max_size=40))
def test_any_text_is_parsed_or_refused(text: str):
    with contextlib.suppress(InvalidOption):
        assert parse_hints(text)


def test_a_path_makes_arrays_and_maps_where_only_text_was_seen():
    assert hinted("users", "users.element.id INT").simpleString() == "struct<users:array<struct<id:int>>>"
    assert hinted("m", "m.value INT").simpleString() == "struct<m:map<string,int>>"


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
