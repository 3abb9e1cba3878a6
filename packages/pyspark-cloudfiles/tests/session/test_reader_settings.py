"""Settings of the session that Spark's file readers follow, in streams and in ``read_files``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

from pyspark_cloudfiles.errors import UnsupportedOption
from pyspark_cloudfiles.option_names import setting_option
from pyspark_cloudfiles.options import parse
from pyspark_cloudfiles.registration import session_options

if TYPE_CHECKING:
    from conftest import Ingestion
    from pyspark.sql import SparkSession

Set = Callable[[str, str], None]


@pytest.fixture
def set_conf(spark: SparkSession) -> Iterator[Set]:
    """Give a function that sets a setting until the test ends."""
    before: dict[str, str | None] = {}

    def set_one(name: str, value: str) -> None:
        before.setdefault(name, spark.conf.get(name, None))
        spark.conf.set(name, value)

    yield set_one
    for name, value in before.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


def read_files(ingestion: Ingestion, **options: str) -> list[Any]:
    given = ", ".join(f"{name} => '{value}'" for name, value in {"format": ingestion.format, **options}.items())
    return ingestion.spark.sql(f"SELECT * FROM read_files('{ingestion.url('in')}', {given})").collect()


CONTENTS = {"json": '{"ID":1}', "csv": "ID\n1", "xml": "<r><row><ID>1</ID></row></r>"}


def land(ingestion: Ingestion, file_format: str) -> dict[str, str]:
    """Write a file with the column ``ID``; return the options to read it."""
    ingestion.format = file_format
    if file_format in CONTENTS:
        ingestion.put(f"a.{file_format}", CONTENTS[file_format])
    else:
        ingestion.spark.sql("SELECT 1 AS ID").write.format(file_format).mode("append").save(ingestion.url("in"))
    return {"csv": {"header": "true"}, "xml": {"rowTag": "row"}}.get(file_format, {})


@pytest.mark.slow
@pytest.mark.parametrize("case_sensitive", ["false", "true"])
@pytest.mark.parametrize("file_format", ["parquet", "orc", "json", "xml"])
def test_a_column_in_another_case_is_read_as_by_spark(
    ingestion: Ingestion, set_conf: Set, file_format: str, case_sensitive: str
):
    options = land(ingestion, file_format)
    set_conf("spark.sql.caseSensitive", case_sensitive)
    native = ingestion.spark.read.schema("id INT").options(**options).format(file_format).load(ingestion.url("in"))
    assert read_files(ingestion, schema="id INT", **options) == native.collect()


@pytest.mark.slow
@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_a_stream_reads_a_column_in_another_case_unless_it_can_be_rescued(ingestion: Ingestion, file_format: str):
    options = land(ingestion, file_format)
    ingestion.schema = "id INT"
    ingestion.run(**options)
    assert ingestion.rows() == [(1,)]
    ingestion.table, ingestion.checkpoint = "strict", "strict"
    ingestion.run(readerCaseSensitive="true", **options)
    assert ingestion.rows() == [(None,)]
    ingestion.table, ingestion.checkpoint = "rescued", "rescued"
    ingestion.run(rescuedDataColumn="rest", **options)
    [row] = ingestion.rows()
    assert row.id is None and '"ID":' in row.rest


def test_columns_that_are_one_without_case_are_refused(ingestion: Ingestion, set_conf: Set):
    ingestion.format = "parquet"
    set_conf("spark.sql.caseSensitive", "true")
    ingestion.spark.sql("SELECT 1 AS ID, 2 AS Id").write.mode("append").parquet(ingestion.url("in"))
    set_conf("spark.sql.caseSensitive", "false")
    with pytest.raises(PySparkException, match="its columns ID and Id are both id"):
        read_files(ingestion, schema="id INT")


@pytest.mark.slow
@pytest.mark.parametrize("file_format", ["csv", "json", "xml"])
@pytest.mark.parametrize("policy", ["LEGACY", "EXCEPTION"])
def test_another_parser_of_times_is_refused_where_times_are_read(
    ingestion: Ingestion, set_conf: Set, policy: str, file_format: str
):
    ingestion.format = file_format
    row = {"csv": "day\n2065-10-6", "json": '{"day":"2065-10-6"}', "xml": "<r><row><day>2065-10-6</day></row></r>"}
    ingestion.put(f"a.{file_format}", row[file_format])
    options = {"csv": {"header": "true"}, "xml": {"rowTag": "row"}}.get(file_format, {})
    set_conf("spark.sql.legacy.timeParserPolicy", policy)
    with pytest.raises(PySparkException, match=f"timeParserPolicy={policy} is not supported.*to_date or to_timestamp"):
        read_files(ingestion, schema="day DATE", dateFormat="yyyy-MM-dd", **options)
    assert read_files(ingestion, schema="day STRING", **options) == [("2065-10-6",)]
    ingestion.run(**options)
    assert [row.day for row in ingestion.rows("day")] == ["2065-10-6"]


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "expected"), [("true", [(True,)]), ("false", [(False,)])])
@pytest.mark.parametrize("file_format", ["csv", "json"])
def test_the_fallback_of_dates_is_the_session_s(
    ingestion: Ingestion, set_conf: Set, file_format: str, setting: str, expected: list[Any]
):
    ingestion.format = file_format
    ingestion.put("a", '{"day":"2026-03-05"}' if file_format == "json" else "2026-03-05")
    set_conf(f"spark.sql.legacy.{file_format}.enableDateTimeParsingFallback", setting)
    native = ingestion.spark.read.schema("day DATE").option("dateFormat", "dd/MM/yyyy").format(file_format)
    [row] = read_files(ingestion, schema="day DATE", dateFormat="dd/MM/yyyy")
    assert native.load(ingestion.url("in")).collect() == [row]
    assert [(row.day is not None,)] == expected


def test_the_column_of_corrupt_records_is_the_session_s(ingestion: Ingestion, set_conf: Set):
    set_conf("spark.sql.columnNameOfCorruptRecord", "broken")
    ingestion.put("a.json", "{")
    assert read_files(ingestion, schema="id INT, broken STRING") == [(None, "{")]


def test_a_setting_that_is_not_there_is_refused_for_its_format(ingestion: Ingestion, set_conf: Set):
    set_conf("spark.sql.parquet.binaryAsString", "true")
    land(ingestion, "parquet")
    with pytest.raises(PySparkException, match=r"spark\.sql\.parquet\.binaryAsString=true is not supported"):
        read_files(ingestion)
    given = {"cloudfiles.format": "json", "path": "/x"}
    assert parse(given | session_options(ingestion.spark)).format == "json"
    with pytest.raises(UnsupportedOption, match="allowEmptyString"):
        parse(given | {setting_option("spark.sql.legacy.json.allowEmptyString.enabled"): "true"})


def test_an_option_comes_before_the_setting():
    setting = setting_option("spark.sql.parquet.datetimeRebaseModeInRead")
    given = {"cloudfiles.format": "parquet", "path": "/x", setting: "LEGACY"}
    assert parse(given).format_options == {"datetimerebasemode": "LEGACY"}
    assert parse(given | {"datetimeRebaseMode": "EXCEPTION"}).format_options == {"datetimerebasemode": "EXCEPTION"}
