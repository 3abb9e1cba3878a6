"""Names without regard to case, computed columns, views in the catalog, and tables that cannot be made."""

from __future__ import annotations

import pytest

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Definitions, SourceLocation
from declarative_pipelines.errors import BadDefinition
from declarative_pipelines.updates.plan import parse_schemas
from declarative_pipelines.updates.results import State

from .conftest import Pipeline

NAMES_SQL = """
CREATE OR REFRESH STREAMING TABLE HIRES_RAW AS SELECT * FROM STREAM(SOURCE);
CREATE TEMPORARY VIEW Recent AS SELECT * FROM STREAM hires_raw;
CREATE STREAMING TABLE Hires;
CREATE FLOW into_hires AS INSERT INTO HIRES BY NAME SELECT * FROM STREAM recent;
CREATE MATERIALIZED VIEW total AS SELECT count(*) AS v FROM (SELECT n FROM hires);
CREATE STREAMING TABLE Newest;
CREATE FLOW changes AS AUTO CDC INTO NEWEST FROM STREAM(hires_RAW)
  KEYS (N) SEQUENCE BY V COLUMNS * EXCEPT (V) STORED AS SCD TYPE 1;
"""


@pytest.mark.slow
def test_names_of_datasets_and_columns_do_not_mind_case(pipeline: Pipeline) -> None:
    pipeline.land(1, 2, 3)
    pipeline.write(NAMES_SQL, "pipeline.sql")
    first = pipeline.run()
    first.raise_if_failed()
    pipeline.land(4)
    pipeline.write(NAMES_SQL.replace("TABLE HIRES_RAW", "TABLE hires_raw"), "pipeline.sql")
    second = pipeline.run(refresh=["HIRES", "hires_RAW"])
    second.raise_if_failed()
    assert {one.name for one in first.datasets} == {"HIRES_RAW", "Recent", "Hires", "total", "Newest"}
    assert pipeline.values("total") == [3] and pipeline.values("hires") == [1, 2, 3, 4]
    assert pipeline.table("newest").columns == ["n"] and second.dataset("hires").rows == 1


def test_names_that_differ_by_case_only_are_taken(pipeline: Pipeline) -> None:
    pipeline.write("@dlt.table\ndef raw(): ...\n@dlt.table(name='RAW')\ndef other(): ...")
    update = pipeline.run(dry_run=True)
    assert "line 5: the name RAW is taken, by" in str(update.error)


@pytest.mark.slow
def test_generated_columns_and_defaults_are_computed(pipeline: Pipeline) -> None:
    pipeline.land(1, None)
    columns = "v INT, ten BIGINT GENERATED ALWAYS AS (v * 10), kind STRING DEFAULT 'x'"
    pipeline.write(
        f"CREATE STREAMING TABLE a ({columns}) AS SELECT v FROM STREAM source;"
        f"CREATE MATERIALIZED VIEW b ({columns}) AS SELECT v, v * 10 AS TEN, 'y' AS kind FROM source;"
        f"CREATE MATERIALIZED VIEW c (v INT NOT NULL, ten INT) AS SELECT v, 1 AS ten FROM source",
        "pipeline.sql",
    )
    pipeline.write(f"@dlt.table(schema={columns!r})\ndef d(): return spark.sql('SELECT v, 11 AS ten FROM source')")
    update = pipeline.run()
    assert sorted(map(tuple, pipeline.table("a").collect()), key=str) == [(1, 10, "x"), (None, None, "x")]
    assert sorted(map(tuple, pipeline.table("b").collect()), key=str) == [(1, 10, "y"), (None, None, "y")]
    failed = {flow.name: str(flow.error) for flow in update.flows if flow.error}
    assert failed.keys() == {"c", "d"}
    assert "The column v is NOT NULL" in failed["c"] and "another ten than its expression" in failed["d"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("CREATE STREAMING TABLE a (v INTT) AS SELECT v FROM STREAM source", 1, 'Unsupported data type "INTT"'),
        ("\nCREATE STREAMING TABLE a PARTITIONED BY (w) AS SELECT v FROM STREAM source", 2, "FIELD_NOT_FOUND"),
        ("CREATE STREAMING TABLE a AS SELECT v AS `unit price` FROM STREAM source", 1, "enable Column Mapping"),
        (
            "CREATE STREAMING TABLE a;\nCREATE FLOW f AS INSERT INTO a BY NAME SELECT v AS V FROM STREAM source;"
            "CREATE FLOW g AS INSERT INTO a BY NAME SELECT v FROM STREAM source",
            1,
            "Names that differ by case only are one column",
        ),
    ],
)
def test_a_table_that_cannot_be_made_fails_the_update_at_its_line(
    pipeline: Pipeline, text: str, line: int, words: str
) -> None:
    pipeline.land(1)
    pipeline.write(text, "pipeline.sql")
    update = pipeline.run()
    assert update.state is State.FAILED and isinstance(update.error, BadDefinition)
    assert f"pipeline.sql, line {line}: " in str(update.error) and words in str(update.error)


@pytest.mark.slow
def test_a_view_stays_in_the_catalog(pipeline: Pipeline) -> None:
    pipeline.land(1, 2)
    text = """CREATE VIEW Big COMMENT 'it''s big' AS SELECT v FROM one WHERE v > 1;
        CREATE STREAMING TABLE one AS SELECT v FROM STREAM source;
        CREATE MATERIALIZED VIEW total AS SELECT sum(v) AS v FROM big"""
    pipeline.write(text, "pipeline.sql")
    pipeline.run().raise_if_failed()
    pipeline.land(5)
    pipeline.run().raise_if_failed()
    assert pipeline.values("big") == [2, 5] and pipeline.values("total") == [7]
    pipeline.write(f"CREATE VIEW w AS SELECT * FROM STREAM source; {text}", "pipeline.sql")
    assert "line 1: the view w reads a stream" in str(pipeline.run().error)


def declared(schema: str) -> Definitions:
    place = SourceLocation("pipeline.py", 3)
    return Definitions([Dataset("orders", DatasetKind.STREAMING_TABLE, place, schema=schema)])


@pytest.mark.parametrize(
    ("schema", "left"),
    [
        ("id INT NOT NULL PRIMARY KEY, v INT, CONSTRAINT fk FOREIGN KEY (v) REFERENCES u", "id INT NOT NULL, v INT"),
        ("id INT  NOT NULL", "id INT  NOT NULL"),
    ],
)
def test_keys_are_left_out_and_other_schemas_stay_as_they_are(schema: str, left: str) -> None:
    definitions = declared(schema)
    parse_schemas(definitions)
    assert [dataset.schema for dataset in definitions.datasets] == [left]


@pytest.mark.parametrize(
    ("schema", "words"),
    [("a INT, CONSTRAINT c EXPECT (a > 0)", "write @dlt.expect"), ("a INT PRIMARY KEY, b", "b needs a type")],
)
def test_what_is_no_list_of_columns_is_refused_where_the_dataset_stands(schema: str, words: str) -> None:
    with pytest.raises(BadDefinition, match=f"pipeline.py, line 3: the schema of orders: .*{words}"):
        parse_schemas(declared(schema))
