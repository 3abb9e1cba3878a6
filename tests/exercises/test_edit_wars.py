"""What lab 14L takes for right is what the dataset's card says: six wars, and nothing that only looks like one."""

from __future__ import annotations

import json

import pytest
from lesson_exercises.lesson_14l import edit_wars
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom.data import datasets
from streaming_classroom.exercises import catalogue

pytestmark = pytest.mark.slow

CINDREL = ("Cindrel Bridge", "PaperOwl", "SaltFox")
WARS = {
    (*CINDREL, "12:13:41", 6),
    ("Battle of Velmora", "AmberWren", "IronScribe", "12:26:33", 5),
    ("Schloss Sornvale", "LuckyWalker", "NightReader", "12:43:24", 5),
    ("List of mills in Lumarra", "203.0.113.77", "MapleOtter", "12:57:02", 5),
    ("Pont de Tarnquist", "CleverCompass", "PlainLantern", "13:07:36", 4),
    (*CINDREL, "13:25:58", 5),
}


def undos_of_the_dataset(spark: SparkSession) -> DataFrame:
    """Return each undo of all batches once, as the lab's checks find them in the topic."""
    files = (datasets.generate("wikipedia") / "edits").glob("*.json")
    values = [(json.loads(line)["value"],) for file in files for line in file.read_text("utf-8").splitlines()]
    messages = spark.createDataFrame(values, "value STRING")
    edits = messages.selectExpr(f"from_json(value, '{edit_wars.EDIT_SCHEMA}') AS edit").select("edit.meta.*", "edit.*")
    undos = edits.selectExpr("*", f"{edit_wars.UNDONE_USER} AS undone").where("undone <> '' AND dt IS NOT NULL")
    return undos.dropDuplicates(["id"]).drop("meta")


def test_the_labs_report_has_the_six_planted_wars_and_no_other(spark: SparkSession) -> None:
    report = catalogue.check_module("14L.5")._report(edit_wars.wars_of(undos_of_the_dataset(spark)))
    rows = report.selectExpr("title", "one", "other", "date_format(began, 'HH:mm:ss') AS began", "undos").collect()
    assert sorted(map(tuple, rows)) == sorted(WARS)
