"""What is rewritten in a statement that Spark has refused, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_dialect.sql.databricks_sql import RefusedStatement
from notebook_dialect.sql.time_travel import split_name
from streaming_base.errors import BadSql, NoJson

SYNTAX = "[PARSE_SYNTAX_ERROR] Syntax error at or near '@'. SQLSTATE: 42601 (line 1, pos 15)"
NO_VARIANT = "[INTERNAL_ERROR] Cannot find main error class 'COLUMN_IS_NOT_VARIANT_TYPE'"


def rewritten(text: str) -> str:
    """Rewrite all forms, whether Spark refuses them or not."""
    return RefusedStatement(text, catalog=True, travel=True, json=True).rewritten.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("USE CATALOG hive_metastore", "USE spark_catalog.default"),
        ("use catalog `hive_metastore`", "USE spark_catalog.default"),
        ("USE CATALOG main", "SET CATALOG main"),
        ("USE hive_metastore.sales", "USE spark_catalog.sales"),
        ("USE SCHEMA hive_metastore.sales", "USE  spark_catalog.sales"),
        ("SELECT HIVE_METASTORE.a.t.x FROM `hive_metastore`.a.t", "SELECT spark_catalog.a.t.x FROM spark_catalog.a.t"),
        ("SHOW SCHEMAS IN hive_metastore", "SHOW SCHEMAS IN spark_catalog"),
        ("OPTIMIZE hive_metastore.a.t", "OPTIMIZE spark_catalog.a.t"),
        ("SELECT s.hive_metastore.x, hive_metastore FROM t", "SELECT s.hive_metastore.x, hive_metastore FROM t"),
    ],
)
def test_hive_metastore_is_the_sessions_own_catalog(text: str, expected: str) -> None:
    assert rewritten(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM t@v3", "SELECT * FROM t VERSION AS OF 3"),
        (
            "SELECT * FROM a.t@v3 x JOIN b.`t u`@V10 y",
            "SELECT * FROM a.t VERSION AS OF 3 x JOIN b.`t u` VERSION AS OF 10 y",
        ),
        ("SELECT * FROM t@20260131235959123", "SELECT * FROM t TIMESTAMP AS OF '2026-01-31 23:59:59.123'"),
        (
            "SELECT * FROM `t@v3`, a.`t@20260131235959000`",
            "SELECT * FROM `t` VERSION AS OF 3, a.`t` TIMESTAMP AS OF '2026-01-31 23:59:59.000'",
        ),
        (
            "MERGE INTO x USING a.t@v3 ON x.i = t.i",
            "MERGE INTO x USING (SELECT * FROM a.t VERSION AS OF 3) AS `t` ON x.i = t.i",
        ),
        (
            "MERGE INTO x USING `t@v3` u ON x.i = u.i",
            "MERGE INTO x USING (SELECT * FROM `t` VERSION AS OF 3) u ON x.i = u.i",
        ),
        ("SELECT * FROM delta.`/data/t@v3`", "SELECT * FROM delta.`/data/t@v3`"),
        ("SELECT `me@home`, 'a@v3' FROM t", "SELECT `me@home`, 'a@v3' FROM t"),
    ],
)
def test_a_version_or_a_time_behind_a_name_is_a_clause(text: str, expected: str) -> None:
    assert rewritten(text) == expected


@pytest.mark.parametrize("what", ["x", "v", "3", "2026", "20261301000000000", "20260101"])
def test_what_is_neither_a_version_nor_a_time_says_what_may_stand_there(what: str) -> None:
    with pytest.raises(
        BadSql, match=rf"t@{what}: behind the @ stands a version, as in t@v3, or a time as yyyyMMddHHmmssSSS"
    ):
        rewritten(f"SELECT * FROM t@{what}")


@pytest.mark.parametrize(
    ("name", "own"),
    [("t@v3", "t"), ("a.t@v3", "a.t"), ("`t`@v3", "`t`"), ("a.`b t@v3`", "a.`b t`"), ("t", None), ("`a@v3`.t", None)],
)
def test_the_name_of_a_table_is_split_before_its_version(name: str, own: str | None) -> None:
    found = split_name(name)
    assert (found and (found[0], found[1].version)) == (own and (own, 3))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("raw:a", "get_json_object(raw, '$.a')"),
        ("t.raw:a.b[0].c", "get_json_object(t.raw, '$.a.b[0].c')"),
        ("raw:a:b", "get_json_object(raw, '$.a.b')"),
        ("raw:a[*].b", "get_json_object(raw, '$.a[*].b')"),
        ("raw:a[ * ] [ 0 ] . b", "get_json_object(raw, '$.a[*][0].b')"),
        ("raw:['a b'].c", r"get_json_object(raw, '$[\'a b\'].c')"),
        ('raw:`a b`["c"]', r"get_json_object(raw, '$[\'a b\'][\'c\']')"),
        ("`my raw`:date.end", "get_json_object(`my raw`, '$.date.end')"),
        ("raw:a::int", "get_json_object(raw, '$.a')::int"),
        ("raw:a::decimal(10, 2)", "get_json_object(raw, '$.a')::decimal(10, 2)"),
        ("value::string:a", "get_json_object(value::string, '$.a')"),
        ("CAST(value AS STRING):a", "get_json_object(CAST(value AS STRING), '$.a')"),
        ("(a || b):c", "get_json_object((a || b), '$.c')"),
        ("list[0]:a", "get_json_object(list[0], '$.a')"),
        ("""'{"a": 1}':a""", """get_json_object('{"a": 1}', '$.a')"""),
        ("upper(raw:a) = upper(raw:b)", "upper(get_json_object(raw, '$.a')) = upper(get_json_object(raw, '$.b'))"),
    ],
)
def test_a_field_of_a_column_is_a_function_of_it(expression: str, expected: str) -> None:
    assert rewritten(f"SELECT 1 FROM t WHERE {expression}") == f"SELECT 1 FROM t WHERE {expected}"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT raw:a.b, raw:c FROM t", ["b", "c"]),
        ("SELECT DISTINCT raw:a::int FROM t", ["a"]),
        ("SELECT raw:['a b'][0] FROM t", ["a b"]),
        ("SELECT /*+ BROADCAST(t) */ raw:a FROM t", ["a"]),
        ("SELECT (SELECT raw:a FROM t), raw:b", ["a", "b"]),
        ("SELECT raw:a AS x, raw:b y, raw:c + 1, f(raw:d), (raw:e), -raw:f FROM t", []),
        ("SELECT 1 FROM t WHERE raw:a GROUP BY 1, raw:b ORDER BY raw:c", []),
    ],
)
def test_a_column_without_a_name_is_called_as_its_last_field(text: str, names: list[str]) -> None:
    found = rewritten(text)
    assert [name for name in names if f"AS `{name}`" not in found] == []
    assert found.count("AS `") == len(names)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a STRUCT<b:INT, c: MAP<STRING, ARRAY<STRUCT<d:INT>>>>)",
        "SELECT CAST(x AS STRUCT<a:INT>) FROM t",
        "SELECT x::int, :a, x = :a FROM t",
        "SELECT * FROM {df:x}",
        "SELECT raw:['it''s'], raw:a[i] FROM t",
        "SELECT 'raw:a', \"t@v3\", `raw:a` -- raw:a\nFROM t /* t@v3, hive_metastore.a.t */",
        "SELECT 'never ends, raw:a",
        "",
    ],
)
def test_what_is_none_of_the_forms_is_left_alone(text: str) -> None:
    assert rewritten(text) == text


PIECES = st.sampled_from(
    [
        "SELECT", "FROM", "x", "`a b`", "x.y", "1.5", "x::int", "STRUCT<a:INT>", ":name", "(", ")", ",", "=", "<", "@",
        "'raw:a'", '"t@v3"', "`raw:a`", "'hive_metastore.x.y'", "-- t@v3 raw:a\n", "/* hive_metastore.a.t raw:a */", "hive_metastore",
    ]
)  # fmt: skip


@given(st.lists(PIECES))
def test_statements_without_a_form_are_returned_unchanged(pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert rewritten(text) == text


@given(st.text())
def test_nothing_in_a_string_is_a_form(content: str) -> None:
    text = "SELECT '" + content.replace("\\", "\\\\").replace("'", "\\'") + "', t.x"
    assert rewritten(text) == text


FORMS = st.sampled_from(
    ["raw:a.b", "t@v3", "hive_metastore.a.t", "raw:['x y']::int", "x", "'raw:a'", "\n", "-- raw:a\n", "`ä`", "("]
)


@given(st.lists(FORMS))
def test_each_place_of_a_rewritten_statement_is_known_in_the_original(pieces: list[str]) -> None:
    text = " ".join(["SELECT", *pieces])
    found = RefusedStatement(text, catalog=True, travel=True, json=True).rewritten
    assert found.text.count("\n") == text.count("\n")
    kept = [position for position in range(len(text)) if not any(e.start <= position < e.end for e in found.edits)]
    back = {found.origin(position): found.text[position] for position in range(len(found.text) - 1, -1, -1)}
    assert all(position in back for position in kept)


def test_only_what_spark_refuses_is_rewritten() -> None:
    statement = RefusedStatement("SELECT raw:a FROM hive_metastore.a.t@v3")
    assert statement.rewritten.text == statement.text
    statement = statement.after(SYNTAX)
    assert statement.rewritten.text == "SELECT raw:a FROM hive_metastore.a.t VERSION AS OF 3"
    statement = statement.after("[REQUIRES_SINGLE_PART_NAMESPACE] ... got identifier `hive_metastore`.`a`.`t`.")
    assert statement.rewritten.text == "SELECT raw:a FROM spark_catalog.a.t VERSION AS OF 3"
    statement = statement.after(NO_VARIANT)
    assert (
        statement.rewritten.text == "SELECT get_json_object(raw, '$.a') AS `a` FROM spark_catalog.a.t VERSION AS OF 3"
    )
    assert statement.after(NO_VARIANT) is None


@pytest.mark.parametrize(
    "message",
    [
        "[PARSE_SYNTAX_ERROR] Syntax error at or near 'WHER'.\n\n== SQL ==\nSELECT hive_metastore.a.t@v3",
        "[UNRESOLVED_COLUMN] x",
    ],
)
def test_another_error_changes_nothing(message: str) -> None:
    assert RefusedStatement("SELECT raw:a FROM hive_metastore.a.t@v3").after(message) is None


def test_a_variant_that_spark_finds_is_left_as_it_was() -> None:
    statement = RefusedStatement("SELECT v:a,\n raw:a FROM t").after(NO_VARIANT)
    mismatch = (
        '[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] Cannot resolve "..." ... "v" has the type "VARIANT". line 1 pos 7;'
    )
    assert statement.after(mismatch).rewritten.text == "SELECT v:a,\n get_json_object(raw, '$.a') AS `a` FROM t"
    elsewhere = mismatch.replace("pos 7", "pos 3")
    assert statement.after(elsewhere) is None


def test_a_column_of_another_type_is_named() -> None:
    statement = RefusedStatement("SELECT t.s:a FROM t").after(NO_VARIANT)
    mismatch = '[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] ... "s" has the type "STRUCT<a: INT>". SQLSTATE: 42K09; line 1 pos 7;'
    with pytest.raises(
        NoJson,
        match=r"t\.s:a reads a field of JSON text or of a VARIANT, but t\.s has the type STRUCT<a: INT>\. .* t\.s\.field\.",
    ):
        statement.after(mismatch)


@pytest.mark.parametrize("begin", ["BEGIN", "here: BEGIN"])
def test_a_script_is_tried_again_only_where_no_part_of_it_has_run(begin: str) -> None:
    script = RefusedStatement(f"{begin} INSERT INTO x VALUES (1); SELECT raw:a FROM t@v3; END")
    assert script.after(NO_VARIANT) is None
    assert "VERSION AS OF 3" in script.after(SYNTAX).rewritten.text


def test_a_message_speaks_of_the_original() -> None:
    found = RefusedStatement("SELECT raw:a,\n raw:b x y\nFROM t", json=True).rewritten
    line = found.text.splitlines()[1]
    shown = found.message(
        f"[PARSE_SYNTAX_ERROR] Near 'y'. (line 2, pos {line.index('x y') + 2})\n\n== SQL ==\n{found.text}\n---^^^\n"
    )
    assert shown == (
        "[PARSE_SYNTAX_ERROR] Near 'y'. (line 2, pos 9)\n\n== SQL ==\nSELECT raw:a,\n raw:b x y\n---------^^^\nFROM t\n"
    )
