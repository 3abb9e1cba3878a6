"""Definitions in cells, in SQL and in Python, in one pipeline."""

from __future__ import annotations

import pytest

from declarative_pipelines import run_pipeline
from declarative_pipelines.definitions import decorators as dlt
from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.errors import BadArgument
from declarative_pipelines.pipeline import run_continuously

from ..conftest import Pipeline


@pytest.mark.slow
def test_python_and_sql_read_each_other(pipeline: Pipeline) -> None:
    pipeline.write(
        """
        CREATE OR REFRESH STREAMING TABLE clean (CONSTRAINT positive EXPECT (v > 0) ON VIOLATION DROP ROW)
        AS SELECT * FROM STREAM(LIVE.raw);
        CREATE MATERIALIZED VIEW total AS SELECT count(*) AS v FROM more;
        CREATE STREAMING TABLE newest;
        APPLY CHANGES INTO LIVE.newest FROM STREAM(LIVE.clean) KEYS (v) SEQUENCE BY n STORED AS SCD TYPE 2;
        """,
        "two.sql",
    )
    pipeline.write("""
        @dlt.table
        def raw():
            return spark.readStream.table("source")
        @dlt.view
        def more():
            return spark.read.table("clean").union(spark.read.table("newest").select("n", "v"))
    """)
    pipeline.land(1, 2, -1, 1)
    update = pipeline.run()
    assert update.error is None
    assert (pipeline.values("clean"), pipeline.values("newest"), pipeline.values("total")) == (
        [1, 1, 2],
        [1, 1, 2],  # two versions of the first
        [6],
    )
    assert [(one.name, one.passed, one.failed) for one in update.expectations] == [("positive", 3, 1)]
    assert update.dataset("total").kind is DatasetKind.MATERIALIZED_VIEW


@pytest.mark.slow
def test_cells_that_define_datasets_are_run_without_a_file(cells: None, pipeline: Pipeline) -> None:
    spark = pipeline.spark
    pipeline.land(1, 2)

    @dlt.table
    def one():
        return spark.readStream.table("source")

    @dlt.table
    @dlt.expect("two", "v > 1")
    def one_more():
        return dlt.read_stream("one")

    update = run_continuously(database=pipeline.database, every=0.1, updates=2)
    assert update.error is None and update.dataset("one_more").rows == 0
    assert pipeline.values("one_more") == [1, 2]


def test_without_definitions_there_is_nothing_to_run(cells: None, pipeline: Pipeline) -> None:
    with pytest.raises(BadArgument, match="No cell of this notebook"):
        run_pipeline(database=pipeline.database, dry_run=True)
