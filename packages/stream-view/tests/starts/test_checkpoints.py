"""One checkpoint, one stream: another one is refused, the same one is started again as ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from stream_view import starts
from stream_view.errors import CheckpointInUse, CheckpointOfAnotherSource
from stream_view.starts import checkpoints
from streaming_base.waiting import wait_until_processed


@pytest.fixture(autouse=True)
def _guard(spark: SparkSession) -> None:
    starts.install(spark)


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return (tmp_path / "checkpoint").as_uri()


def rates(spark: SparkSession) -> DataFrame:
    return spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id": 1}\n')
    return tmp_path / "in"


def files(spark: SparkSession, landing: Path) -> DataFrame:
    return spark.readStream.schema("id INT").json(landing.as_uri())


@pytest.mark.slow
def test_another_source_is_refused_and_the_first_stream_goes_on(
    spark: SparkSession, landing: Path, checkpoint: str, tmp_path: Path
) -> None:
    writer = files(spark, landing).writeStream.queryName("bronze").option("checkpointLocation", checkpoint)
    first = writer.format("parquet").start((tmp_path / "out").as_uri())
    wait_until_processed([first], 60)
    with pytest.raises(CheckpointInUse, match=r"The stream bronze runs with the checkpoint .* or stop bronze first"):
        rates(spark).writeStream.option("CHECKPOINTLOCATION", checkpoint + "/").format("noop").start()
    with pytest.raises(CheckpointInUse):
        rates(spark).writeStream.queryName("bronze").options(checkpointLocation=checkpoint).format("noop").start()
    with pytest.raises(CheckpointInUse):
        files(spark, landing).writeStream.toTable("other", checkpointLocation=checkpoint, queryName="silver")
    (landing / "b.json").write_text('{"id": 2}\n')
    wait_until_processed([first], 60)
    assert first.isActive and spark.read.parquet((tmp_path / "out").as_uri()).count() == 2


def test_the_same_query_is_started_again_and_takes_the_firsts_place(
    spark: SparkSession, landing: Path, checkpoint: str
) -> None:
    def start():
        return files(spark, landing).writeStream.format("noop").option("checkpointLocation", checkpoint).start()

    first = start()
    wait_until_processed([first], 60)
    second = start()
    wait_until_processed([second], 60)
    assert (first.isActive, second.isActive) == (False, True) and first.id == second.id


def test_a_checkpoint_of_a_stream_that_was_stopped_is_free(spark: SparkSession, landing: Path, checkpoint: str) -> None:
    writer = files(spark, landing).writeStream.format("noop").option("checkpointLocation", checkpoint)
    writer.queryName("one").start().stop()
    other = files(spark, landing).writeStream.format("noop").option("checkpointLocation", checkpoint)
    assert other.queryName("two").start().isActive
    assert len(checkpoints._frames) == 1


def test_streams_with_checkpoints_of_their_own_and_without_one_are_left_alone(
    spark: SparkSession, landing: Path, tmp_path: Path
) -> None:
    for name in "ab":
        place = (tmp_path / name).as_uri()
        rates(spark).writeStream.format("noop").option("checkpointLocation", place).start()
    rates(spark).writeStream.format("noop").start()
    assert len(spark.streams.active) == 3


def test_a_checkpoint_of_another_kind_of_source_is_refused(spark: SparkSession, landing: Path, checkpoint: str) -> None:
    of_files = files(spark, landing).writeStream.format("noop").option("checkpointLocation", checkpoint)
    first = of_files.start()
    wait_until_processed([first], 60)
    first.stop()
    of_rates = rates(spark).writeStream.format("noop").option("checkpointLocation", checkpoint)
    with pytest.raises(CheckpointOfAnotherSource, match="left by a stream over files; this one reads the rate-micro-"):
        of_rates.start()
    assert of_files.start().isActive


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("12", "a rate or socket source"),
        ('{"offset": 5, "timestamp": 1000}', "the rate-micro-batch source"),
        ('{"logOffset": 3}', "files"),
        ('{"sourceVersion":1,"reservoirId":"a-b","reservoirVersion":1,"index":-1}', "a Delta table"),
        ('{"seqNum": 2, "sourceVersion": 1, "log": "x"}', "cloudFiles"),
        ('{"orders": {"0": 5, "1": 7}, "refunds": {}}', "Kafka"),
        ("-", None),
        ("{}", None),
        ('{"cursor": {"day": 3}}', None),
        ("[1]", None),
    ],
)
def test_an_offset_tells_its_kind_of_source_by_its_shape(line: str, kind: str | None) -> None:
    assert checkpoints._kind(line) == kind
