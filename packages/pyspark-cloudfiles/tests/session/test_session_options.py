"""What only the session knows reaches the source as options, in the planning process, the tasks and SQL."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pyspark_cloudfiles.registration import session_options

if TYPE_CHECKING:
    from conftest import Ingestion


def session(**settings: str) -> Any:
    """Stand in for a session of any kind, which is asked for its settings alone."""
    known = {"spark.sql.session.timeZone": "UTC", **settings}
    return SimpleNamespace(conf=SimpleNamespace(get=lambda name, default="": known.get(name, default)))


@pytest.fixture
def mount(ingestion: Ingestion, tmp_path: Path) -> Iterator[Path]:
    """Give a directory in what ``dbfs:/`` stands for."""
    folder = Path(json.loads(ingestion.spark.conf.get("spark.cloudFiles.mounts"))["dbfs:/"], tmp_path.name)
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("settings", "mounts"),
    [
        ({}, None),
        ({"spark.executorEnv.PYSPARK_CLOUDFILES_MOUNTS": "theirs"}, "theirs"),
        ({"spark.executorEnv.PYSPARK_CLOUDFILES_MOUNTS": "theirs", "spark.cloudFiles.mounts": "ours"}, "ours"),
    ],
)
def test_a_setting_of_the_sessions_comes_before_its_workers_environment(settings: dict[str, str], mounts: str | None):
    assert session_options(session(**settings)).get("__cloudfiles.mounts") == mounts


@pytest.mark.slow
def test_the_log_of_a_stream_without_schema_location_is_where_the_session_says(
    ingestion: Ingestion, mount: Path, monkeypatch: pytest.MonkeyPatch
):
    before = ingestion.spark.conf.get("spark.cloudFiles.state", None)
    ingestion.spark.conf.set("spark.cloudFiles.state", f"dbfs:/{mount.name}/state")
    try:
        ingestion.schema = "id INT"
        ingestion.put("a.json", {"id": 1})
        ingestion.run()
    finally:
        ingestion.spark.conf.unset("spark.cloudFiles.state")
        if before is not None:
            ingestion.spark.conf.set("spark.cloudFiles.state", before)
    assert ingestion.ids() == [1]
    assert list((mount / "state/_cloudfiles").iterdir())


@pytest.mark.slow
def test_sql_knows_the_mounts(ingestion: Ingestion, mount: Path):
    ingestion.put("a.json", {"id": 1})
    ingestion.run()
    shutil.copytree(ingestion.root / "checkpoint", mount / "checkpoint")
    shutil.copytree(ingestion.source, mount / "in")
    where = f"dbfs:/{mount.name}"
    spark = ingestion.spark
    assert spark.sql(f"SELECT * FROM cloud_files_state('{where}/checkpoint')").count() == 1
    assert spark.sql(f"SELECT id FROM read_files('{where}/in', format => 'json')").first()[0] == 1
