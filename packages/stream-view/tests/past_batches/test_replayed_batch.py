from __future__ import annotations

import filecmp
import random
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from stream_view import replay
from stream_view.checkpoint_batches import NoSuchBatch, NotACheckpoint
from stream_view.late_data.replayed_sources import CannotBeRead
from stream_view.replayed_batch import Several

from .seeded_queries import KINDS, Kind, land, landed, read, run, texts

pytestmark = pytest.mark.slow

BATCHES = 4


def check(spark: SparkSession, kind: Kind, seed: int, folder: Path) -> None:
    """Compare a batch, as it is run again from the query or from its frame, with what it has written and left."""
    chance = random.Random(seed)
    land(folder / "left", landed(chance, BATCHES))
    land(folder / "right", landed(chance, BATCHES))
    frame = kind.frame(read(spark, folder / "left"), read(spark, folder / "right"))
    query, written = run(kind, frame, folder)
    checkpoint = (folder / "checkpoint").as_uri()
    batch = chance.choice(sorted(written))
    again = replay(checkpoint, batch, chance.choice([query, frame]), kind.mode)
    assert texts(again.output) == written[batch], (seed, batch)
    left = {name: texts(rows) for name, rows in again.replayed_state.items()}
    assert left == {name: texts(rows) for name, rows in again.state_after.items()}, (seed, batch)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_writes_again_what_it_has_written(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    check(spark, KINDS[kind], 0, tmp_path)


@pytest.fixture
def counted(spark: SparkSession, tmp_path: Path):
    """Give a query that has counted six batches by key, and its checkpoint."""
    land(tmp_path / "left", landed(random.Random(7), 6))
    frame = read(spark, tmp_path / "left").groupBy("key").agg(F.count("*").alias("n"))
    query, written = run(KINDS["updated"], frame, tmp_path)
    return query, (tmp_path / "checkpoint").as_uri(), written


def test_input_and_states_are_those_of_the_batch(counted, spark: SparkSession, tmp_path: Path) -> None:
    query, checkpoint, _written = counted

    batch = replay(checkpoint, 3, query)

    assert texts(batch.input) == texts(
        spark.read.schema(batch.input.schema).json((tmp_path / "left/0003.json").as_uri())
    )
    before, after = ({row.key.key: row.value["count"] for row in frame.collect()} for frame in
                     (batch.state_before["stateStoreSave"], batch.state))  # fmt: skip
    added = {row.key: row.n for row in batch.input.groupBy("key").agg(F.count("*").alias("n")).collect()}
    assert after == {key: before.get(key, 0) + added.get(key, 0) for key in {*before, *added}}


def test_before_the_first_batch_the_state_is_empty(counted) -> None:
    query, checkpoint, _written = counted
    assert [frame.count() for frame in replay(checkpoint, 0, query).state_before.values()] == [0]


def test_the_checkpoint_and_a_query_that_runs_with_it_are_left_alone(
    spark: SparkSession, stream: DataFrame, land, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("checkpoints")
    writer = stream.groupBy("id").count().writeStream.format("noop").outputMode("update")
    query = writer.option("checkpointLocation", (folder / "one").as_uri()).start()
    query.processAllAvailable()
    shutil.copytree(folder / "one", folder / "as it was", copy_function=shutil.copy2)

    batch = replay((folder / "one").as_uri(), 0, query)
    assert (batch.output.count(), batch.input.count(), batch.state.count()) == (3, 3, 3)

    assert query.isActive
    assert differences(folder / "one", folder / "as it was") == []
    land(9)
    query.processAllAvailable()
    assert replay((folder / "one").as_uri(), 1, query).output.count() == 1


def differences(one: Path, other: Path) -> list[str]:
    """Return the files that only one of two folders has, and those that are not the same."""
    names = [{str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()} for root in (one, other)]
    same = names[0] & names[1]
    return sorted(names[0] ^ names[1]) + [name for name in same if not filecmp.cmp(one / name, other / name, False)]


def test_a_batch_that_fails_has_an_input_and_its_error(spark: SparkSession, tmp_path: Path) -> None:
    land(
        tmp_path / "left",
        [[{"id": 1, "key": "a", "time": 0, "value": 5}], [{"id": 2, "key": "a", "time": 0, "value": 0}]],
    )
    frame = read(spark, tmp_path / "left").selectExpr("id", "10 / value AS share")
    with pytest.raises(StreamingQueryException, match="DIVIDE_BY_ZERO"):
        run(KINDS["stateless"], frame, tmp_path)

    batch = replay((tmp_path / "checkpoint").as_uri(), 1, frame)

    assert not batch.is_committed
    assert [row.value for row in batch.input.collect()] == [0]
    with pytest.raises(StreamingQueryException, match="DIVIDE_BY_ZERO"):
        batch.output.collect()
    corrected = read(spark, tmp_path / "left").selectExpr("id", "try_divide(10, value) AS share")
    assert [row.share for row in replay((tmp_path / "checkpoint").as_uri(), 1, corrected).output.collect()] == [None]


def test_a_batch_that_the_checkpoint_does_not_have_is_refused(counted, tmp_path: Path) -> None:
    query, checkpoint, _written = counted
    with pytest.raises(NoSuchBatch, match="Batch 6 cannot be run again: the checkpoint has batches 0 to 5 with"):
        replay(checkpoint, 6, query)
    for batch in (0, 1):
        (tmp_path / f"checkpoint/offsets/{batch}").unlink()  # as Spark purges them
    with pytest.raises(NoSuchBatch, match="batches 3 to 5"):
        replay(checkpoint, 2, query)
    with pytest.raises(NotACheckpoint, match="has no offset log"):
        replay((tmp_path / "elsewhere").as_uri(), 0, query)


def test_files_that_are_gone_are_said_and_not_passed_over(counted, tmp_path: Path) -> None:
    query, checkpoint, _written = counted
    (tmp_path / "left/0002.json").unlink()
    for name in ("inputs", "output"):
        with pytest.raises(CannotBeRead, match=r"The file .*0002\.json is gone"):
            getattr(replay(checkpoint, 2, query), name)
    assert replay(checkpoint, 3, query).input.count() > 0


def test_two_sources_have_an_input_each(spark: SparkSession, tmp_path: Path) -> None:
    for side, seed in (("left", 1), ("right", 2)):
        land(tmp_path / side, landed(random.Random(seed), 2))
    query, _written = run(
        KINDS["joined"],
        KINDS["joined"].frame(read(spark, tmp_path / "left"), read(spark, tmp_path / "right")),
        tmp_path,
    )
    batch = replay((tmp_path / "checkpoint").as_uri(), 1, query)
    assert [texts(rows) for rows in batch.inputs] == [
        texts(spark.read.schema(rows.schema).json((tmp_path / side / "0001.json").as_uri()))
        for side, rows in zip(("left", "right"), batch.inputs, strict=True)
    ]
    assert list(batch.state_after) == ["symmetricHashJoin.left", "symmetricHashJoin.right"]
    with pytest.raises(Several, match=r"has 2 sources: 0, 1\. Use inputs\[number\]"):
        _ = batch.input
    with pytest.raises(Several, match="has 2 state stores"):
        _ = batch.state


def test_a_delta_table_is_read_between_the_batchs_versions(spark: SparkSession, tmp_path: Path) -> None:
    if "delta" not in spark.conf.get("spark.sql.extensions", "").lower():
        pytest.skip("this session has no Delta")
    table = (tmp_path / "table").as_uri()
    for first in (0, 10, 20):
        spark.range(first, first + 10).coalesce(1).write.format("delta").mode("append").save(table)
    frame = spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(table)
    query, written = run(KINDS["stateless"], frame, tmp_path)

    batch = replay((tmp_path / "checkpoint").as_uri(), 1, query)

    assert texts(batch.output) == written[1] == texts(batch.input)
    for file in (tmp_path / "table").glob("*.parquet"):  # as VACUUM does
        file.unlink()
    with pytest.raises(CannotBeRead, match="A file that this batch has read is gone"):
        _ = replay((tmp_path / "checkpoint").as_uri(), 1, query).output


@pytest.mark.skipif(find_spec("pyspark_cloudfiles") is None, reason="it is another package")
def test_cloudfiles_gives_the_batchs_files_again(spark: SparkSession, tmp_path: Path) -> None:
    land(tmp_path / "left", landed(random.Random(3), 3))
    stream = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json").schema("id INT, key STRING")
    frame = stream.option("cloudFiles.maxFilesPerTrigger", 1).load((tmp_path / "left").as_uri())
    query, written = run(KINDS["stateless"], frame, tmp_path)
    shutil.copytree(tmp_path / "checkpoint", tmp_path / "as it was")
    for batch in written:
        again = replay((tmp_path / "checkpoint").as_uri(), batch, query)
        assert texts(again.output) == written[batch] == texts(again.input.select("id", "key"))
    assert differences(tmp_path / "checkpoint", tmp_path / "as it was") == []


def test_rates_give_their_rows_again(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    query = frame.writeStream.format("noop").option("checkpointLocation", (tmp_path / "checkpoint").as_uri()).start()
    while (query.lastProgress or {"batchId": 0})["batchId"] < 2:
        assert not query.awaitTermination(0.1)
    query.stop()
    batch = replay((tmp_path / "checkpoint").as_uri(), 1, frame)
    assert [row.value for row in batch.output.orderBy("value").collect()] == [5, 6, 7, 8, 9]


def test_a_socket_and_memory_give_their_rows_only_once_which_is_said(spark: SparkSession, tmp_path: Path) -> None:
    lines = spark.readStream.format("socket").option("host", "localhost").option("port", 9).load()
    with pytest.raises(CannotBeRead, match="A socket gives its rows only once"):
        replay(tmp_path.as_uri(), 0, lines)
    jvm = spark._jvm
    memory = jvm.org.apache.spark.sql.execution.streaming.runtime.MemoryStream(
        1, spark._jsparkSession, jvm.scala.Option.empty(), jvm.org.apache.spark.sql.Encoders.STRING()
    )
    with pytest.raises(CannotBeRead, match="The memory source forgets its rows"):
        replay(tmp_path.as_uri(), 0, DataFrame(memory.toDF(), spark))


def test_the_copy_goes_with_the_result(counted) -> None:
    query, checkpoint, _written = counted
    batch = replay(checkpoint, 1, query)
    copy = Path(batch._ended.checkpoint.removeprefix("file://"))
    assert copy.is_dir()
    del batch
    assert not copy.exists()
