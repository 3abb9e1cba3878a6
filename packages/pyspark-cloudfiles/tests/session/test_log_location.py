"""A stream whose log is in a home while its checkpoint is in a store is warned of when it starts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.connect.plan import DataSource, LogicalPlan, Project

from pyspark_cloudfiles.driver_warnings import CloudFilesWarning
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.log.file_log import VARIABLE
from pyspark_cloudfiles.session import log_location

REMOTE, WITHOUT = "s3://bucket/checkpoint", {"cloudFiles.format": "json"}
WITH = {**WITHOUT, "cloudFiles.schemaLocation": "s3://bucket/checkpoint"}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(log_location, "_any_without", False)
    monkeypatch.delenv(VARIABLE, raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CloudFilesWarning)
        yield


class ConnectWriter:
    """Plays the writer of a query over Spark Connect."""

    def __init__(self, plan: LogicalPlan, host: str = "localhost", **settings: str) -> None:
        self._session = SimpleNamespace(client=SimpleNamespace(host=host), conf=settings)
        self._write_stream = plan

    def option(self, key: str, value: Any) -> ConnectWriter:
        return self

    def options(self, **options: Any) -> ConnectWriter:
        return self

    def start(self, path: str | None = None, **options: Any) -> str:
        return "started"

    def toTable(self, name: str, **options: Any) -> str:
        return "started"


log_location.install(ConnectWriter)


def loaded(options: dict[str, str]) -> LogicalPlan:
    log_location.note_load({key.lower(): value for key, value in options.items()})
    return Project(DataSource("cloudFiles", options=options, is_streaming=True), [])


def writer(options: dict[str, str], **more: Any) -> ConnectWriter:
    return ConnectWriter(loaded(options), **more)


def test_a_remote_checkpoint_without_a_schema_location_is_told_over_connect():
    with pytest.warns(CloudFilesWarning, match=r"~/\.pyspark_cloudfiles .*s3://bucket.*cloudFiles\.schemaLocation"):
        assert writer(WITHOUT).option("CheckpointLocation", REMOTE).start() == "started"


@pytest.mark.parametrize("how", ["options", "start", "toTable", "session"])
def test_the_checkpoint_is_known_however_it_was_given(how: str):
    with pytest.warns(CloudFilesWarning, match="set the option"):
        if how == "options":
            writer(WITHOUT).options(checkpointLocation=REMOTE).start()
        elif how == "start":
            writer(WITHOUT).start("x", checkpointLocation=REMOTE)
        elif how == "toTable":
            writer(WITHOUT).toTable("x", checkpointLocation=REMOTE)
        else:
            writer(WITHOUT, **{"spark.sql.streaming.checkpointLocation": REMOTE}).start()


@pytest.mark.parametrize(
    ("options", "checkpoint"),
    [(WITH, REMOTE), (WITHOUT, "file:/tmp/checkpoint"), (WITHOUT, "/tmp/checkpoint"), (WITHOUT, None), ({}, REMOTE)],
)
def test_nothing_is_told_where_both_are_together_or_local(options: dict[str, str], checkpoint: str | None):
    loaded(WITHOUT)  # another stream
    started = writer(options)
    if checkpoint is not None:
        started.option("checkpointLocation", checkpoint)
    assert started.start() == "started"


def test_a_server_elsewhere_was_told_by_load_already():
    writer(WITHOUT, host="far.example.org").option("checkpointLocation", REMOTE).start()


def test_a_classic_session_is_told_with_the_folder(spark: SparkSession, tmp_path):
    (tmp_path / "in").mkdir()
    spark.conf.set("spark.cloudFiles.state", f"file:{tmp_path}/kept")
    frame = spark.readStream.format("cloudFiles").schema("id INT").option("cloudFiles.format", "json")
    frame = frame.load(f"file:{tmp_path}/in")
    writing = frame.writeStream.option("checkpointLocation", "nothing://bucket/checkpoint").format("noop")
    try:
        with pytest.warns(CloudFilesWarning) as told, pytest.raises(Exception, match=r".*nothing.*"):
            writing.start()
    finally:
        spark.conf.unset("spark.cloudFiles.state")
    [warning] = [str(one.message) for one in told if "kept in" in str(one.message)]
    folder = filesystem.canonical(f"file:{tmp_path}/kept")
    assert f"is kept in {folder}, apart from its checkpoint nothing://bucket" in warning
    assert "set the option cloudFiles.schemaLocation" in warning
