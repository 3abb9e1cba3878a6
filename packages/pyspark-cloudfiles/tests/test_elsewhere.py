"""Sessions that are not the classroom's: executors in other processes, and Spark Connect."""

from __future__ import annotations

import os
import site
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

pytestmark = pytest.mark.slow

TIMEOUT = 180
PROGRAM = """
import json, os, sys
from pathlib import Path
root = Path(sys.argv[2])
sys.path.insert(0, sys.argv[3])
import pyspark_cloudfiles
from pyspark_cloudfiles import shipping
from pyspark.sql import SparkSession

# The directory from which the driver has the package does not exist on another machine.
directory, *rest = shipping._origin()
shipping._origin = lambda: ("/no/such/place", *rest)

quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
builder = SparkSession.builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
builder = builder.config("spark.executor.extraJavaOptions", quick).config("spark.driver.extraJavaOptions", quick)
spark = builder.remote("local").getOrCreate() if sys.argv[1] == "connect" else builder.master(sys.argv[1]).getOrCreate()
pyspark_cloudfiles.install(spark)

def land(name, *rows):
    (root / "in").mkdir(exist_ok=True)
    (root / "in" / name).write_text("".join(json.dumps(row) + chr(10) for row in rows))

def run(checkpoint="checkpoint", out="out", change=lambda frame: frame, **options):
    frame = (
        spark.readStream.format("cloudFiles")
        .option("cloudFiles.format", "json")
        .option("cloudFiles.schemaLocation", f"file:{root}/{checkpoint}")
        .options(**options)
        .load(f"file:{root}/in")
    )
    writer = change(frame).writeStream.format("parquet").option("checkpointLocation", f"file:{root}/{checkpoint}")
    query = writer.trigger(availableNow=True).start(f"file:{root}/{out}")
    assert query.awaitTermination(90)
    return query

for number in range(20):
    land(f"{number}.json", {"id": number})
source = run().lastProgress["sources"][0]
land("new.json", {"id": 20, "currency": "USD"})
try:
    run()
    error = ""
except Exception as raised:
    error = str(raised)
run()
where = f"file:{root}"
run("checkpoint-of-variants", "variants", singleVariantColumn="v")
name = "_metadata.file_name"
run("checkpoint-of-names", "names", lambda frame: frame.where(f"{name} = 'new.json'").select("*", name))
names = [row.asDict() for row in spark.read.parquet(f"{where}/names").collect()]
variants = spark.read.parquet(f"{where}/variants")
table = spark.read.option("mergeSchema", "true").parquet(f"{where}/out")
print("RESULT", json.dumps({
    "ids": sorted(int(row[0]) for row in table.select("id").collect()),
    "columns": table.columns,
    "names": names,
    "variants": sorted(row[0] for row in variants.selectExpr("v:id::INT").collect()),
    "description": source["description"],
    "outstanding": source["metrics"]["numFilesOutstanding"],
    "error": error,
    "states": spark.sql(f"SELECT * FROM cloud_files_state('{where}/checkpoint')").count(),
    "read": spark.sql(f"SELECT * FROM read_files('{where}/in', format => 'json')").count(),
}))
spark.stop()
"""


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """Make a Python whose packages are the installed ones, but not this project's."""
    script = tmp_path / "python"
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{site.getsitepackages()[0]}" exec "{sys.executable}" -S "$@"\n'
    )
    script.chmod(0o755)
    return script


@pytest.mark.skipif(os.name == "nt", reason="the bare Python is a shell script")
@pytest.mark.parametrize("where", [pytest.param("local-cluster[2,1,1024]", marks=pytest.mark.slow), "connect"])
def test_the_source_works_where_workers_do_not_have_the_package(where: str, tmp_path: Path, bare_python: Path):
    import json

    assert not _has_the_package(bare_python)
    home = Path(pyspark.__file__).parent
    includes = Path(__file__).resolve().parents[1] / "src"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, where, str(tmp_path), str(includes)],
        env=os.environ
        | {
            "PYSPARK_PYTHON": str(bare_python),
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_CLOUDFILES_STATE": str(tmp_path / "state"),
            "TMPDIR": str(tmp_path),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    [line] = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")] or [done.stdout + done.stderr]
    result = json.loads(line.removeprefix("RESULT "))
    assert result["ids"] == result["variants"] == list(range(21))
    assert set(result["columns"]) == {"id", "currency", "_rescued_data"}
    assert result["description"] == f"CloudFilesSource[file:{tmp_path}/in]"
    assert result["names"] == [{"currency": "USD", "id": "20", "_rescued_data": None, "file_name": "new.json"}]
    assert result["outstanding"] == "0"
    assert result["error"].startswith("[UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_RECORD_WITH_FILE_PATH]")
    assert (result["states"], result["read"]) == (21, 21)


def _has_the_package(python: Path) -> bool:
    code = "import pyspark, pyspark_cloudfiles"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, timeout=120, cwd="/")
    assert "No module named 'pyspark'" not in done.stderr
    return done.returncode == 0
