"""``_metadata`` of ``read_files``: there where a statement names it, and in no ``*``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.sql import names_metadata

if TYPE_CHECKING:
    from conftest import Ingestion


@pytest.fixture
def files(ingestion: Ingestion) -> str:
    """Have a file with two rows; return the call that reads it."""
    ingestion.put("a.json", {"id": 1, "v": "x"}, {"id": 2, "v": "y"})
    return f"read_files('{ingestion.url('in')}', format => 'json', schema => 'id INT, v STRING')"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "columns"),
    [
        ("SELECT *, _metadata FROM FILES", ["id", "v", "_metadata"]),
        ("SELECT *, _metadata.file_name FROM FILES f", ["id", "v", "file_name"]),
        ("SELECT _metadata.file_name AS n, * FROM FILES", ["n", "id", "v"]),
        ("SELECT * EXCEPT (v), `_metadata` FROM FILES", ["id", "_metadata"]),
        ("SELECT f.*, f._metadata.file_name FROM FILES AS F WHERE id > 0", ["id", "v", "file_name"]),
        ("SELECT DISTINCT * FROM FILES WHERE _metadata.file_size > 0", ["id", "v"]),
        ("SELECT * FROM FILES -- with no _metadata", ["id", "v"]),
        ("SELECT * /* _metadata */ FROM FILES WHERE v <> '_metadata'", ["id", "v"]),
        ("SELECT to_json(struct(*)) AS j, count(*) OVER () AS n, _metadata.file_name FROM FILES",
         ["j", "n", "file_name"]),
        ("WITH w AS (SELECT *, _metadata.file_name FROM FILES) SELECT * FROM w", ["id", "v", "file_name"]),
        ("SELECT * FROM (SELECT *, _metadata FROM FILES) WHERE id * 2 > 0", ["id", "v", "_metadata"]),
        ("SELECT a.*, b.id AS other, b._metadata.file_name FROM FILES a JOIN FILES b USING (id)",
         ["id", "v", "other", "file_name"]),
        ("SELECT * FROM FILES a JOIN FILES b ON a.id = b.id AND a._metadata.file_name = b._metadata.file_name",
         ["id", "v", "id", "v"]),
        ("SELECT *, (SELECT max(_metadata.file_size) FROM FILES) > 0 AS m FROM FILES TABLESAMPLE (100 PERCENT)",
         ["id", "v", "m"]),
        ("SELECT * FROM FILES UNION ALL SELECT id, _metadata.file_name FROM FILES", ["id", "v"]),
        ("SELECT count(*) AS n, max(_metadata.file_name) AS f FROM FILES", ["n", "f"]),
    ],
)  # fmt: skip
def test_a_star_does_not_have_it_and_its_name_has(
    ingestion: Ingestion, files: str, statement: str, columns: list[str]
) -> None:
    frame = ingestion.spark.sql(statement.replace("FILES", files))
    assert frame.columns == columns
    rows = frame.collect()
    assert all(row.file_name == "a.json" for row in rows if "file_name" in columns)
    assert all(json.loads(row.j).keys() == {"id", "v"} for row in rows if "j" in columns)


def test_a_table_is_made_of_it(ingestion: Ingestion, files: str) -> None:
    ingestion.spark.sql(f"CREATE TABLE of_files AS SELECT *, _metadata.file_name FROM {files}")
    assert ingestion.spark.table("of_files").columns == ["id", "v", "file_name"]
    ingestion.spark.sql("DROP TABLE of_files")


def test_a_stream_has_it_as_well(ingestion: Ingestion) -> None:
    ingestion.put("a.json", {"id": 1})
    location = f"schemaLocation => '{ingestion.url('checkpoint')}'"
    call = f"STREAM read_files('{ingestion.url('in')}', format => 'json', {location})"
    frame = ingestion.spark.sql(f"SELECT *, _metadata.file_name FROM {call}")
    assert frame.columns == ["id", "_rescued_data", "file_name"]


def test_a_column_of_the_data_is_in_the_star(ingestion: Ingestion) -> None:
    ingestion.put("a.json", {"_metadata": "mine", "id": 1})
    call = f"read_files('{ingestion.url('in')}', format => 'json')"
    [row] = ingestion.spark.sql(f"SELECT *, _metadata AS m FROM {call}").collect()
    assert (row._metadata, row.m) == ("mine", "mine")


def test_a_pipe_is_refused_with_what_to_write(ingestion: Ingestion, files: str) -> None:
    with pytest.raises(InvalidOption, match=r"Write SELECT \.\.\. FROM read_files"):
        ingestion.spark.sql(f"FROM {files} |> SELECT *, _metadata")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select _METADATA.x", True),
        ("select `_metadata`", True),
        ("select my_metadata, _metadata_", False),
        ("select '_metadata' -- _metadata", False),
        ("select \"_metadata\", r'_metadata' /* _metadata */", False),
    ],
)
def test_whether_a_statement_names_it(text: str, expected: bool) -> None:
    assert names_metadata(text) is expected
