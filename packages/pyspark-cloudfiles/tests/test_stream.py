"""Streams of cloudFiles, seen from outside: what is ingested, when, in which batches, exactly once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import StreamingQueryException

if TYPE_CHECKING:
    from conftest import Ingestion


def test_all_files_are_ingested_once_and_new_ones_later(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1}, {"id": 2})
    ingestion.put("deep/er/b.json", {"id": 3})
    ingestion.run()
    ingestion.put("c.json", {"id": 4})
    ingestion.run()
    ingestion.run()
    assert ingestion.ids() == [1, 2, 3, 4]


@pytest.mark.slow
def test_a_batch_keeps_the_lower_of_both_limits(ingestion: Ingestion):
    for number in range(4):
        ingestion.put(f"{number}.json", {"id": number})
    ingestion.run(maxFilesPerTrigger=3, maxBytesPerTrigger="12b")
    assert ingestion.batches() == [2, 2]


@pytest.mark.slow
def test_once_takes_everything_in_one_batch(ingestion: Ingestion):
    for number in range(3):
        ingestion.put(f"{number}.json", {"id": number})
    frame = ingestion.frame(maxFilesPerTrigger=1)
    writer = frame.writeStream.option("checkpointLocation", ingestion.url("checkpoint")).trigger(once=True)
    query = ingestion.query = writer.start(ingestion.url("table"))
    assert query.awaitTermination(90)
    assert ingestion.batches() == [3]


@pytest.mark.slow
def test_a_running_stream_sees_what_comes(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    writer = ingestion.frame().writeStream.option("checkpointLocation", ingestion.url("checkpoint"))
    query = writer.trigger(processingTime="100 milliseconds").start(ingestion.url("table"))
    query.processAllAvailable()
    ingestion.put("b.json", {"id": 2})
    query.processAllAvailable()
    query.stop()
    assert ingestion.ids() == [1, 2]


@pytest.mark.slow
def test_available_now_leaves_what_comes_after_the_start(ingestion: Ingestion):
    for number in range(4):
        ingestion.put(f"{number}.json", {"id": number})

    def land_another(batch, number: int) -> None:
        ingestion.put(f"late-{number}.json", {"id": 100 + number})
        batch.write.mode("append").save(ingestion.url("table"))

    writer = ingestion.frame(maxFilesPerTrigger=2).writeStream.foreachBatch(land_another)
    query = writer.option("checkpointLocation", ingestion.url("checkpoint")).trigger(availableNow=True).start()
    assert query.awaitTermination(90)
    assert ingestion.ids() == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_changed_file_is_not_read_again(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("a.json", {"id": 2})
    ingestion.run()
    assert ingestion.ids() == [1]


@pytest.mark.slow
def test_a_changed_file_is_read_again_whole_where_overwrites_are_allowed(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run(allowOverwrites=True)
    ingestion.put("a.json", {"id": 1}, {"id": 2})
    ingestion.run(allowOverwrites=True)
    ingestion.run(allowOverwrites=True)
    assert ingestion.ids() == [1, 1, 2]


@pytest.mark.slow
def test_existing_files_are_left_out_on_request_and_for_good(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run(includeExistingFiles=False)
    ingestion.put("b.json", {"id": 2})
    ingestion.run(includeExistingFiles=True)  # looked at only when the checkpoint is new
    assert ingestion.ids() == [2]


@pytest.mark.slow
def test_a_stream_of_new_files_that_found_none_at_first_misses_none_while_it_is_down(ingestion: Ingestion):
    ingestion.schema = "id BIGINT"
    ingestion.run(includeExistingFiles=False)
    ingestion.put("a.json", {"id": 1})
    ingestion.run(includeExistingFiles=False)
    assert ingestion.ids() == [1]


@pytest.mark.slow
def test_with_a_schema_no_schema_location_is_needed_and_restarts_go_on(ingestion: Ingestion):
    ingestion.schema = "id BIGINT"
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2})
    ingestion.run()
    assert ingestion.ids() == [1, 2]


@pytest.mark.slow
@pytest.mark.usefixtures("delta")
@pytest.mark.parametrize("ignored", [False, True])
def test_a_file_that_vanished_ends_the_stream_or_is_passed_over_on_request(ingestion: Ingestion, ignored: bool):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    ingestion.put("b.json", {"id": 2})
    ingestion.put("c.json", {"id": 3})
    frame = ingestion.frame(maxFilesPerTrigger=1, ignoreMissingFiles=ignored)

    def lose_the_next(batch, number: int) -> None:
        (ingestion.source / "c.json").unlink(missing_ok=True)
        batch.write.mode("append").save(ingestion.url("table"))

    writer = frame.writeStream.foreachBatch(lose_the_next).option("checkpointLocation", ingestion.url("checkpoint"))
    query = writer.trigger(availableNow=True).start()
    if ignored:
        assert query.awaitTermination(90) and ingestion.ids() == [1, 2]
        return
    with pytest.raises(StreamingQueryException, match=r"FAILED_READ_FILE.FILE_NOT_EXIST.*c\.json"):
        query.awaitTermination(90)
    ingestion.put("c.json", {"id": 3})
    ingestion.run()
    assert ingestion.ids() == [1, 2, 3]


@pytest.mark.slow
def test_a_schema_location_that_is_gone_is_an_error_not_a_second_ingestion(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.options["schemaLocation"] = ingestion.url("schemas")
    ingestion.run()
    shutil.rmtree(ingestion.root / "schemas")
    ingestion.put("b.json", {"id": 2})
    with pytest.raises(StreamingQueryException, match="CF_STATE_LOST"):
        ingestion.run()
    assert ingestion.ids() == [1]


@pytest.mark.slow
@pytest.mark.usefixtures("delta")
def test_a_checkpoint_that_is_gone_begins_anew_with_the_schema_that_is_there(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.options["schemaLocation"] = ingestion.url("schemas")
    ingestion.run()
    shutil.rmtree(ingestion.root / "checkpoint")
    ingestion.run()
    assert ingestion.ids() == [1, 1]


@pytest.mark.slow
def test_a_stream_that_has_moved_with_its_checkpoint_goes_on(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    (ingestion.root / "checkpoint").rename(ingestion.root / "moved")
    ingestion.checkpoint = "moved"
    ingestion.put("b.json", {"id": 2})
    ingestion.run()
    assert ingestion.ids() == [1, 2]


@pytest.mark.slow
def test_a_batch_that_was_planned_and_not_done_is_planned_again_identically(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.put("b.json", {"id": 2})
    seen: list[list[int]] = []

    def fail_first(batch, number: int) -> None:
        seen.append(sorted(int(row["id"]) for row in batch.collect()))
        if len(seen) == 1:
            raise RuntimeError("on purpose")

    def run() -> None:
        writer = ingestion.frame().writeStream.foreachBatch(fail_first)
        writer = writer.option("checkpointLocation", ingestion.url("checkpoint")).trigger(availableNow=True)
        writer.start().awaitTermination(90)

    with pytest.raises(StreamingQueryException):
        run()
    ingestion.put("c.json", {"id": 3})
    run()
    assert seen == [[1, 2], [1, 2], [3]]


def test_the_offset_in_the_checkpoint_is_small_and_says_how_far(ingestion: Ingestion):
    for number in range(20):
        ingestion.put(f"{number}.json", {"id": number})
    ingestion.run()
    text = (ingestion.root / "checkpoint" / "offsets" / "0").read_text().splitlines()[-1]
    assert json.loads(text)["seqNum"] == 20
    assert len(text) < 1000 and "19.json" not in text


@pytest.mark.slow
def test_progress_is_described_as_auto_loader_does(ingestion: Ingestion):
    for number in range(3):
        ingestion.put(f"{number}.json", {"id": number})
    query = ingestion.run(maxFilesPerTrigger=2)
    first = next(p for p in query.recentProgress if "addBatch" in p["durationMs"])
    [source] = first["sources"]
    assert source["description"] == f"CloudFilesSource[{ingestion.url('in')}]"
    assert source["metrics"] == {"numFilesOutstanding": "1", "numBytesOutstanding": "10"}
    assert json.loads(source["endOffset"])["seqNum"] == 2
    assert json.loads(first.json)["sources"][0]["metrics"]["numFilesOutstanding"] == "1"


def test_the_backlog_of_a_stream_that_falls_behind_has_the_files_that_have_come_meanwhile(ingestion: Ingestion):
    """Three files are there, and each batch reads one while two more come."""
    names = iter(range(100))

    def come(count: int) -> None:
        for number in [next(names) for _ in range(count)]:
            ingestion.put(f"{number:03}.json", {"id": number})

    come(3)
    query = (
        ingestion.frame(maxFilesPerTrigger=1)
        .writeStream.foreachBatch(lambda _batch, number: come(2) if number < 4 else None)
        .option("checkpointLocation", str(ingestion.root / "checkpoint"))
        .start()
    )
    query.processAllAvailable()
    query.stop()

    batches = [report["sources"][0] for report in query.recentProgress if "addBatch" in report["durationMs"]]
    outstanding = [int(source["metrics"]["numFilesOutstanding"]) for source in batches]
    assert outstanding == [2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0]


def test_metadata_is_hidden_and_there_when_asked_for(ingestion: Ingestion):
    path = ingestion.put("a b%.json", {"id": 1})
    frame = ingestion.frame()
    assert frame.columns == ["id", "_rescued_data"]
    ingestion.run(frame.select("*", "_metadata"))
    native = ingestion.spark.read.json(ingestion.url("in")).select("_metadata").first()
    assert ingestion.rows("_metadata")[0]["_metadata"] == native["_metadata"]
    assert native["_metadata"]["file_size"] == path.stat().st_size


@pytest.mark.slow
def test_sql_shows_what_became_of_each_file(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    ingestion.put("b.json", {"id": 2})
    ingestion.run(maxFilesPerTrigger=1)
    rows = ingestion.spark.sql(f"SELECT * FROM cloud_files_state('{ingestion.url('checkpoint')}')").collect()
    assert sorted(Path(row["path"]).name for row in rows) == ["a.json", "b.json"]
    assert {row["size"] for row in rows} == {10}
    assert all(row["discovery_time"] <= row["processed_time"] <= row["commit_time"] for row in rows)


def test_sql_reads_files_and_streams_them(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    spark, place = ingestion.spark, ingestion.url("in")
    assert spark.sql(f"SELECT id + 1 AS n FROM read_files('{place}', format => 'json')").first()["n"] == 2
    schemas = ingestion.url("schemas")
    for call in (
        f"cloud_files('{place}', 'json', map('cloudFiles.schemaLocation', '{schemas}'))",
        f"STREAM(read_files('{place}', format => 'json', schemaLocation => '{schemas}-2'))",
        f"STREAM read_files('{place}', format => 'json', schema => 'id INT')",
    ):
        frame = spark.sql(f"SELECT * FROM {call}")
        assert frame.isStreaming
    ingestion.run(frame)
    assert ingestion.ids() == [1]


@pytest.mark.slow
def test_no_view_is_left_by_a_statement_that_reads_files(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    spark, call = ingestion.spark, f"read_files('{ingestion.url('in')}', format => 'json')"
    assert spark.sql(f"SELECT id, '{{}}' AS braces FROM {call}").first()["braces"] == "{}"
    assert spark.sql(f"SELECT {{number}} + id AS n FROM {call}", number=2).first()["n"] == 3
    assert spark.sql(f"SELECT a.id FROM {call} a JOIN {call} b USING (id)").first()["id"] == 1
    assert [table.name for table in spark.catalog.listTables() if table.isTemporary] == []


def test_a_view_of_a_statement_that_reads_files_stays_of_use(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    spark = ingestion.spark
    made = spark.sql(
        f"CREATE TEMP VIEW of_files AS SELECT * FROM read_files('{ingestion.url('in')}', format => 'json')"
    )
    assert made.columns == []
    assert spark.sql("SELECT id FROM of_files").first()["id"] == 1
    assert [table.name for table in spark.catalog.listTables() if table.isTemporary] == ["of_files"]
