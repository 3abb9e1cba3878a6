"""Arrays that are made without pandas, and what a process need not import before its first rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TASK = """
import sys
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import find_format
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.options import parse
from pyspark_cloudfiles.source.task import assemble
from pyspark_cloudfiles.layout import inferred_layout

name, kind = sys.argv[1:]
types = [T.StringType()] * 4 if kind == "strings" else [T.LongType(), T.StringType(), T.DoubleType(), T.TimestampType()]
schema = T.StructType([T.StructField(name, data_type) for name, data_type in zip("abct", types)])
files = [SourceFile(f"file:{name}", 10, 0)] * 2
layout = inferred_layout(schema, T.StructType(), "_rescued_data", True)
for rows in find_format(name.rsplit(".")[-1]).read(files, ReadRequest(schema)):
    options = parse({"path": "file:/", "cloudfiles.format": "json"})
    batch = assemble(rows, layout, to_arrow_schema(layout.schema, timezone="UTC"), options)
    assert batch.num_rows == 4 and batch.column("a").null_count == 0, batch.to_pylist()
print("pandas" in sys.modules)
"""

LOAD = """
import sys
from pyspark_cloudfiles.source.data_source import CloudFilesDataSource

place = sys.argv[1]
options = {"path": f"file:{place}/in", "cloudfiles.format": "json", "cloudfiles.schemalocation": f"file:{place}/c"}
assert "a" in CloudFilesDataSource(options).schema().names
print("pyarrow" in sys.modules)
"""


@pytest.mark.slow
def test_a_task_that_reads_what_fits_does_not_wait_for_pandas(tmp_path: Path) -> None:
    row = '{"a": 1, "b": "x", "c": 1.5, "t": "2024-01-02T03:04:05Z"}\n'
    (tmp_path / "f.json").write_text(2 * row)
    (tmp_path / "f.csv").write_text("a,b,c,t\n" + 2 * "1,x,1.5,2024-01-02T03:04:05Z\n")
    for name in ("f.json", "f.csv"):
        for kind in ("strings", "typed"):
            assert printed(TASK, str(tmp_path / name), kind) == "False\n", (name, kind)


def test_inferring_json_does_not_wait_for_arrow(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "f.json").write_text('{"a": 1}\n')
    assert printed(LOAD, str(tmp_path)) == "False\n"


def printed(program: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
