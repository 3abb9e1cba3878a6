"""The data source is made by the user's process, and where that is not possible by Spark."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, current_thread
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.types import IntegerType, StructField, StructType

from pyspark_cloudfiles import classic

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from conftest import Ingestion


TIMEOUT = 60  # seconds


def made(frame: DataFrame) -> list[bool]:
    """Tell whether Spark has the source and the function that a frame is read with."""
    plan = frame._jdf.queryExecution().analyzed()
    provider = plan.collectLeaves().head().source().get()
    found = []
    for name in ("dataSourceInPython", "readInfo"):
        kept = provider.getClass().getDeclaredField(name)
        kept.setAccessible(True)
        found.append(kept.get(provider) is not None)
    return found


@pytest.mark.parametrize("schema", [None, "id INT"])
def test_spark_is_given_what_it_would_start_processes_for(ingestion: Ingestion, schema: str | None):
    ingestion.put("a.json", {"id": 1})
    ingestion.schema = schema
    frame = ingestion.frame()
    assert made(frame) == [True, True]
    ingestion.run(frame)
    assert ingestion.ids() == [1]


@pytest.fixture
def mounted(ingestion: Ingestion, tmp_path: Path) -> Iterator[Callable[[str], DataFrame]]:
    """Give what loads a directory of the mount that only the session knows."""
    folder = Path(json.loads(ingestion.spark.conf.get("spark.cloudFiles.mounts"))["dbfs:/"], tmp_path.name)
    folder.mkdir()
    (folder / "a.json").write_text('{"id": 1}')

    def load(schema_location: str) -> DataFrame:
        reader = ingestion.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
        return reader.option("cloudFiles.schemaLocation", str(tmp_path / schema_location)).load(f"dbfs:/{folder.name}")

    yield load
    shutil.rmtree(folder)


def test_a_mount_that_the_session_knows_is_a_value_of_the_source(mounted: Callable[[str], DataFrame]):
    before = dict(os.environ)
    frame = mounted("schema")
    assert made(frame) == [True, True] and "id" in frame.columns
    assert dict(os.environ) == before


def test_two_loads_at_the_same_time_both_know_the_mounts(
    mounted: Callable[[str], DataFrame], monkeypatch: pytest.MonkeyPatch
):
    """The first load ends while the second one is within its own."""
    before, create = dict(os.environ), classic.create_source
    first_is_in, second_is_in, first_is_done = Event(), Event(), Event()

    def created(*arguments: object) -> classic.Created:
        if current_thread().name.endswith("_0"):
            first_is_in.set()
            assert second_is_in.wait(TIMEOUT)
        else:
            second_is_in.set()
            assert first_is_done.wait(TIMEOUT)
        return create(*arguments)

    def second() -> DataFrame:
        assert first_is_in.wait(TIMEOUT)
        return mounted("second")

    monkeypatch.setattr(classic, "create_source", created)
    with ThreadPoolExecutor(2) as threads:
        loads = [threads.submit(mounted, "first"), threads.submit(second)]
        loads[0].add_done_callback(lambda _: first_is_done.set())
        assert ["id" in load.result(TIMEOUT).columns for load in loads] == [True, True]
    assert dict(os.environ) == before


def test_in_another_directory_spark_makes_it_itself(
    ingestion: Ingestion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ingestion.put("a.json", {"id": 1})
    monkeypatch.chdir(tmp_path)
    frame = ingestion.frame()
    assert made(frame) == [True, False]  # which it needs for the schema
    ingestion.run(frame)
    assert ingestion.ids() == [1]


def test_a_spark_that_keeps_it_elsewhere_makes_it_itself(ingestion: Ingestion, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(classic, "inject_into_plan", lambda *_: None)
    ingestion.put("a.json", {"id": 1})
    frame = ingestion.frame()
    assert made(frame) == [False, False]
    ingestion.run(frame)
    ingestion.put("b.json", {"id": 2, "new": 3})
    with pytest.raises(StreamingQueryException, match="UNKNOWN_FIELD_EXCEPTION"):
        ingestion.run()
    ingestion.run()
    assert ingestion.ids() == [1, 2]
    assert "new" in ingestion.rows()[0]


@pytest.mark.parametrize("options", [{"cloudfiles.format": "jsn"}, {"cloudfiles.schemaevolutionmode": "addNewColumns"}])
def test_what_is_wrong_is_an_error_of_analysis(options: dict[str, str]):
    schema = StructType([StructField("id", IntegerType())])
    with pytest.raises(AnalysisException, match=r"^\[CF_") as error:
        classic.create_source({"path": "/x", "cloudfiles.format": "json"} | options, schema)
    assert error.value.__suppress_context__
