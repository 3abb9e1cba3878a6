"""A materialized view is left as it is only where it would come out the same; otherwise it is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    return sorted(computed)


def write_views(pipeline: Pipeline, queries: Sequence[str], decorator: str = "dlt.materialized_view") -> list[str]:
    """Write a view for each query, and return their names."""
    names = [f"view_{number:02}" for number in range(len(queries))]
    views = [f"@{decorator}\ndef {name}():\n    return {query}" for name, query in zip(names, queries, strict=True)]
    pipeline.write("\n".join(["import random", *views]))
    return names


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
    assert run(pipeline, computed, full_refresh=["largest"]) == ["largest"]
    assert run(pipeline, computed) == []
    pipeline.rows("DELETE FROM largest")
    assert run(pipeline, computed) == ["largest"] and pipeline.values("largest", "n") == [3]
    pipeline.rows("DROP TABLE by_parity")
    assert run(pipeline, computed) == BOTH and pipeline.values("largest", "n") == [3]


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


def test_a_view_with_another_query_declaration_or_setting_is_computed(pipeline: Pipeline, computed: list[str]) -> None:
    source = "spark.read.table('source')"
    changed = [
        (f"{source}.where('v > 1')", f"{source}.where('v > 2')"),
        (f"{source}.select(F.expr('CAST(v AS BIGINT)'))", f"{source}.select(F.expr('try_cast(v AS BIGINT)'))"),
        (f"{source}.withColumn('kind', F.lit('#1'))", f"{source}.withColumn('kind', F.lit('#2'))"),
        (source, "spark.read.option('versionAsOf', 0).table('source')"),
        (source, "spark.read.table('other')"),
    ]
    # What a query reads twice, through names of its own, is recognized.
    twice = (
        'spark.sql("WITH few AS (SELECT * FROM source), most AS (SELECT max(v) AS v FROM few) '
        'SELECT few.* FROM few JOIN most USING (v)")'
    )
    for value in (1, 3):
        pipeline.land(value)
    pipeline.rows("CREATE TABLE other AS SELECT * FROM source")
    names = write_views(pipeline, [*(before for before, _ in changed), twice])
    assert run(pipeline, computed) == names
    assert run(pipeline, computed) == []
    write_views(pipeline, [*(after for _, after in changed), twice])
    assert run(pipeline, computed) == names[:-1]
    tokyo = {"spark.sql.session.timeZone": "Asia/Tokyo"}
    assert run(pipeline, computed, configuration=tokyo) == names
    write_views(pipeline, [*(after for _, after in changed), twice], "dlt.materialized_view(comment='new')")
    assert run(pipeline, computed, configuration=tokyo) == names
    assert run(pipeline, computed, configuration=tokyo) == []


def test_views_that_may_come_out_otherwise_are_computed_each_time(pipeline: Pipeline, computed: list[str]) -> None:
    pipeline.land(1, 2)
    pipeline.rows("CREATE TABLE other TBLPROPERTIES (delta.enableChangeDataFeed = true) AS SELECT * FROM source")
    landed = pipeline.folder / "landed"
    landed.mkdir()
    (landed / "a.json").write_text('{"v": 1}\n', encoding="utf-8")
    names = write_views(
        pipeline,
        [
            "spark.read.table('source').withColumn('t', F.current_timestamp())",
            "spark.read.table('source').withColumn('r', F.rand(seed=1))",
            "spark.read.table('source').withColumn('r', F.lit(random.random()))",
            "spark.read.table('source').withColumn('d', F.udf(lambda v: v, 'int')('v'))",
            "spark.sql('SELECT * FROM source WHERE v IN (SELECT v FROM other)')",
            "spark.createDataFrame([(1, 2)], 'n INT, v INT')",
            "spark.range(3)",
            f"spark.read.json({landed.as_uri()!r})",
            "spark.read.format('delta').option('readChangeFeed', True).option('startingVersion', 0).table('other')",
        ],
    )
    assert run(pipeline, computed) == names
    assert run(pipeline, computed) == names
