from __future__ import annotations

from pathlib import Path

import pytest

from notebook_dialect import filesystem
from streaming_classroom.files.directories import classroom_files


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clean_environment: None) -> Path:
    """Have an empty home, without Spark."""
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    return tmp_path


def test_folders_may_be_strings_below_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    files = filesystem.FileSystem("lakehouse", writable="lakehouse/tmp")
    files.prepare()

    assert (files.root, files.home) == (tmp_path / "lakehouse", tmp_path / "lakehouse" / "tmp")
    assert files.local_path("dbfs:/mnt/a") == tmp_path / "lakehouse/mnt/a"
    assert files.spark_conf()


@pytest.mark.parametrize("path", ["dbfs:/mnt/../../x", "dbfs:/..", "dbfs:/../mnt"])
def test_a_path_cannot_leave_the_root(home: Path, path: str) -> None:
    with pytest.raises(ValueError, match=r"has a '\.\.' in it"):
        classroom_files().local_path(path)


def test_where_spark_is_elsewhere_a_path_without_a_scheme_is_taken_as_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost:15002")
    assert classroom_files().local_path("/mnt/a") == Path("/mnt/a")
    assert classroom_files().local_path("dbfs:/mnt/a") == home / "dbfs/mnt/a"


@pytest.mark.parametrize(("variable", "value"), [("SPARK_REMOTE", "sc://a:1"), ("SPARK_MASTER", "spark://a:1")])
def test_pythons_spelling_of_dbfs_is_the_same_place_wherever_spark_is(
    home: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert classroom_files().local_path("/dbfs/mnt/a") == home / "dbfs/mnt/a"
    assert classroom_files().local_path("/dbfs") == home / "dbfs"
    assert classroom_files().local_path("/dbfs2/a") == Path("/dbfs2/a")


def test_what_python_cannot_open_is_refused() -> None:
    with pytest.raises(ValueError, match="Read it with Spark instead"):
        classroom_files().local_path("s3://bucket/key")


@pytest.mark.parametrize(
    ("path", "there"), [("dbfs:/user/ann", "/dbfs/user/ann"), ("dbfs:/Volumes/c/s/v", "/Volumes/c/s/v")]
)
def test_on_databricks_python_uses_the_platforms_mounts(
    home: Path, monkeypatch: pytest.MonkeyPatch, path: str, there: str
) -> None:
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "17.3")
    assert classroom_files().local_path(path).as_posix() == there
    assert classroom_files().spark_path(path) == path


def test_a_connect_server_is_told_the_file_itself(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert classroom_files().spark_path("dbfs:/user/ann b") == "dbfs:/user/ann b"
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost:15002")
    assert classroom_files().spark_path("dbfs:/user/ann b") == f"file:{home}/dbfs/user/ann b"
    assert classroom_files().local_path(classroom_files().spark_path("dbfs:/user/ann b")) == home / "dbfs/user/ann b"


@pytest.mark.slow
def test_a_home_with_spaces_and_umlauts_works(run_python, tmp_path: Path) -> None:
    home = tmp_path / "Übung eins"
    done = run_python(_IN_AN_AWKWARD_HOME, CLASSROOM_HOME=str(home))
    assert done.stdout.split() == ["1152", "2274"], done.stderr
    assert (home / "dbfs/user/learner/streaming-classroom/a/database/silver/_delta_log").is_dir()
    assert not [path for path in home.rglob("*%20*")]


_IN_AN_AWKWARD_HOME = """
import contextlib, io
from streaming_classroom import start_lesson, get_spark
with contextlib.redirect_stdout(io.StringIO()):
    DA = start_lesson("a", dataset="device-readings/readings")
    DA.data_factory.load()
spark = get_spark()
source = spark.readStream.schema("device_id INT").json(DA.paths.landing)
query = source.writeStream.option("checkpointLocation", DA.paths.checkpoints).toTable("silver")
query.processAllAvailable()
print(spark.table("silver").count())
with contextlib.redirect_stdout(io.StringIO()):
    DA.data_factory.load()
print(spark.table("silver").count())
query.stop()
"""
