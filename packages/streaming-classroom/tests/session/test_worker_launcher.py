"""What Spark runs as its Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from streaming_classroom.session import worker_launcher

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the launcher is for Linux only")


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean_environment: None) -> Path:
    """Have a launcher in a cache with an awkward name."""
    monkeypatch.setenv("CLASSROOM_CACHE", str(tmp_path / "it's a cache"))
    monkeypatch.setattr(worker_launcher, "_socket", None)
    for name in (worker_launcher.PYTHON, worker_launcher.SOCKET):
        monkeypatch.setenv(name, "")  # for it to be put back
        monkeypatch.delenv(name)
    assert worker_launcher.prepare()
    return Path(os.environ[worker_launcher.PYTHON])


def run(program: Path, *arguments: str, **variables: str) -> str:
    environment = {**os.environ, "SPARK_HOME": "/opt/a spark", **variables}
    return subprocess.run([program, *arguments], env=environment, check=True, capture_output=True, text=True).stdout


def test_sparks_own_archive_is_left_out_and_the_users_folders_stay(prepared: Path) -> None:
    paths = "/opt/a spark/python/lib/pyspark.zip:/opt/a spark/jars/core.jar:/home/my code:/opt/a spark 2:*"
    assert run(prepared, "-c", "import os; print(os.environ['PYTHONPATH'])", PYTHONPATH=paths) == (
        "/home/my code:/opt/a spark 2:*\n"
    )


def test_a_python_that_somebody_has_chosen_stays(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(worker_launcher.PYTHON, "/usr/bin/another")
    assert not worker_launcher.prepare()
    assert os.environ[worker_launcher.PYTHON] == "/usr/bin/another"


@pytest.mark.slow
def test_workers_have_the_installed_pyspark(spark: SparkSession) -> None:
    @F.udf("string")
    def where(_: int) -> str:
        import pyspark

        return pyspark.__file__

    import pyspark

    assert spark.range(1).select(where("id")).first()[0] == pyspark.__file__


def test_a_streams_worker_is_forked(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    frame = spark.readStream.format("cloudFiles").option("cloudFiles.format", "text").schema("value STRING")
    query = frame.load((tmp_path / "in").as_uri()).writeStream.format("noop")
    query = query.option("checkpointLocation", (tmp_path / "checkpoint").as_uri()).start()
    try:
        query.processAllAvailable()
        server = worker_launcher._fork_server.pid
        assert psutil.Process(server).children()
    finally:
        query.stop()
