"""The data source is made by the user's process, and where that is not possible by Spark."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.types import IntegerType, StructField, StructType

from pyspark_cloudfiles.session import source_creation

if TYPE_CHECKING:
    from conftest import Ingestion


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


def test_places_are_those_that_sparks_own_processes_know(ingestion: Ingestion, tmp_path: Path):
    """A prefix that is mounted for them only, in the session's ``spark.executorEnv``."""
    mounts = json.loads(ingestion.spark.sparkContext.environment["PYSPARK_CLOUDFILES_MOUNTS"])
    folder = Path(mounts["dbfs:/"], tmp_path.name)
    folder.mkdir()
    (folder / "a.json").write_text('{"id": 1}')
    before = dict(os.environ)
    reader = ingestion.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    reader = reader.option("cloudFiles.schemaLocation", str(tmp_path / "schema"))
    frame = reader.load(f"dbfs:/{folder.name}")
    assert made(frame) == [True, True] and "id" in frame.columns
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
    monkeypatch.setattr(source_creation, "hand_over", lambda *_: None)
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


@pytest.mark.parametrize("moved", [ImportError("pyspark.sql.worker"), AttributeError("arrowMaxRecordsPerBatch")])
def test_a_spark_whose_private_modules_have_moved_makes_the_function_itself(
    ingestion: Ingestion, monkeypatch: pytest.MonkeyPatch, moved: Exception
):
    def missing(*_: object) -> bytes:
        raise moved

    monkeypatch.setattr(source_creation, "_pickled_function", missing)
    ingestion.put("a.json", {"id": 1})
    frame = ingestion.frame()
    assert made(frame) == [True, False]
    ingestion.run(frame)
    assert ingestion.ids() == [1]


def test_what_cannot_be_handed_over_ends_nothing(ingestion: Ingestion):
    ingestion.put("a.json", {"id": 1})
    frame = ingestion.frame()
    made_of_it = source_creation.created({"path": "/x", "cloudfiles.format": "text"}, frame.schema)
    source_creation.hand_over(frame.sparkSession.range(1), made_of_it)  # whose plan has no data source


@pytest.mark.parametrize("options", [{"cloudfiles.format": "jsn"}, {"cloudfiles.schemaevolutionmode": "addNewColumns"}])
def test_what_is_wrong_is_an_error_of_analysis(options: dict[str, str]):
    schema = StructType([StructField("id", IntegerType())])
    with pytest.raises(AnalysisException, match=r"^\[CF_") as error:
        source_creation.created({"path": "/x", "cloudfiles.format": "json"} | options, schema)
    assert error.value.__suppress_context__
