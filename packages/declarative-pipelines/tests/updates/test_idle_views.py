"""A materialized view is left as it is only where it would come out the same; otherwise it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from declarative_pipelines.updates.flow_runs import ReplaceRun
from declarative_pipelines.updates.results import State

from ..conftest import Pipeline

pytestmark = pytest.mark.slow

VIEWS = """
    @dlt.materialized_view
    @dlt.expect("some", "n > 1")
    def by_parity():
        return spark.read.table("source").groupBy((F.col("v") % 2).alias("odd")).agg(F.count("*").alias("n"))
    @dlt.materialized_view
    def largest():
        return spark.read.table("by_parity").agg(F.max("n").alias("n"))
"""
BOTH = ["by_parity", "largest"]


@pytest.fixture
def computed() -> Iterator[list[str]]:
    """Give the names of the views that were computed."""
    names: list[str] = []
    replace = ReplaceRun._replace

    def noted(self: ReplaceRun, frame: object) -> None:
        names.append(self.flow.name)
        replace(self, frame)  # type: ignore[arg-type]

    with patch.object(ReplaceRun, "_replace", noted):
        yield names


def run(pipeline: Pipeline, computed: list[str], **arguments: object) -> list[str]:
    """Run an update and return which views it has computed."""
    computed.clear()
    pipeline.run(**arguments).raise_if_failed()
    return list(computed)


def view(pipeline: Pipeline, query: str) -> None:
    pipeline.write(f"""
        import random
        @dlt.materialized_view
        def one():
            return {query}
    """)


def test_a_view_is_computed_where_its_table_has_changed_and_left_as_it_is_otherwise(
    pipeline: Pipeline, computed: list[str]
) -> None:
    pipeline.write(VIEWS)
    pipeline.land(1, 2, 3)
    assert run(pipeline, computed) == BOTH
    idle = pipeline.run().raise_if_failed()
    assert computed == BOTH
    assert {one.name: (one.state, one.rows) for one in idle.datasets} == dict.fromkeys(BOTH, (State.COMPLETED, 0))
    assert [(one.passed, one.failed) for one in idle.expectations] == [(0, 0)]
    pipeline.land(5)
    assert run(pipeline, computed) == BOTH and pipeline.values("largest", "n") == [3]
    assert run(pipeline, computed) == []
    assert run(pipeline, computed, full_refresh=["largest"]) == ["largest"]
    assert run(pipeline, computed, full_refresh_all=True) == BOTH
    assert run(pipeline, computed) == []


def test_a_view_whose_rows_somebody_has_changed_or_dropped_is_computed(pipeline: Pipeline, computed: list[str]) -> None:
    pipeline.write(VIEWS)
    pipeline.land(1, 2, 3)
    run(pipeline, computed)
    pipeline.rows("DELETE FROM largest")
    assert run(pipeline, computed) == ["largest"] and pipeline.values("largest", "n") == [2]
    pipeline.rows("DROP TABLE by_parity")
    assert run(pipeline, computed) == BOTH and pipeline.values("largest", "n") == [2]


def test_a_commit_between_a_views_rows_and_its_note_makes_the_next_update_compute_it(
    pipeline: Pipeline, computed: list[str]
) -> None:
    pipeline.write(VIEWS)
    pipeline.land(1, 2, 3)
    counted = ReplaceRun._counted

    def late(self: ReplaceRun):
        pipeline.spark.sql(f"DELETE FROM {pipeline.database}.{self.flow.name}")
        return counted(self)

    with patch.object(ReplaceRun, "_counted", late):
        run(pipeline, computed)
    assert run(pipeline, computed) == BOTH and pipeline.values("largest", "n") == [2]


SOURCE = "spark.read.table('source')"


@pytest.mark.parametrize(
    ("query", "other"),
    [
        (f"{SOURCE}.where('v > 1')", f"{SOURCE}.where('v > 2')"),
        (
            f"{SOURCE}.withColumn('v', F.expr('CAST(v AS BIGINT)'))",
            f"{SOURCE}.withColumn('v', F.expr('try_cast(v AS BIGINT)'))",
        ),
        (f"{SOURCE}.withColumn('kind', F.lit('#1'))", f"{SOURCE}.withColumn('kind', F.lit('#2'))"),
        (SOURCE, "spark.read.option('versionAsOf', 0).table('source')"),
        (SOURCE, "spark.read.table('other')"),
    ],
)
def test_a_view_with_another_query_is_computed(pipeline: Pipeline, computed: list[str], query: str, other: str) -> None:
    pipeline.land(1)
    pipeline.land(3)
    pipeline.rows("CREATE TABLE other AS SELECT * FROM source")
    view(pipeline, query)
    assert run(pipeline, computed) == ["one"]
    assert run(pipeline, computed) == []
    view(pipeline, other)
    assert run(pipeline, computed) == ["one"]


@pytest.mark.parametrize(
    "query",
    [
        "spark.read.table('source').withColumn('t', F.current_timestamp())",
        "spark.read.table('source').withColumn('r', F.rand(seed=1))",
        "spark.read.table('source').withColumn('r', F.lit(random.random()))",
        "spark.read.table('source').withColumn('d', F.udf(lambda v: v, 'int')('v'))",
        "spark.read.table('source').mapInPandas(lambda parts: parts, 'n INT, v INT')",
        "spark.sql('SELECT * FROM source TABLESAMPLE (50 PERCENT)')",
        "spark.sql('SELECT * FROM source WHERE v IN (SELECT v FROM other)')",
        "spark.createDataFrame([(1, 2)], 'n INT, v INT')",
        "spark.range(3)",
        "spark.read.json(LANDED)",
        "spark.read.format('delta').option('readChangeFeed', True).option('startingVersion', 0).table('other')",
    ],
)
def test_a_view_that_may_come_out_otherwise_is_computed_each_time(
    pipeline: Pipeline, computed: list[str], query: str
) -> None:
    pipeline.land(1, 2)
    pipeline.rows("CREATE TABLE other TBLPROPERTIES (delta.enableChangeDataFeed = true) AS SELECT * FROM source")
    landed = pipeline.folder / "landed"
    landed.mkdir()
    (landed / "a.json").write_text('{"v": 1}\n', encoding="utf-8")
    view(pipeline, query.replace("LANDED", repr(landed.as_uri())))
    assert run(pipeline, computed) == ["one"]
    assert run(pipeline, computed) == ["one"]


def test_a_view_is_computed_where_a_setting_or_its_table_is_declared_otherwise(
    pipeline: Pipeline, computed: list[str]
) -> None:
    query = "spark.read.table('source').withColumn('d', F.expr('CAST(timestamp_seconds(v) AS DATE)'))"
    view(pipeline, query)
    pipeline.land(1, 2)
    run(pipeline, computed)
    assert run(pipeline, computed, configuration={"spark.sql.session.timeZone": "Asia/Tokyo"}) == ["one"]
    assert run(pipeline, computed, configuration={"spark.sql.session.timeZone": "Asia/Tokyo"}) == []
    view(pipeline, query)
    source = pipeline.folder / "pipeline.py"
    source.write_text(source.read_text().replace("view\n", "view(comment='of two')\n"), encoding="utf-8")
    assert run(pipeline, computed) == ["one"]
    assert run(pipeline, computed) == []


def test_what_a_query_reads_twice_through_names_of_its_own_is_recognized(
    pipeline: Pipeline, computed: list[str]
) -> None:
    view(
        pipeline,
        'spark.sql("WITH few AS (SELECT * FROM source), most AS (SELECT max(v) AS v FROM few) '
        'SELECT few.* FROM few JOIN most USING (v)")',
    )
    pipeline.land(1, 2)
    assert run(pipeline, computed) == ["one"]
    assert run(pipeline, computed) == []
    pipeline.land(3)
    assert run(pipeline, computed) == ["one"] and pipeline.values("one") == [3]
