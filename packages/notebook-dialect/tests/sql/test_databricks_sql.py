"""What is rewritten in a statement that Spark has refused, and what is left alone."""

from __future__ import annotations

import pytest

from notebook_dialect.sql.databricks_sql import RefusedStatement
from streaming_base.errors import BadSql

SYNTAX = "[PARSE_SYNTAX_ERROR] Syntax error at or near '@'. SQLSTATE: 42601 (line 1, pos 15)"
NO_VARIANT = "[INTERNAL_ERROR] Cannot find main error class 'COLUMN_IS_NOT_VARIANT_TYPE'"


def rewritten(text: str) -> str:
    """Rewrite all forms, whether Spark refuses them or not."""
    return RefusedStatement(text, catalog=True, travel=True, json=True).rewritten.text


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


def test_a_variant_that_spark_finds_is_left_as_it_was() -> None:
    statement = RefusedStatement("SELECT v:a,\n raw:a FROM t").after(NO_VARIANT)
    mismatch = (
        '[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] Cannot resolve "..." ... "v" has the type "VARIANT". line 1 pos 7;'
    )
    assert statement.after(mismatch).rewritten.text == "SELECT v:a,\n get_json_object(raw, '$.a') AS `a` FROM t"
    elsewhere = mismatch.replace("pos 7", "pos 3")
    assert statement.after(elsewhere) is None


@pytest.mark.parametrize("begin", ["BEGIN", "here: BEGIN"])
def test_a_script_is_tried_again_only_where_no_part_of_it_has_run(begin: str) -> None:
    script = RefusedStatement(f"{begin} INSERT INTO x VALUES (1); SELECT raw:a FROM t@v3; END")
    assert script.after(NO_VARIANT) is None
    assert "VERSION AS OF 3" in script.after(SYNTAX).rewritten.text
