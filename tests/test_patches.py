"""Every wrapped method of Spark keeps its signature, and gets back what it was."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import declarative_pipelines
import pyspark_cloudfiles
from notebook_dialect.sql import spark_sql
from stream_view import console, starts
from streaming_classroom.kafka import client

# Runs in a process of its own, without a session, because other tests have installed everything in this one.
CHAIN = """
import inspect, json
import pyspark_cloudfiles
from declarative_pipelines.engine import session
from notebook_dialect.sql import spark_sql
from pyspark.sql import DataFrameReader, DataFrameWriter, SparkSession
from pyspark.sql.classic.dataframe import DataFrame
from pyspark.sql.streaming import DataStreamReader, DataStreamWriter
from pyspark_cloudfiles import wrappers
from stream_view import console
from streaming_base import builders, hooks
from streaming_classroom.kafka import client

INSTALL = {
    "pyspark_cloudfiles": lambda: wrappers.install_in(SparkSession, DataStreamReader, True),
    "notebook_dialect": spark_sql.install,
    "stream_view": console.install,
    "declarative_pipelines": session.install_interception,
    "streaming_classroom": client.install_redirect,
}
CLASSES = (SparkSession, DataFrame, DataFrameReader, DataFrameWriter, DataStreamReader, DataStreamWriter)

def attributes():
    return {(hook.owner, hook.name): vars(hook.owner).get(hook.name) for hook in everything}

def replaced():
    for kind in CLASSES:
        for name, value in vars(kind).items():
            code = getattr(value.fget if isinstance(value, property) else value, "__code__", None)
            if code is not None and any(f"/{package}/" in code.co_filename for package in INSTALL):
                yield kind, name

for install in INSTALL.values():
    install()
everything = hooks.table()
installed = attributes()
for install in INSTALL.values():  # a second time
    install()
assert attributes() == installed
assert set(replaced()) <= installed.keys()
for hook in everything:
    assert hook.why, hook
    now, original = getattr(hook.owner, hook.name), hook.layer and hooks.original(hook.owner, hook.name)
    if hook.layer:
        assert now.__doc__ == original.__doc__, hook
        assert isinstance(original, property) or inspect.signature(now) == inspect.signature(original), hook
order = [(hook.owner.__name__, hook.name, hook.by) for hook in everything if hook.layer]
for package in (*INSTALL, builders.PACKAGE):
    hooks.remove(package)
assert hooks.table() == ()
before = attributes()
assert not [key for key, value in before.items() if hasattr(value, "__wrapped__")]
print(json.dumps(sorted({by for _owner, _name, by in order})))
"""


@pytest.mark.slow
def test_hooks_keep_signatures_and_are_gone_when_they_are_removed() -> None:
    done = subprocess.run([sys.executable, "-c", CHAIN], capture_output=True, text=True, timeout=300)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        "declarative_pipelines",
        "notebook_dialect",
        "pyspark_cloudfiles",
        "stream_view",
        "streaming_base",
        "streaming_classroom",
    ]


@pytest.mark.slow
def test_wrapped_methods_take_the_keywords_of_sparks_documentation(spark: SparkSession) -> None:
    pyspark_cloudfiles.install(spark)
    spark_sql.install()
    console.install()
    starts.install(spark)
    client.install_redirect()
    declarative_pipelines.install()
    spark.range(3).createOrReplaceTempView("three")
    assert spark.sql(sqlQuery="SELECT count(*) FROM three").first()[0] == 3
    assert spark.sql(sqlQuery="SELECT :n", args={"n": 4}).first()[0] == 4
    assert spark.sql("SELECT count(*) FROM {df}", df=spark.range(5)).first()[0] == 5
    assert spark.table(tableName="three").count() == spark.read.table(tableName="three").count() == 3
    reader = spark.readStream.format(source="rate").option(key="rowsPerSecond", value=1)
    assert reader.load(path=None).isStreaming
    with pytest.raises(AnalysisException, match="Source name 'ticks'"):  # it got so far; a setting allows more
        spark.readStream.format(source="rate").name(source_name="ticks").load()
