"""A small batch is looked at before it is read, mostly by its names alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import types as T

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.layout import Layout
from pyspark_cloudfiles.options import parse
from pyspark_cloudfiles.source.plan import FilePartition, Plan
from pyspark_cloudfiles.source.task import has_known_names

AB = T.StructType([T.StructField("a", T.LongType()), T.StructField("b", T.StringType())])
NESTED = T.StructType([T.StructField("a", T.StructType([T.StructField("x", T.LongType())]))])


def known(
    path: Path, content: str, schema: T.StructType = AB, evolution: str = "addNewColumns", **options: str
) -> bool:
    """Look at a batch of one file."""
    path.write_text(content)
    settings = {"path": f"file:{path.parent}", "cloudfiles.format": path.suffix[1:]} | options
    plan = Plan(parse(settings), Layout(schema), evolution, inferred=True)
    file = SourceFile(f"file:{path}", path.stat().st_size, 0)
    return has_known_names(FilePartition([file], plan.layout, "", 0, 1), plan)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("f.json", '{"a":1}\n{"b":"x","A":2}\n', True),
        ("f.json", '{"a":1}\n{"u":null}\n', False),
        ("f.json", 'nonsense\n{"a":1}\n', True),
        ("f.csv", "b,a\n1,2\n", True),
        ("f.csv", "b,c\n1,2\n", False),
    ],
)
def test_names_tell_whether_there_is_something_new(tmp_path: Path, name: str, content: str, expected: bool) -> None:
    assert known(tmp_path / name, content) is expected


def test_where_more_than_a_name_at_the_top_could_end_the_query_names_say_nothing(tmp_path: Path) -> None:
    line = '{"a":{"x":1}}\n'
    assert not known(tmp_path / "f.json", line, NESTED)
    assert not known(tmp_path / "f.json", '{"a":1}\n', evolution="addNewColumnsWithTypeWidening")
    assert not known(tmp_path / "f.json", '{"a":1}\n', mode="FAILFAST")


def test_of_a_file_that_cannot_be_read_names_say_nothing(tmp_path: Path) -> None:
    assert not known(tmp_path / "f.parquet", "no parquet")
