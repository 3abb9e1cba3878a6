"""Calls of the SQL functions in statements, temporary views of them, and ``_metadata``, which is in no ``*``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.sql import Call, TemporaryView, calls, temporary_view

if TYPE_CHECKING:
    from conftest import Ingestion


def only(text: str) -> Call:
    [call] = calls(text)
    return call


def test_cloud_files_takes_path_format_and_a_map():
    call = only("""SELECT * FROM cloud_files("/in", 'json', map("cloudFiles.inferColumnTypes", "true", 'a', 1))""")
    assert (call.path, call.format, call.streaming) == ("/in", "json", True)
    assert call.options == {"cloudFiles.inferColumnTypes": "true", "a": "1"}


def test_read_files_takes_options_by_name_and_infers_types():
    call = only("select * from READ_FILES('/in', format => 'csv', header => true, schemaHints => 'id INT')")
    assert (call.path, call.format, call.streaming) == ("/in", "csv", False)
    assert call.options == {
        "cloudFiles.inferColumnTypes": "true", "cloudFiles.useStrictGlobber": "true", "header": "true",
        "cloudFiles.schemaHints": "id INT",
    }  # fmt: skip


@pytest.mark.parametrize(
    "call", ["STREAM read_files('/in')", "STREAM(read_files('/in'))", "stream ( read_files('/in') )"]
)
def test_a_stream_around_it_makes_it_one_and_belongs_to_the_call(call: str):
    text = f"SELECT * FROM {call} WHERE x"
    found = only(text)
    assert found.streaming
    assert text[found.start : found.end] == call


def test_several_calls_keep_their_places():
    text = "SELECT * FROM read_files('/a') UNION ALL SELECT * FROM read_files('/b', x => ')')"
    assert [text[call.start : call.end] for call in calls(text)] == ["read_files('/a')", "read_files('/b', x => ')')"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 'read_files(1)'",
        'SELECT "cloud_files(1)"',
        "SELECT 1 -- read_files('x')",
        "SELECT /* cloud_files('x') */ 1",
        "SELECT `read_files(1)`",
        "SELECT my_read_files('x'), a.read_files('x')",
        "SELECT * FROM cloud_files_state('x')",
    ],
)
def test_what_is_no_call_is_left_alone(text: str):
    assert list(calls(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_files('/a'",
        "SELECT * FROM read_files()",
        "SELECT * FROM read_files('/a', 'json')",
        "SELECT * FROM read_files(concat('a', 'b'))",
        "SELECT * FROM cloud_files('/a')",
        "SELECT * FROM cloud_files('/a', 'json', map('x'))",
        "SELECT * FROM cloud_files('/a', 'json', 'x')",
        "SELECT * FROM STREAM(read_files('/a')",
    ],
)
def test_a_call_that_is_not_understood_is_an_error_of_ours(text: str):
    with pytest.raises(InvalidOption):
        list(calls(text))


def test_quotes_in_strings_are_read_as_sql_does():
    assert only(r"select * from read_files('/it''s', format => 'j\'son')").path == "/it's"


@pytest.mark.parametrize(
    ("written", "meant"), [(r"'\t'", "\t"), (r"'\u0041'", "A"), (r"r'\t'", r"\t"), (r"'a\'b'", "a'b"), (r"'\\'", "\\")]
)
def test_escapes_in_strings_are_read_as_sql_does(written: str, meant: str):
    assert only(f"select * from read_files('/in', sep => {written})").options["sep"] == meant


def test_comments_and_case_inside_a_call_do_not_matter():
    call = only("select * from read_files('/in', /* the, schema */ SCHEMA => 'id INT' -- of all\n)")
    assert call.options == {"schema": "id INT"}


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        ("CREATE TEMP VIEW v AS", TemporaryView("v", 0)),
        ("create or replace temporary view `a ``b` as", TemporaryView("a `b", 0, replaces=True)),
        ("/* new */ CREATE GLOBAL TEMP VIEW v -- of files\n AS", TemporaryView("v", 0, everywhere=True)),
    ],
)
def test_a_view_is_told_from_its_query(begin: str, expected: TemporaryView):
    found = temporary_view(f"{begin} SELECT 1")
    assert found is not None
    assert (found.name, found.replaces, found.everywhere) == (expected.name, expected.replaces, expected.everywhere)
    assert found.start == len(begin)


@pytest.mark.parametrize("text", ["SELECT 1", "CREATE TABLE t AS SELECT 1", "CREATE VIEW v AS SELECT 1", "createx"])
def test_other_statements_make_none(text: str):
    assert temporary_view(text) is None


@pytest.mark.parametrize(
    "text",
    ["CREATE TEMP VIEW v (a, b) AS SELECT 1", "CREATE TEMP VIEW IF NOT EXISTS v AS SELECT 1", "CACHE TABLE t AS"],
)
def test_what_would_keep_its_text_is_refused(text: str):
    with pytest.raises(InvalidOption, match="CREATE OR REPLACE TEMP VIEW name AS"):
        temporary_view(text)


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
