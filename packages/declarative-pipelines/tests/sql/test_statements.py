"""A pipeline's SQL file becomes the values that it says, and what it must not say is refused at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from declarative_pipelines.definitions.clauses import read_schema
from declarative_pipelines.definitions.model import (
    ComputedColumn,
    DatasetKind,
    Definitions,
    Namespace,
    SourceLocation,
    Violation,
)
from declarative_pipelines.definitions.queries import FileRead
from declarative_pipelines.definitions.statements import read_statements
from declarative_pipelines.errors import BadDefinition

FILES = Path(__file__).parent


def definitions_of(text: str) -> Definitions:
    definitions = Definitions()
    read_statements(text, "file.sql", definitions)
    return definitions


def refusal(text: str) -> str:
    with pytest.raises(BadDefinition) as refused:
        definitions_of(text)
    return str(refused.value)


@pytest.fixture
def of_file():
    return lambda name: definitions_of((FILES / f"{name}.sql").read_text())


def test_the_older_spelling(of_file):
    found = of_file("retail_live")
    kinds = {dataset.name: (dataset.kind, dataset.location.line) for dataset in found.datasets}
    assert kinds == {
        "__files_orders_raw_1": (DatasetKind.TEMPORARY_VIEW, 8),
        "orders_raw": (DatasetKind.STREAMING_TABLE, 4),
        "orders_clean": (DatasetKind.STREAMING_TABLE, 13),
        "customers": (DatasetKind.MATERIALIZED_VIEW, 27),
        "big_orders": (DatasetKind.TEMPORARY_VIEW, 30),
        "revenue": (DatasetKind.MATERIALIZED_VIEW, 31),
    }


def test_expectations_are_taken_out_of_the_columns(of_file):
    clean = of_file("retail_live").dataset("orders_clean")
    assert [(each.name, each.violation) for each in clean.expectations] == [
        ("known_order", Violation.FAIL),
        ("has items; (some)", Violation.DROP),
        ("enough", Violation.ALLOW),
    ]
    assert clean.expectations[1].constraint == "size(items) > 0 AND note <> ')' AND note <> 'CONSTRAINT x EXPECT'"
    assert clean.schema == (
        "order_id LONG NOT NULL COMMENT 'the shop''s own; never (re)used', "
        "items ARRAY<STRUCT<sku: STRING, quantity: INT>>, total DECIMAL(10, 2)"
    )


def test_live_goes_from_names_only(of_file):
    text = of_file("retail_live").dataset("orders_clean").query.text
    assert "FROM STREAM(orders_raw) o\nLEFT JOIN customers c -- LIVE.customers is small" in text
    assert "'LIVE.orders_raw' AS origin /* FROM LIVE.nowhere; */" in text
    assert "c.`LIVE.x`" in text
    assert of_file("retail_live").dataset("big_orders").query.text == "SELECT * FROM   orders_clean WHERE total > 100"


def test_live_that_is_somebodys_alias_stays():
    [dataset] = definitions_of("CREATE LIVE VIEW v AS SELECT live.a FROM t AS live").datasets
    assert dataset.query.text == "SELECT live.a FROM t AS live"


def test_a_database_called_live_in_a_catalog_stays():
    [dataset] = definitions_of("CREATE LIVE VIEW v AS SELECT * FROM shop.live.orders").datasets
    assert dataset.query.text == "SELECT * FROM shop.live.orders"


def test_clauses(of_file):
    raw, clicks = of_file("retail_live").dataset("orders_raw"), of_file("retail_new").dataset("clicks")
    assert raw.comment == "Orders; exactly as LIVE.shop delivered them"
    assert raw.properties == {"quality": "bronze", "pipelines.reset.allowed": "false"}
    assert of_file("retail_live").dataset("orders_clean").partition_by == ("order_day",)
    assert (clicks.format, clicks.cluster_by, clicks.comment) == ("delta", ("session_id", "event_time"), "every click")
    assert clicks.schema == "event_time TIMESTAMP, session_id STRING, tags MAP<STRING, ARRAY<STRING>>"


def test_reads_of_files_become_views(of_file):
    raw, new = of_file("retail_live"), of_file("retail_new")
    read = raw.dataset("__files_orders_raw_1").query
    assert isinstance(read, FileRead)
    assert read.with_metadata and read.call.startswith("cloud_files(\n") and read.call.endswith('"true")\n)')
    assert raw.dataset("orders_raw").query.text.endswith("FROM STREAM __files_orders_raw_1")
    assert new.dataset("shop.prices").query.text == (
        "SELECT * FROM __files_shop_prices_1 p\nJOIN STREAM __files_shop_prices_2 r ON p.sku = r.sku"
    )
    calls = [new.dataset(f"__files_shop_prices_{number}").query.call for number in (1, 2)]
    assert calls == ["read_files('/prices', format => 'csv', header => true)", "STREAM(read_files('/live/rates'))"]


def test_use_and_set_are_kept_for_what_follows(of_file):
    new = of_file("retail_new")
    assert {dataset.namespace for dataset in new.datasets if "__files" not in dataset.name} == {
        Namespace("spark_catalog", "shop")
    }
    [change] = definitions_of("USE shop; AUTO CDC INTO t FROM s KEYS (k) SEQUENCE BY x").changes
    assert change.namespace == Namespace(None, "shop")
    clean = of_file("retail_live").dataset("orders_clean")
    assert (clean.spark_conf, clean.expectations[2].constraint) == ({"shop.minimum": "5"}, "total >= 5")


def test_flows(of_file):
    north, archive = of_file("retail_new").flows
    assert (north.name, north.target, north.once, archive.once) == ("north", "all_orders", False, True)
    assert north.query.text == "SELECT order_id, 'north' AS region FROM STREAM(orders_north)"
    assert north.location == SourceLocation("file.sql", 20)


def test_change_flows(of_file):
    found = of_file("customers_cdc")
    first, history, second, files = found.changes
    assert (first.name, first.target, first.source) == ("customers", "customers", "customer_feed")
    assert (first.keys, first.except_columns) == (("customer_id", "shop id"), ("operation", "sequence"))
    assert (first.sequence_by, first.ignore_null_updates) == ("struct(changed_at, sequence)", True)
    assert first.apply_as_deletes == "operation = 'DELETE' AND note <> 'SEQUENCE BY x'"
    assert first.apply_as_truncates == 'operation = "TRUNCATE"'
    assert (history.target, history.scd_type, history.sequence_by) == ("history", 2, "sequence")
    assert (history.columns, history.history_except_columns) == (("customer_id", "name", "city"), ("name",))
    assert (second.once, second.source, second.history_columns) == (True, "customer_archive", ("city",))
    assert (files.source, found.dataset(files.source).query.call) == (
        "__files_files_1",
        "STREAM read_files('/changes', format => 'json')",
    )
    assert found.dataset("history").comment == "all versions"


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("IGNORE NULL UPDATES ON (a, `b c`)", (True, ("a", "b c"), None)),
        ("IGNORE NULL UPDATES ON * EXCEPT (a)", (True, None, ("a",))),
        ("IGNORE NULL UPDATES", (True, None, None)),
    ],
)
def test_nulls_may_be_ignored_in_some_columns(clause, expected):
    [flow] = definitions_of(f"AUTO CDC INTO t FROM s KEYS (k) WHERE day > 1 AND k > 0 {clause} SEQUENCE BY x").changes
    assert (flow.ignore_null_updates, flow.null_columns, flow.null_except_columns) == expected
    assert (flow.where, flow.sequence_by) == ("day > 1 AND k > 0", "x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT 1;\nDROP TABLE t", "file.sql, line 1: SELECT 1 is no statement of a pipeline"),
        ("-- c\n\nINSERT INTO t SELECT 1", "line 3: INSERT INTO t is no statement"),
        ("CREATE TABLE t AS SELECT 1", "line 1: CREATE TABLE t creates no dataset"),
        ("CREATE VIEW v AS SELECT * FROM read_files('/x')", "the view v reads files. Write CREATE TEMPORARY VIEW"),
        ("CREATE VIEW v (CONSTRAINT c EXPECT (a > 0)) AS SELECT a FROM t", "the view v has expectations"),
        ("CREATE VIEW shop.v AS SELECT a FROM t", "write its name alone"),
        ("CREATE MATERIALIZED VIEW v", "AS with a query is expected here, not the end"),
        (
            "CREATE MATERIALIZED VIEW v\n  SCHEDULE EVERY 1 HOUR AS SELECT 1",
            "line 2: a pipeline runs here when you run it",
        ),
        ("CREATE STREAMING TABLE t\nLOCATION '/x' AS SELECT 1", "line 2: a table of a pipeline is stored"),
        ("CREATE STREAMING TABLE t COMMENT 'a'\nCOMMENT 'b'", "line 2: the comment is given twice"),
        ("CREATE STREAMING TABLE t (a INT,\nb)", "line 2: the column b needs a type"),
        ("CREATE STREAMING TABLE t (a INT, A INT)", "there are two columns named A"),
        ("CREATE STREAMING TABLE t (a INT\nMASK f)", "line 2: column masks are not here; leave MASK out"),
        (
            "CREATE STREAMING TABLE t (a INT NOT NULL\nCHECK (a > 0))",
            "line 2: CHECK is not here; write CONSTRAINT name",
        ),
        ("CREATE STREAMING TABLE t (a INT, CONSTRAINT c\nCHECK (a > 0))", "line 2: CHECK is not here"),
        ("CREATE STREAMING TABLE t (a BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1))", "identity columns are not"),
        (
            "CREATE STREAMING TABLE t (CONSTRAINT c EXPECT (a > 0) ON VIOLATION\nSHOUT)",
            "line 2: DROP ROW or FAIL UPDATE",
        ),
        ("CREATE STREAMING TABLE t (CONSTRAINT c EXPECT (a), CONSTRAINT c EXPECT (b))", "two constraints named c"),
        ("CREATE STREAMING TABLE t (a INT", "what begins with ( is never closed"),
        ("CREATE STREAMING TABLE t AS DELETE FROM x", "a query is expected here, not DELETE"),
        ("CREATE STREAMING TABLE t AS SELECT 'a\n;", "file.sql, line 1: what begins with ' never ends"),
        ("CREATE STREAMING TABLE t;\n\nCREATE STREAMING TABLE u COMMENT 'a", "line 3: what begins with ' never ends"),
        ("CREATE TEMPORARY VIEW v USING delta AS SELECT 1", "a temporary view has no format"),
        ("CREATE FLOW f AS INSERT INTO t SELECT 1", "BY NAME is expected here, not SELECT"),
        ("APPLY CHANGES INTO t FROM s\nKEYS (k)", "line 2: the change flow into t needs SEQUENCE BY"),
        ("APPLY CHANGES INTO t FROM s SEQUENCE BY x", "the change flow into t needs KEYS"),
        ("APPLY CHANGES INTO t FROM s KEYS (k) SEQUENCE BY x\nKEYS (k)", "line 2: the clause for keys is there twice"),
        ("AUTO CDC INTO t FROM s KEYS (k) SEQUENCE BY x STORED AS SCD TYPE 3", "SCD TYPE 1 or 2 is expected"),
        ("AUTO CDC INTO t FROM s KEYS (k) SEQUENCE BY x TRACK HISTORY ON (a)", "TRACK HISTORY goes with"),
        (
            "AUTO CDC INTO t FROM s KEYS (k) APPLY AS TRUNCATE WHEN x SEQUENCE BY x STORED AS SCD TYPE 2",
            "APPLY AS TRUNCATE goes with STORED AS SCD TYPE 1",
        ),
        (
            "AUTO CDC INTO t FROM STREAM read_files('/x') s KEYS (k) SEQUENCE BY x",
            "is a name or one call of read_files",
        ),
        ("CREATE STREAMING TABLE `a.b`", "has no dot in backticks"),
        ("SET x", "= is expected here, not the end"),
        ("USE a.b.c", "USE takes a database's name"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text, words):
    assert words in refusal(text)


def test_nothing_is_added_where_one_statement_is_refused():
    definitions = Definitions()
    with pytest.raises(BadDefinition):
        read_statements("CREATE STREAMING TABLE t; DROP TABLE t", "file.sql", definitions)
    assert definitions == Definitions()


@pytest.mark.parametrize(
    ("columns", "schema"),
    [
        ("id INT PRIMARY KEY, v STRING", "id INT, v STRING"),
        ("id INT NOT NULL CONSTRAINT pk PRIMARY KEY NOT ENFORCED RELY COMMENT 'key'", "id INT NOT NULL COMMENT 'key'"),
        ("id INT COMMENT 'a' REFERENCES u (id) ON DELETE NO ACTION, v MAP<STRING, INT>", None),
        ("id INT CONSTRAINT fk FOREIGN KEY REFERENCES shop.u(id) NOT NULL", "id INT NOT NULL"),
        ("id INT, v INT, CONSTRAINT pk PRIMARY KEY (id, v TIMESERIES) NOT ENFORCED NORELY", "id INT, v INT"),
        ("id INT, PRIMARY KEY (id), CONSTRAINT fk FOREIGN KEY (id) REFERENCES u (a, b) MATCH FULL", "id INT"),
        ("references INT, primary INT NOT NULL, `constraint` DECIMAL(3, 1)", None),
    ],
)
def test_keys_of_columns_and_of_tables_are_left_out(columns, schema):
    expected = schema or columns.replace(" REFERENCES u (id) ON DELETE NO ACTION", "")
    [dataset] = definitions_of(f"CREATE STREAMING TABLE t ({columns}, CONSTRAINT good EXPECT (id > 0))").datasets
    assert (dataset.schema, [one.name for one in dataset.expectations]) == (expected, ["good"])
    assert read_schema(columns).schema == expected


def test_generated_columns_and_defaults_are_taken_out_of_the_schema():
    big, x = "big BIGINT GENERATED ALWAYS AS (id * 10) COMMENT 'b'", "x STRING NOT NULL DEFAULT upper('a') COMMENT 'x'"
    columns = f"id INT, {big}, {x}"
    [dataset] = definitions_of(f"CREATE STREAMING TABLE t ({columns})").datasets
    assert dataset.schema == "id INT, big BIGINT COMMENT 'b', x STRING NOT NULL COMMENT 'x'"
    assert dataset.computed == (
        ComputedColumn("big", "BIGINT", "id * 10"),
        ComputedColumn("x", "STRING", "upper('a')", is_default=True),
    )
    assert read_schema(columns).computed == dataset.computed
