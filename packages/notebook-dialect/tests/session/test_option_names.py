"""Names of options: what is nearly one is told, what is one and what is like none is not."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from notebook_dialect.session import option_names

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


def test_it_is_said_where_the_option_is_given_and_the_stream_goes_on(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], tmp_path
) -> None:
    option_names.install()
    spark.readStream.option("maxFilePerTrigger", 1).schema("id INT").json(tmp_path.as_uri())
    told = (
        "No source or sink of Spark has an option maxFilePerTrigger, so it changes nothing: write maxFilesPerTrigger."
    )
    assert capsys.readouterr().err == told + "\n"
    spark.read.options(heade="true", multiLine=True).schema("id INT").json(tmp_path.as_uri())
    assert "write header" in capsys.readouterr().err
    spark.readStream.option("maxFilesPerTrigger", 1).schema("id INT").json(tmp_path.as_uri())
    assert capsys.readouterr().err == ""
