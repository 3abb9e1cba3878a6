from __future__ import annotations

import pytest

from streaming_base.errors import BadSql
from streaming_base.sql_statements import fill_markers, split


def texts(text: str) -> list[str]:
    return [statement.text for statement in split(text)]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;\nSELECT 2;\n", ["SELECT 1", "SELECT 2"]),
        ("SELECT 'a;b'; SELECT \"c;d\"", ["SELECT 'a;b'", 'SELECT "c;d"']),
        ("SELECT ';'; SELECT 2", ["SELECT ';'", "SELECT 2"]),
        ("SELECT `a;b`; SELECT `;`", ["SELECT `a;b`", "SELECT `;`"]),
        (r"SELECT 'it\'s; one'; SELECT 2", [r"SELECT 'it\'s; one'", "SELECT 2"]),
        (r"SELECT r'\'; SELECT 2", [r"SELECT r'\'", "SELECT 2"]),
        ("SELECT 'it''s; one'; SELECT 2", ["SELECT 'it''s; one'", "SELECT 2"]),
        ("/* a; b */ SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]),
        ("/* a /* nested; */ b; */ SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]),
        ("SELECT /*+ BROADCAST(a;b) */ 1; SELECT 2", ["SELECT /*+ BROADCAST(a;b) */ 1", "SELECT 2"]),
        ("SELECT 1 -- it's; one\n; SELECT 2", ["SELECT 1", "SELECT 2"]),
        ("SELECT 1 -- it's; one\n + 1; SELECT 2", ["SELECT 1 -- it's; one\n + 1", "SELECT 2"]),
        ("SELECT 1;;; SELECT 2", ["SELECT 1", "SELECT 2"]),
        ("SELECT CASE WHEN true THEN 1 END; SELECT 2", ["SELECT CASE WHEN true THEN 1 END", "SELECT 2"]),
        ("CREATE VIEW v AS SELECT begin; SELECT end", ["CREATE VIEW v AS SELECT begin", "SELECT end"]),
        ("EXPLAIN SELECT 'a;b'; SHOW TABLES; SELECT 2", ["EXPLAIN SELECT 'a;b'", "SHOW TABLES", "SELECT 2"]),
        ("SELECT '${a;b}'; SELECT ${x.y}", ["SELECT '${a;b}'", "SELECT ${x.y}"]),
        ("SELECT 1;\n-- the end", ["SELECT 1"]),
        ("-- nothing but a comment", []),
        (";", []),
        (" \n", []),
    ],
)
def test_statements_end_at_semicolons_outside_of_strings_names_and_comments(text: str, statements: list[str]) -> None:
    assert texts(text) == statements


SCRIPTS = [
    "BEGIN DECLARE x INT; SET x = 1; SELECT x; END",
    "BEGIN SELECT window.start, window.end FROM t; SELECT 2; END",
    "BEGIN SELECT max(time) AS end, min(time) AS begin FROM t; SELECT CASE WHEN t.end > 1 THEN 1 END; END",
    "BEGIN SELECT end FROM t; SELECT t.case, t.begin FROM t; BEGIN END; END",
    "BEGIN IF a THEN SELECT 1; ELSE SELECT CASE WHEN b THEN 1 END; END IF; SELECT 2; END",
    "BEGIN WHILE x < 3 DO SET x = x + 1; END WHILE; BEGIN SELECT ';END'; END; END",
    "BEGIN CASE x WHEN 1 THEN SELECT 1; END CASE; SELECT `END`; END",
    "outer_one: BEGIN LOOP LEAVE outer_one; END LOOP; REPEAT SELECT 1; UNTIL true END REPEAT; END outer_one",
    "begin for r as select 1 do select 2; end for; end",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_block_of_sql_scripting_is_one_statement(script: str) -> None:
    assert texts(f"SELECT 0; {script}; SELECT 3;") == ["SELECT 0", script, "SELECT 3"]


def test_each_statement_knows_where_it_begins() -> None:
    found = split("\n-- a\nSELECT 1;  SELECT 2;\n\n  SELECT\n3")
    assert [(s.text, s.line, s.column) for s in found] == [("SELECT 1", 3, 0), ("SELECT 2", 3, 11), ("SELECT\n3", 5, 2)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT 1;\nSELECT 'abc\nd", "Line 2: what begins with ' never ends: 'abc"),
        ("SELECT 1;\n\nSELECT \"it's", 'Line 3: what begins with " never ends: "it\'s'),
        ("SELECT `a;", "Line 1: what begins with ` never ends: `a;"),
        ("SELECT 'a' /* b 'c'", "Line 1: what begins with /* never ends: /* b 'c'"),
    ],
)
def test_what_never_ends_is_shown_where_it_begins(text: str, says: str) -> None:
    with pytest.raises(BadSql) as caught:
        split(text)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("SELECT :a", "SELECT 'x'"),
        ("SELECT f(:a,:b) WHERE c=:a", "SELECT f('x','y') WHERE c='x'"),
        ("SELECT ':a', `:a`, :unknown -- :a", "SELECT ':a', `:a`, :unknown -- :a"),
        ("SELECT v:a, v::a, m['k']:a, : a", "SELECT v:a, v::a, m['k']:a, : a"),
        (":a\n:b", "'x'\n'y'"),
    ],
)
def test_a_parameter_marker_is_replaced_where_it_is_one(text: str, filled: str) -> None:
    assert fill_markers(text, {"a": "'x'", "b": "'y'"}) == filled
