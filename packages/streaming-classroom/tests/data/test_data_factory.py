from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from streaming_classroom.data import data_factory
from streaming_classroom.data.data_factory import DataFactory, DirectoryTarget, TableTarget
from streaming_classroom.data.datasets import DatasetBatch

NO_STREAMS = SimpleNamespace(streams=SimpleNamespace(active=[]))
SCHEMA = "id INT"
HALF_A_BATCH = '{"id": 1'


@pytest.fixture
def batches(tmp_path: Path) -> list[DatasetBatch]:
    """Have three batches of a file each: one row, two rows, three rows."""
    folder = tmp_path / "batches"
    folder.mkdir()
    for number in (1, 2, 3):
        rows = "".join(f'{{"id": {number * 10 + row}}}\n' for row in range(number))
        (folder / f"day-{number}.json").write_text(rows, encoding="utf-8")
    return [DatasetBatch(path.name, {path.name: path}) for path in sorted(folder.iterdir())]


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    return tmp_path / "landing"


@pytest.fixture
def factory(batches: list[DatasetBatch], landing: Path, tmp_path: Path) -> Callable[..., DataFactory]:
    """Make a factory; each call is a new kernel on the same disk."""

    def make(spark: object = NO_STREAMS, target: data_factory.Target | None = None) -> DataFactory:
        target = target or DirectoryTarget(landing, "the landing zone")
        return DataFactory(batches, target, tmp_path / "home" / "position.json", spark)

    return make


@pytest.fixture
def table(spark: SparkSession, batches: list[DatasetBatch]) -> TableTarget:
    """Give a Delta table that batches land in; it is gone after the test."""
    spark.sql("DROP TABLE IF EXISTS landed")
    return TableTarget(spark, "landed", SCHEMA, _file(batches[0]).parent.as_uri(), "the-tests")


def _file(batch: DatasetBatch) -> Path:
    """Return the only file of a batch."""
    [file] = batch.files.values()
    return file


def visible(landing: Path) -> list[str]:
    """Return the files that a reader sees."""
    return sorted(path.name for path in landing.glob("[!.]*"))


def stream_of(spark: SparkSession, directory: Path):
    return spark.readStream.schema(SCHEMA).json(directory.as_uri())


def die(*_arguments: object) -> None:
    raise KeyboardInterrupt("killed")


def test_files_have_times_in_the_order_of_their_landing(
    batches: list[DatasetBatch], landing: Path, monkeypatch
) -> None:
    """Spark reads files in the order of their times, in milliseconds; here the clock stands still."""
    monkeypatch.setattr(data_factory.time, "time_ns", lambda: 1_750_000_000_000_000_000)
    for number, batch in enumerate(batches):
        DirectoryTarget(landing, "the landing zone").land(batch, number)
    milliseconds = [(landing / batch.name).stat().st_mtime_ns // 1_000_000 for batch in batches]
    assert milliseconds == sorted(set(milliseconds))


def test_a_batch_of_several_files_lands_each_in_its_folder(landing: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id\n1\n2\n")
    files = {name: tmp_path / "rows.csv" for name in ("orders/day-1.csv", "clicks/hour=7/c.csv", "clicks/hour=8/c.csv")}
    factory = DataFactory(
        [DatasetBatch("day 1", files)], DirectoryTarget(landing, "here"), tmp_path / "position", NO_STREAMS
    )
    factory.load()
    landed = [path for path in landing.rglob("*") if path.is_file()]
    assert {path.relative_to(landing).as_posix() for path in landed} == set(files)
    assert len({path.stat().st_mtime_ns // 1_000_000 for path in landed}) == len(files)
    assert factory.report() == "Landed day 1 in here: 6 rows; 0 batches left."


def test_a_restarted_kernel_goes_on_where_the_last_one_was(factory, landing: Path) -> None:
    factory().load()
    restarted = factory()
    assert (restarted.landed, restarted.left) == (1, 2)
    restarted.load()
    assert visible(landing) == ["day-1.json", "day-2.json"]


def test_a_load_says_what_landed_where_and_what_is_left(factory, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        factory().load()
    assert capsys.readouterr().out.splitlines() == [
        "Landed day-1.json in the landing zone: 1 rows; 2 batches left.",
        "Landed day-2.json in the landing zone: 2 rows; 1 batch left.",
        "Landed day-3.json in the landing zone: 3 rows; 0 batches left.",
    ]


@pytest.mark.parametrize("continuous", [False, True])
def test_when_nothing_is_left_it_says_so_and_changes_nothing(
    factory, landing: Path, capsys: pytest.CaptureFixture[str], continuous: bool
) -> None:
    factory().load(continuous=True, interval=0)
    before = {path: path.stat().st_mtime_ns for path in landing.parent.rglob("*")}
    capsys.readouterr()
    factory().load(continuous=continuous)
    assert capsys.readouterr().out == "All 3 batches have landed already; nothing was changed.\n"
    assert {path: path.stat().st_mtime_ns for path in landing.parent.rglob("*")} == before


@pytest.mark.parametrize(("asked", "landed"), [(2, 2), (9, 3)])
def test_continuous_lands_no_more_than_it_is_asked_to(factory, asked: int, landed: int) -> None:
    factory().load(continuous=True, interval=0, batches=asked)
    assert factory().landed == landed


def test_continuous_says_in_one_place_how_far_it_is(factory, screen, capsys) -> None:
    factory().load(continuous=True, interval=0)
    assert screen.drawn == [
        "Landing batch 1 of 3 ...",
        "Landing batch 2 of 3: 1 rows so far ...",
        "Landing batch 3 of 3: 3 rows so far ...",
        "Landed 3 batches in the landing zone: 6 rows; 0 batches left.",
    ]
    assert len(screen.outputs) == 1
    assert capsys.readouterr().out == ""


def test_a_landing_that_is_interrupted_says_what_has_landed(factory, screen, monkeypatch) -> None:
    monkeypatch.setattr(data_factory.time, "sleep", lambda _seconds: factory().landed == 2 and die())
    with pytest.raises(KeyboardInterrupt):
        factory().load(continuous=True, interval=0)
    assert screen.drawn[-1] == "Landed 2 batches in the landing zone: 3 rows; 1 batch left."


def test_a_reader_never_sees_half_a_file(factory, landing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def copy_half(source: Path, target: Path) -> None:
        Path(target).write_text(HALF_A_BATCH, encoding="utf-8")
        die()

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(shutil, "copyfile", copy_half)
        factory().load()
    assert [path.read_text() for path in landing.iterdir()] == [HALF_A_BATCH]  # it is there, but hidden
    assert visible(landing) == []
    factory().load()
    assert [path.name for path in landing.iterdir()] == ["day-1.json"]


def test_a_kill_before_the_position_is_kept_lands_no_file_twice(
    factory, landing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(data_factory, "write_atomically", die)
        factory().load()
    assert visible(landing) == ["day-1.json"]
    factory().load()
    assert visible(landing) == ["day-1.json"]
    factory().load()
    assert visible(landing) == ["day-1.json", "day-2.json"]


@pytest.mark.slow
@pytest.mark.parametrize("landed_before", [0, 1], ids=["the batch that makes the table", "a later batch"])
def test_a_kill_before_the_position_is_kept_lands_no_row_twice(
    spark: SparkSession, factory, table: TableTarget, monkeypatch: pytest.MonkeyPatch, landed_before: int
) -> None:
    for _ in range(landed_before):
        factory(spark, table).load()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(data_factory, "write_atomically", die)
        factory(spark, table).load()
    rows = spark.table("landed").collect()
    factory(spark, table).load()
    assert spark.table("landed").collect() == rows
    assert factory().landed == landed_before + 1


@pytest.mark.slow
def test_a_table_takes_csv_with_a_header(spark: SparkSession, tmp_path: Path, table: TableTarget) -> None:
    (tmp_path / "rows.csv").write_text("id\n1\n2\n")
    target = replace(table, source=tmp_path.as_uri(), application="of csv")
    target.land(DatasetBatch("rows.csv", {"rows.csv": tmp_path / "rows.csv"}), 0)
    assert sorted(row["id"] for row in spark.table("landed").collect()) == [1, 2]


@pytest.mark.slow
def test_load_returns_when_chained_streams_have_processed_the_batch(
    spark: SparkSession, factory, table: TableTarget, tmp_path: Path
) -> None:
    factory(spark, table).load()
    spark.sql("DROP TABLE IF EXISTS middle")
    spark.createDataFrame([], SCHEMA).write.saveAsTable("middle")
    # The last of the chain is started first: the order of their names must not matter.
    last = spark.readStream.table("middle").writeStream.format("memory").queryName("last").start()
    first = spark.readStream.table("landed").writeStream.option("checkpointLocation", (tmp_path / "c").as_uri())
    first.toTable("middle")
    for expected in (3, 6):
        factory(spark, table).load()
        assert spark.table("last").count() == expected
    assert last.isActive


def test_a_stream_that_fails_on_the_data_raises_its_own_error(spark: SparkSession, factory, landing: Path) -> None:
    landing.mkdir()
    broken = stream_of(spark, landing).selectExpr("raise_error('no such sensor')")
    broken.writeStream.format("memory").queryName("broken").start()
    with pytest.raises(StreamingQueryException, match="no such sensor"):
        factory(spark).load()
    assert factory().landed == 1  # the data has landed all the same
