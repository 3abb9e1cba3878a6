"""Every spelling of a path reaches the same file, from everywhere, and nothing is written outside the home (row 3)."""

from __future__ import annotations

from pathlib import Path

import pytest

# A place, as Spark's readers, SQL and dbutils may spell it, and as Python may.
SPELLINGS = [
    "/mnt/{}",
    "dbfs:/mnt/{}",
    "/dbfs/mnt/{}",
    "/Volumes/main/default/vol/{}",
    "dbfs:/Volumes/main/default/vol/{}",
    "/FileStore/{}",
    "dbfs:/FileStore/tables/{}",
    "/databricks-datasets/{}",
    "dbfs:/user/learner/{}",
    "/dbfs/tmp/{}",
    "/dbfs/delta/{}",
]


@pytest.fixture(autouse=True)
def _volume(notebook) -> None:
    """Have the volume that some of the spellings are in."""
    notebook.ok(
        "for statement in ('CATALOG IF NOT EXISTS main', 'VOLUME IF NOT EXISTS main.default.vol'):\n"
        "    spark.sql(f'CREATE {statement}')"
    )


def pythons(path: str) -> str:
    """Return how Python spells a path of Spark's, as on Databricks."""
    return path if path.startswith(("/dbfs/", "/Volumes/")) else "/dbfs/" + path.removeprefix("dbfs:").lstrip("/")


def home_of(notebook, spelling: str) -> Path:
    inside = spelling.removeprefix("dbfs:").removeprefix("/dbfs").strip("/")
    return notebook.home / "dbfs" / inside


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spark_sql_dbutils_python_and_pandas_find_the_same_file(notebook, spelling: str) -> None:
    path = spelling.format("Größe 5/seen.csv")
    notebook.ok(f"path, pythons = {path!r}, {pythons(path)!r}; folder = path.rsplit('/', 1)[0]")
    notebook.ok("dbutils.fs.rm(folder, True); dbutils.fs.mkdirs(folder); dbutils.fs.put(path, 'a,b\\n1,x\\n')")
    assert home_of(notebook, path).read_text() == "a,b\n1,x\n"
    assert notebook.value("spark.read.option('header', True).csv(path).first().b") == "x"
    assert notebook.value("spark.sql(f'SELECT count(*) AS n FROM csv.`{path}`').first().n") == 2
    assert notebook.value("dbutils.fs.head(path)") == "a,b\n1,x\n"
    assert notebook.value("open(pythons).read()") == "a,b\n1,x\n"
    assert notebook.value("__import__('pandas').read_csv(pythons).b[0]") == "x"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_python_writes_spark_reads_and_the_other_way_round(notebook, spelling: str) -> None:
    path = spelling.format("both")
    notebook.ok(f"path, pythons = {path!r}, {pythons(path)!r}; dbutils.fs.rm(path, True)")
    notebook.ok("import os, glob, pathlib, shutil; os.makedirs(pythons + '/in')")
    notebook.ok("with open(pythons + '/in/a.txt', 'w') as file: file.write('one\\n')")
    notebook.ok("pathlib.Path(pythons, 'in', 'b.txt').write_text('two\\n')")
    assert notebook.value("sorted(row.value for row in spark.read.text(path + '/in').collect())") == ["one", "two"]
    notebook.ok("spark.range(3).coalesce(1).write.mode('overwrite').json(path + '/out')")
    assert notebook.value("len([name for name in os.listdir(pythons + '/out') if name.endswith('.json')])") == 1
    assert notebook.value("os.path.isdir(pythons + '/out') and os.path.exists(pythons + '/out/_SUCCESS')") is True
    assert notebook.value("len(glob.glob(pythons + '/out/part-*.json'))") == 1
    notebook.ok("import pandas as pd; pd.DataFrame({'n': [4]}).to_parquet(pythons + '/p.parquet')")
    assert notebook.value("spark.read.parquet(path + '/p.parquet').first().n") == 4
    assert notebook.value("pd.read_parquet(pythons + '/p.parquet').n[0].item()") == 4
    assert home_of(notebook, path + "/p.parquet").is_file()
    notebook.ok(
        "shutil.copy(pythons + '/in/a.txt', pythons + '/c.txt'); os.rename(pythons + '/c.txt', pythons + '/d.txt')"
    )
    assert notebook.value("open(pythons + '/d.txt').read()") == "one\n"
    notebook.ok("shutil.rmtree(pythons)")
    assert not home_of(notebook, path).exists()


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SPELLINGS[::3])
def test_streams_checkpoints_and_tables_live_there_too(notebook, spelling: str) -> None:
    path = spelling.format("stream")
    notebook.ok(f"path = {path!r}; dbutils.fs.rm(path, True); spark.sql('DROP TABLE IF EXISTS at_path')")
    notebook.ok("spark.range(5).write.format('delta').save(path + '/source')")
    notebook.ok("spark.sql(f\"CREATE TABLE at_path (id LONG) USING delta LOCATION '{path}/table'\")")
    notebook.ok(
        "query = (spark.readStream.format('delta').load(path + '/source').writeStream"
        ".option('checkpointLocation', path + '/checkpoint').trigger(availableNow=True).toTable('at_path'))\n"
        "query.awaitTermination(60)"
    )
    assert notebook.value("spark.table('at_path').count()") == 5
    assert (home_of(notebook, path) / "checkpoint" / "commits" / "0").is_file()
    assert (home_of(notebook, path) / "table" / "_delta_log").is_dir()


def test_pythons_own_paths_are_left_alone(notebook, tmp_path: Path) -> None:
    (tmp_path / "mnt").mkdir()
    notebook.ok(f"open({str(tmp_path / 'mnt' / 'x.txt')!r}, 'w').write('mine')")
    assert (tmp_path / "mnt" / "x.txt").read_text() == "mine"
    notebook.ok("open('relative.txt', 'w').write('here')")
    assert (notebook.directory / "relative.txt").read_text() == "here"
    assert notebook.value("os.path.exists('/mntx') or os.path.exists('/Volumesx')") is False


def test_a_file_of_the_machine_that_spark_did_not_find_is_pointed_at(notebook, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("mine")
    error = notebook.run(f"spark.read.text({str(tmp_path / 'x.txt')!r}).show()").error
    assert f"to read it, write {(tmp_path / 'x.txt').as_uri()}." in error
    notebook.write("beside it.txt", "mine")
    error = notebook.run("spark.read.text('beside it.txt').show()").error
    assert f"to read it, write {(notebook.directory / 'beside it.txt').as_uri()}." in error
    assert "to read it" not in notebook.run("spark.read.text('/no/such/file').show()").error


OUTSIDE = ["/../../../{}", "dbfs:/../../{}", "/mnt/../../../../{}", "/dbfs/../../{}", "/Volumes/../../../{}"]


@pytest.mark.slow
@pytest.mark.parametrize("path", OUTSIDE)
def test_no_way_up_leads_out_of_the_home(notebook, path: str) -> None:
    name = "classroom-escape"
    places = [notebook.home.parent, notebook.home, Path("/"), notebook.directory, *notebook.home.parents]
    target = path.format(name)
    notebook.ok(f"target = {target!r}")
    notebook.ok("spark.range(1).write.mode('overwrite').parquet(target)")
    notebook.ok("spark.range(1).write.mode('overwrite').format('delta').save(target + '-delta')")
    assert notebook.value("spark.read.load(target + '-delta').count()") == 1
    notebook.ok("spark.sql(f\"CREATE OR REPLACE TABLE up (id INT) USING delta LOCATION '{target}-table'\")")
    notebook.ok(
        "source = spark.readStream.format('rate').load().writeStream.option('checkpointLocation', target + '-c')\n"
        "source.trigger(availableNow=True).format('parquet').start(target + '-s').awaitTermination(60)"
    )
    assert notebook.run("dbutils.fs.put(target, 'x', True)").status == "error"
    assert notebook.run("dbutils.fs.mkdirs(target)").status == "error"
    if target.startswith(("/dbfs", "/Volumes")):
        assert notebook.run("open(target, 'w').write('x')").status == "error"
    assert [path for place in places for path in place.glob(f"{name}*")] == []
    assert (notebook.home / "dbfs" / name / "_SUCCESS").is_file()
    notebook.ok("spark.sql('DROP TABLE up')")


TRIES = """
import os
tried = 0
for top in ("", "/delta", "/data", "/tmp", "/etc", "/home", "/root", "/var", "/my", "/mnt", "/Volumes", "/databricks"):
    for scheme in ("", "dbfs:"):
        path = f"{scheme}{top}/classroom-try-{tried}"
        spark.range(1).write.parquet(path)
        spark.sql(f"CREATE TABLE try_{tried} (id INT) USING delta LOCATION '{path}-table'")
        query = spark.readStream.format("rate").load().writeStream.option("checkpointLocation", path + "-c")
        query.trigger(availableNow=True).format("parquet").start(path + "-s").awaitTermination(60)
        dbutils.fs.put(path + "-put", "x")
        tried += 1
spark.range(1).write.parquet("classroom-try-relative")
spark.sql("CREATE DATABASE try_db LOCATION '/classroom-try-db'")
spark.range(1).write.saveAsTable("try_db.t")
spark.range(1).writeTo("try_db.u").using("delta").create()
"""


@pytest.mark.slow
def test_nothing_is_written_outside_the_home(notebook) -> None:
    """Each top folder, with and without a scheme, through every kind of writer; then look for the names."""
    notebook.ok(TRIES, timeout=240)
    assert notebook.value("tried") == 24
    tops = [
        Path("/"),
        *(Path("/") / top for top in ("delta", "data", "tmp", "etc", "home", "root", "var", "my", "mnt")),
    ]
    found = [
        path for top in [*tops, notebook.directory, Path.cwd()] if top.is_dir() for path in top.glob("classroom-try*")
    ]
    assert found == []
    assert len(list((notebook.home / "dbfs").rglob("classroom-try-*-put"))) == 24
    notebook.ok("spark.sql('DROP DATABASE try_db CASCADE')\nfor n in range(tried): spark.sql(f'DROP TABLE try_{n}')")
