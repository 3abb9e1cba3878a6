from __future__ import annotations

import pytest
from pyspark.sql import types as T

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.engine import FastColumns
from pyspark_cloudfiles.formats.json_columns import JsonParser
from pyspark_cloudfiles.formats.lines import Block


def columns_of(lines: list[str], data_type: T.DataType, **request: str) -> FastColumns:
    schema = T.StructType([T.StructField("a", data_type)])
    block = Block([(SourceFile("file:/f", 1, 0), len(lines))], "".join(f"{line}\n" for line in lines).encode())
    found = JsonParser(ReadRequest(schema, **request)).columns(block)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "odd", ['{"a":1.5}', '{"a":"x"}', "null", "", '{"a":1}{"a":2}', '{"a":NaN}', '{"u":1}', "\udcff"]
)
def test_one_odd_line_leaves_the_others_to_the_fast_path(odd: str) -> None:
    lines = [f'{{"a":{number}}}' for number in range(100)] + [odd.encode("utf-8", "replace").decode(), '{"a":7}']
    found = columns_of(lines, T.LongType(), on_unknown="error")
    assert found.refused == [100]
    assert found.columns[0].to_pylist() == [*range(100), 7]


def test_a_text_that_does_not_fit_its_type_makes_one_odd_line() -> None:
    found = columns_of(['{"a":["2024-01-01"]}', '{"a":[]}', '{"a":["x"]}'], T.ArrayType(T.DateType()))
    assert found.refused == [2]
    assert len(found.columns[0]) == 2


# These two depend on how msgspec words its errors.
def test_an_unknown_field_becomes_one_more_column() -> None:
    found = columns_of(['{"a":1}', '{"a":2,"u v":{"x": 1}}'], T.LongType())
    assert found.refused == []
    assert [member.to_pylist() for member in found.members] == [[None, '"u v":{"x": 1}']]


def test_a_string_takes_the_source_of_other_values() -> None:
    lines = ['{"a":"x"}'] * 200 + ['{"a":1.50}']
    found = columns_of(lines, T.StringType())
    assert found.refused == []
    assert found.columns[0][-1].as_py() == "1.50"
