"""Names of options: what is nearly one is told, what is one and what is like none is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from notebook_dialect.session import option_names
from stream_view import front_end

OF_FORMATS = (
    "catalyst.json.JSONOptions",
    "catalyst.csv.CSVOptions",
    "catalyst.xml.XmlOptions",
    "execution.datasources.parquet.ParquetOptions",
    "execution.datasources.text.TextOptions",
    "execution.datasources.orc.OrcOptions",
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("maxFilePerTrigger", "maxFilesPerTrigger"),
        ("checkpointLocaton", "checkpointLocation"),
        ("checkpoint_location", "checkpointLocation"),
        ("startingOffset", "startingOffsets"),
        ("mergeschema", None),
        ("MAXFILESPERTRIGGER", None),
        ("kafka.bootstrap.server", None),
        ("cloudFiles.formatt", None),
        ("myOwnOption", None),
        ("table", None),
        ("name", None),
    ],
)
def test_a_name_that_is_nearly_one_is_found(written: str, meant: str | None) -> None:
    assert option_names.nearly(written) == meant


def test_every_option_of_sparks_formats_is_known(spark: SparkSession) -> None:
    for place in OF_FORMATS:
        options = spark._jvm.org.apache.spark.sql
        for part in place.split("."):
            options = getattr(options, part)
        names = options.getAllOptions().mkString(" ").split()
        assert names and [name for name in names if "." not in name and name.lower() not in option_names._NAMES] == []


TOLD = "Spark ignores the option maxFilePerTrigger, which none of its formats has: did you mean maxFilesPerTrigger?\n"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    option_names.install()
    monkeypatch.setattr(option_names, "_said", set())


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have a cell run, by the name of its run."""
    return lambda run: monkeypatch.setattr(front_end, "running_cell", lambda: ("a cell", run))


def test_it_is_asked_where_the_stream_is_read_and_the_stream_is_not_disturbed(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    reader = spark.readStream.option("maxFilePerTrigger", 1).schema("id INT")
    assert capsys.readouterr().err == ""
    reader.json(tmp_path.as_uri())
    assert capsys.readouterr().err == TOLD
    spark.read.options(heade="true", multiLine=True).schema("id INT").json(tmp_path.as_uri())
    assert "did you mean header?" in capsys.readouterr().err
    spark.read.load(tmp_path.as_uri(), "csv", "id INT", heade="true")
    assert "did you mean header?" in capsys.readouterr().err
    spark.readStream.option("maxFilesPerTrigger", 1).schema("id INT").json(tmp_path.as_uri())
    assert capsys.readouterr().err == ""


def test_it_is_asked_of_a_sink_when_the_stream_starts(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    rows = spark.readStream.format("rate").load()
    rows.writeStream.option("truncat", "false").format("noop").start().stop()
    assert "did you mean truncate?" in capsys.readouterr().err


def test_a_format_of_others_has_options_of_its_own(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    for reader in (spark.read.format("net.snowflake"), spark.read):
        with pytest.raises(Exception, match="snowflake"):
            reader.option("sfPassword", "x").option("passwords", "x").load(format="net.snowflake")
    assert capsys.readouterr().err == ""


def test_it_is_asked_once_for_each_cell(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], tmp_path: Path, cell: Callable[[str], None]
) -> None:
    for run in ("first", "first", "second"):
        cell(run)
        spark.readStream.option("maxFilePerTrigger", 1).schema("id INT").json(tmp_path.as_uri())
    assert capsys.readouterr().err == TOLD * 2


def test_a_function_that_is_called_for_each_batch_asks_once(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], tmp_path: Path, cell: Callable[[str], None]
) -> None:
    batches: list[int] = []

    def write(rows: DataFrame, number: int) -> None:
        cell(f"the cell that runs during batch {number}")
        spark.read.option("maxFilePerTrigger", 1).schema("id INT").json(tmp_path.as_uri())
        batches.append(number)

    for name in "ab":
        (tmp_path / f"{name}.json").write_text('{"id": 1}')
    rows = spark.readStream.schema("id INT").option("maxFilesPerTrigger", 1).json(tmp_path.as_uri())
    rows.writeStream.foreachBatch(write).trigger(availableNow=True).start().awaitTermination(60)
    assert batches == [0, 1]
    assert capsys.readouterr().err.count(TOLD) == 1
