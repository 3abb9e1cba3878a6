"""Calls of the SQL functions, found in statements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.sql import Call, calls


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


@given(st.text(alphabet="read_files(cloud)'\"`-/* =>,\n\\", max_size=60))
def test_any_text_is_searched(text: str):
    try:
        for call in calls(text):
            assert 0 <= call.start < call.end <= len(text)
    except InvalidOption:
        return


@pytest.mark.parametrize(
    ("written", "meant"), [(r"'\t'", "\t"), (r"'\u0041'", "A"), (r"r'\t'", r"\t"), (r"'a\'b'", "a'b"), (r"'\\'", "\\")]
)
def test_escapes_in_strings_are_read_as_sql_does(written: str, meant: str):
    assert only(f"select * from read_files('/in', sep => {written})").options["sep"] == meant


def test_comments_and_case_inside_a_call_do_not_matter():
    call = only("select * from read_files('/in', /* the, schema */ SCHEMA => 'id INT' -- of all\n)")
    assert call.options == {"schema": "id INT"}
