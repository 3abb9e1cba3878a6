from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

from streaming_classroom.session import spark_settings
from streaming_classroom.session.spark_settings import EVERY, NOT_SET

STOCK = """
import json
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
conf = spark._jsparkSession.sessionState().conf()  # which knows those that are not listed as well

def stock(name):
    try:
        return conf.getConfString(name)
    except Exception:
        return None

print("VALUES", json.dumps({name: stock(name) for name in NAMES}))
"""
# What has no default that Spark can tell: it is the machine's, or in code that is not the SQL configuration's.
SAID = {
    "spark.sql.session.timeZone",
    "spark.sql.warehouse.dir",
    "spark.driver.memory",
    "spark.buffer.size",
    "spark.ui.showConsoleProgress",
    "spark.driver.host",
    "spark.databricks.delta.snapshotPartitions",
}


@pytest.mark.slow
def test_the_stock_values_are_those_of_a_spark_without_settings(run_python) -> None:
    names = [setting.name for setting in EVERY if setting.name not in SAID]
    done = run_python(f"NAMES = {names!r}\n{STOCK}")
    [line] = [line for line in done.stdout.splitlines() if line.startswith("VALUES")]
    stock = {name: NOT_SET if value in (None, "<undefined>") else value for name, value in json.loads(line[7:]).items()}
    stock = {name: value.removesuffix("ms") for name, value in stock.items()}
    assert stock == {setting.name: setting.stock for setting in EVERY if setting.name in stock}


def test_ours_are_what_the_classrooms_session_has(spark: SparkSession) -> None:
    have = {setting.name: spark.conf.get(setting.name).removesuffix("ms") for setting in EVERY}
    wanted = spark_settings.conf(EVERY)
    assert wanted["spark.sql.extensions"] in have.pop("spark.sql.extensions")
    assert have == {name: value for name, value in wanted.items() if name in have}


def test_the_page_has_each_setting_with_both_values_and_a_reason() -> None:
    page = spark_settings.page()
    for setting in EVERY:
        assert f"{setting.name}\n    {setting.stock} -> {setting.ours}\n    {setting.why}" in page
        assert setting.why.endswith(".") and setting.ours != setting.stock
