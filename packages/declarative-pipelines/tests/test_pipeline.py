"""Updates as a whole: what is in the tables, what was counted, and what an update that fails leaves."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from declarative_pipelines import event_log, run_pipeline
from declarative_pipelines.__main__ import main
from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.engine.storage import Storage, only_update
from declarative_pipelines.errors import BadArgument, ExpectationFailed, FlowFailed, PipelineError
from declarative_pipelines.updates.results import FlowProgress, GraphKnown, State, Update, UpdateChanged

from .conftest import Pipeline

MEDALLION = """
    @dlt.table(comment="as it came")
    def raw():
        return spark.readStream.table("source")

    @dlt.view
    @dlt.expect("seen", "v IS NOT NULL")
    def seen():
        return dlt.read_stream("LIVE.raw")

    @dlt.expect("above the decorator", "v < 100")
    @dlt.table
    @dlt.expect_or_drop("positive", "v > 0")
    @dlt.expect_or_fail("possible", "coalesce(v, 0) < 1000")
    def clean():
        return spark.readStream.table("seen").withColumn("twice", F.col("v") * 2).drop("nothing")

    @dlt.table
    @dlt.expect_all({"some": "n > 0", "many": "n > 2"})
    def total():
        return spark.sql("SELECT count(*) AS n, sum(v) AS v FROM LIVE.clean")
"""


@pytest.fixture(scope="module")
def updates(story: Pipeline) -> list[Update]:
    """Two updates over new rows, a third with a record that fails it, a fourth after the record is gone."""
    story.write(MEDALLION)
    story.land(1, 2, None, -1)
    done = [story.run()]
    story.land(3, 200, None)
    done.append(story.run())
    story.land(4, 5000)
    done.append(story.run())
    return done


@pytest.mark.slow
def test_tables_are_deltas_whatever_the_sessions_default_format_is(pipeline: Pipeline) -> None:
    pipeline.write("""
        @dlt.table
        def copied():
            return spark.readStream.table("source")

        @dlt.table(format="delta")
        def again():
            return spark.readStream.table("copied")

        @dlt.table
        def counted():
            return spark.read.table("again").groupBy().count()
    """)
    default = pipeline.spark.conf.get("spark.sql.sources.default")
    for values in ((1, 2), (3,)):
        pipeline.land(*values)
        pipeline.spark.conf.set("spark.sql.sources.default", "parquet")
        try:
            pipeline.run().raise_if_failed()
        finally:
            pipeline.spark.conf.set("spark.sql.sources.default", default)
    assert pipeline.values("counted", "count") == [3]


def test_an_update_that_fails_raises_its_error_where_that_is_asked_for(pipeline: Pipeline) -> None:
    pipeline.write("""
        @dlt.table
        def lost():
            return spark.read.table("nowhere_to_be_found")
    """)
    assert pipeline.run().state is State.FAILED
    with pytest.raises(PipelineError, match="nowhere_to_be_found"):
        pipeline.run(raise_on_failure=True)


def test_new_rows_are_read_once_and_those_that_do_not_meet_a_condition_are_dropped(
    story: Pipeline, updates: list[Update]
) -> None:
    assert [one.state for one in updates] == [State.COMPLETED, State.COMPLETED, State.FAILED]
    assert story.values("clean") == [1, 2, 3, 200]
    assert story.values("clean", "twice") == [2, 4, 6, 400]


def test_the_kind_of_a_table_is_settled_by_its_query(updates: list[Update]) -> None:
    stream = DatasetKind.STREAMING_TABLE
    kinds = [stream, DatasetKind.TEMPORARY_VIEW, stream, DatasetKind.MATERIALIZED_VIEW]
    assert [one.kind for one in updates[0].datasets] == kinds


def test_records_are_counted_by_flow_update_and_expectation(updates: list[Update]) -> None:
    counted = [{(one.dataset, one.name): (one.passed, one.failed) for one in update.expectations} for update in updates]
    assert counted[0] == {
        ("seen", "seen"): (3, 1),
        ("clean", "above the decorator"): (3, 1),
        ("clean", "positive"): (2, 2),
        ("clean", "possible"): (4, 0),
        ("total", "some"): (1, 0),
        ("total", "many"): (0, 1),
    }
    assert counted[1][("clean", "above the decorator")] == (1, 2)  # NULL is not TRUE
    assert (updates[1].dataset("clean").rows, updates[1].dataset("clean").dropped) == (2, 1)


def test_a_record_that_must_not_be_there_is_named(updates: list[Update]) -> None:
    error = updates[2].error
    assert isinstance(error, ExpectationFailed)
    assert (error.dataset, error.expectations) == ("clean", ("possible",))
    assert '"v":5000' in error.record


def test_what_comes_after_a_flow_that_failed_is_left_out_and_keeps_its_rows(
    story: Pipeline, updates: list[Update]
) -> None:
    assert updates[2].dataset("total").state is State.SKIPPED
    assert [tuple(row) for row in story.table("total").collect()] == [(4, 206)]


def test_the_event_log_answers_the_platforms_question_about_quality(story: Pipeline, updates: list[Update]) -> None:
    event_log(updates[0]).createOrReplaceTempView("event_log_raw")
    rows = story.rows("""
        SELECT e.dataset, e.name, sum(e.passed_records) AS passed, sum(e.failed_records) AS failed
        FROM (SELECT explode(from_json(get_json_object(details, '$.flow_progress.data_quality.expectations'),
                'array<struct<name: string, dataset: string, passed_records: int, failed_records: int>>')) AS e
              FROM event_log_raw WHERE event_type = 'flow_progress' AND origin.flow_name = 'clean')
        GROUP BY ALL ORDER BY ALL
    """)
    story.spark.catalog.dropTempView("event_log_raw")
    assert [tuple(row) for row in rows] == [
        ("clean", "above the decorator", 4, 3),
        ("clean", "positive", 4, 3),
        ("clean", "possible", 7, 0),
        ("seen", "seen", 5, 2),
    ]


def test_the_event_log_has_the_platforms_columns_and_types(updates: list[Update]) -> None:
    log = event_log(updates[0])
    names = "id sequence origin timestamp message level maturity_level error details event_type"
    assert log.columns == names.split()
    assert log.where("origin.update_id IS NULL").count() == 0
    types = {row[0] for row in log.select("event_type").distinct().collect()}
    assert types == {"create_update", "flow_definition", "flow_progress", "update_progress"}


def test_an_observer_is_told_the_graph_the_states_and_the_counts(story: Pipeline, updates: list[Update]) -> None:
    [graph, *_] = [one for one in story.told if isinstance(one, GraphKnown)]
    assert ("raw", "seen") in graph.edges
    assert (f"spark_catalog.{story.database}.source", "raw") in graph.edges
    changes = [one.state for one in story.told if isinstance(one, FlowProgress) and one.name == "raw"]
    assert changes[:3] == [State.QUEUED, State.RUNNING, State.RUNNING]
    assert [one.state for one in story.told if isinstance(one, UpdateChanged)][:3] == [
        State.QUEUED,
        State.RUNNING,
        State.COMPLETED,
    ]


def test_a_dry_run_writes_nothing(pipeline: Pipeline) -> None:
    pipeline.land(1)
    pipeline.write(MEDALLION)
    assert pipeline.run(dry_run=True).state is State.COMPLETED
    assert [table.name for table in pipeline.spark.catalog.listTables(pipeline.database)] == ["source"]


@pytest.mark.slow
def test_a_full_refresh_reads_everything_anew_and_a_selection_only_what_was_named(pipeline: Pipeline) -> None:
    pipeline.write("""
        @dlt.table
        def one():
            return spark.readStream.table("source").where("v > 0")
        @dlt.table
        def two():
            return spark.readStream.table("one")
    """)
    pipeline.land(1, 2)
    pipeline.run()
    pipeline.land(3)
    update = pipeline.run(full_refresh="one")
    assert (pipeline.values("one"), pipeline.values("two")) == ([1, 2, 3], [1, 2])
    assert update.dataset("two").state is State.EXCLUDED
    assert "Refresh two in full as well" in str(pipeline.run(refresh="two").error)
    pipeline.run(full_refresh_all=True)
    assert pipeline.values("two") == [1, 2, 3]
    pipeline.rows("DROP TABLE two")  # which is then read from the beginning
    pipeline.run()
    assert pipeline.values("two") == [1, 2, 3]


@pytest.mark.slow
def test_a_table_that_something_else_has_made_is_left_alone(pipeline: Pipeline) -> None:
    pipeline.land(1)
    for query in ("spark.readStream.table('source').limit(1)", "spark.range(1)"):
        pipeline.spark.range(3).write.mode("overwrite").saveAsTable(f"{pipeline.database}.one")
        pipeline.write(f"@dlt.table\ndef one():\n    return {query}\n")
        assert "which this pipeline has not made" in str(pipeline.run().error)
    assert pipeline.table("one").count() == 3


@pytest.mark.slow
def test_a_second_update_at_the_same_time_is_refused(pipeline: Pipeline) -> None:
    pipeline.write(MEDALLION)
    pipeline.land(1)
    storage = Storage(pipeline.spark, pipeline.run(dry_run=True).storage)
    assert storage.local is not None and not storage.exists()
    with only_update(storage), pytest.raises(PipelineError, match="Wait until"):
        pipeline.run()
    with only_update(storage):
        assert pipeline.run(dry_run=True).state is State.COMPLETED


@pytest.mark.slow
def test_another_pipeline_at_the_same_time_in_the_same_session_is_refused(pipeline: Pipeline) -> None:
    refused = []

    def try_another(_event: object) -> None:
        if not refused:
            with pytest.raises(PipelineError, match="The pipeline test is running in this session") as error:
                run_pipeline(pipeline.folder, database=pipeline.database, name="other")
            refused.append(error)

    pipeline.write("@dlt.table\ndef a():\n    return spark.range(1)\n")
    assert pipeline.run(observer=try_another).state is State.COMPLETED
    assert refused and pipeline.run(dry_run=True).state is State.COMPLETED


@pytest.mark.slow
def test_spark_that_refuses_a_row_is_quoted_and_the_session_stays_as_it_was(pipeline: Pipeline) -> None:
    pipeline.write("""
        @dlt.table
        def one():
            assert spark.conf.get("the.name") == "value"
            return spark.readStream.table("source").select(F.expr("if(v > 1, v, raise_error('too small'))").alias("v"))
    """)
    pipeline.land(1)
    update = pipeline.run(configuration={"the.name": "value"})
    assert isinstance(update.error, FlowFailed) and "too small" in str(update.error)
    assert pipeline.spark.catalog.currentDatabase() == "default"
    assert pipeline.spark.conf.get("the.name", None) is None


def test_a_session_without_delta_is_told_how_to_get_it() -> None:
    session = SimpleNamespace(conf=SimpleNamespace(get=lambda key, default: default))
    with pytest.raises(BadArgument, match=r"no Delta.*DeltaSparkSessionExtension.*DeltaCatalog.*Delta's jar"):
        run_pipeline("orders.py", spark=session)


def test_a_session_over_connect_is_refused_before_anything_is_asked_of_it() -> None:
    session = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(BadArgument, match="need Spark in this process"):
        run_pipeline("orders.py", spark=session)


def test_a_run_prints_what_it_did_and_a_dry_run_only_plans(pipeline: Pipeline, capsys: pytest.CaptureFixture) -> None:
    pipeline.land(1, 2)
    path = str(pipeline.write("@dlt.table\ndef one():\n    return spark.readStream.table('source')\n"))
    where = ["--database", pipeline.database, "--storage", f"file:{pipeline.folder}/storage"]
    assert main(["dry-run", path, *where], lambda: pipeline.spark) == 0
    assert "Dry run of pipeline: COMPLETED" in capsys.readouterr().out
    assert main(["run", path, *where, "--full-refresh", "one"], lambda: pipeline.spark) == 0
    assert "one: COMPLETED, 2 rows" in capsys.readouterr().out
    assert (pipeline.folder / "storage" / "system" / "events").is_dir()
    assert main(["run", path, *where, "--refresh", "two"], lambda: pipeline.spark) == 2
    assert main(["run", f"{path}x", *where], lambda: pipeline.spark) == 2
    assert "There is no" in capsys.readouterr().err
    pipeline.write("import nothing_of_this_name")
    assert main(["run", path, *where], lambda: pipeline.spark) == 1
