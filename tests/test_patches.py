"""Every patched method of Spark keeps its signature: positional and keyword calls, in any order of installation."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrameReader, DataFrameWriter, SparkSession
from pyspark.sql.classic.dataframe import DataFrame
from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

import declarative_pipelines
import pyspark_cloudfiles
import spark_hooks
from notebook_dialect.session import spark_methods
from spark_hooks import registry
from stream_view import console, starts
from streaming_classroom.kafka import redirect

PACKAGES = ("pyspark_cloudfiles", "notebook_dialect", "stream_view", "declarative_pipelines", "streaming_classroom")

CLASSES = (SparkSession, DataFrame, DataFrameReader, DataFrameWriter, DataStreamReader, DataStreamWriter)


@pytest.fixture
def patched(spark: SparkSession) -> SparkSession:
    """Have a session with everything installed: dialect, Auto Loader, console, Kafka's redirection and pipelines."""
    _install_all(spark)
    return spark


def _install_all(spark: SparkSession) -> None:
    pyspark_cloudfiles.install(spark)
    spark_methods.install()
    console.install()
    starts.install(spark)
    redirect.install()
    declarative_pipelines.install()


def test_every_wrapped_method_has_the_originals_signature_and_docstring(patched: SparkSession) -> None:
    hooks = [hook for hook in spark_hooks.table() if hook.layer]
    assert {hook.by for hook in hooks} >= set(PACKAGES)
    different = []
    for hook in hooks:
        now, original = getattr(hook.owner, hook.name), registry.original(hook.owner, hook.name)
        if now.__doc__ != original.__doc__:
            different.append((hook, "docstring"))
        if not isinstance(original, property) and inspect.signature(now) != inspect.signature(original):
            different.append((hook, "signature"))
    assert different == []


def test_nothing_of_spark_is_replaced_by_other_means(patched: SparkSession) -> None:
    ours = tuple(path.name for path in Path(__file__).parents[1].glob("packages/*/src/*"))
    known = {(hook.owner, hook.name) for hook in spark_hooks.table()}
    found = []
    for kind in CLASSES:
        for name, value in vars(kind).items():
            function = value.fget if isinstance(value, property) else value
            code = getattr(function, "__code__", None)
            if code is not None and any(f"/{package}/" in code.co_filename for package in ours):
                found.append((kind, name))
    assert found and set(found) <= known


def test_each_hook_says_why(patched: SparkSession) -> None:
    assert [hook for hook in spark_hooks.table() if not hook.why] == []


def test_installing_again_changes_nothing(patched: SparkSession) -> None:
    before = {(hook.owner, hook.name): getattr(hook.owner, hook.name) for hook in spark_hooks.table()}
    _install_all(patched)
    assert {(kind, name): getattr(kind, name) for kind, name in before} == before


IN_A_PROCESS_OF_ITS_OWN = """
import itertools
import pyspark_cloudfiles, spark_hooks
from declarative_pipelines.engine import dataset_reads
from notebook_dialect.session import spark_methods
from pyspark.sql import SparkSession
from pyspark.sql.streaming import DataStreamReader
from pyspark_cloudfiles.session import driver
from stream_view import console
from streaming_classroom.kafka import redirect

INSTALL = {
    "pyspark_cloudfiles": lambda: driver.install_in(SparkSession, DataStreamReader, True),
    "notebook_dialect": spark_methods.install,
    "stream_view": console.install,
    "declarative_pipelines": dataset_reads.install,
    "streaming_classroom": redirect.install,
}

def attributes():
    return {(hook.owner, hook.name): vars(hook.owner).get(hook.name) for hook in everything}

for install in INSTALL.values():
    install()
everything = spark_hooks.table()
order = [(hook.owner.__name__, hook.name, hook.by) for hook in everything if hook.layer]
for package in INSTALL:
    spark_hooks.remove(package)
assert spark_hooks.table() == ()
before = attributes()
assert not [key for key, value in before.items() if hasattr(value, "__wrapped__")]

for package, install in INSTALL.items():  # each alone
    install()
    assert {hook.by for hook in spark_hooks.table()} == {package}, package
    spark_hooks.remove(package)
    assert all(attributes()[key] is value for key, value in before.items()), package

for packages in itertools.permutations(INSTALL):
    for package in packages:
        INSTALL[package]()
    now = [(hook.owner.__name__, hook.name, hook.by) for hook in spark_hooks.table() if hook.layer]
    assert sorted(now) == sorted(row for row in order if row in now), packages
    assert [row for row in order if row[1] != "display"] == [row for row in now if row[1] != "display"], packages
    for package in packages:
        spark_hooks.remove(package)
    assert all(attributes()[key] is value for key, value in before.items()), packages
print("restored", len(before))
"""


def test_each_alone_and_all_in_any_order_are_one_chain_and_can_be_taken_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 40


def test_keywords_of_sparks_own_documentation(patched: SparkSession, tmp_path: Path) -> None:
    patched.range(3).createOrReplaceTempView("three")
    assert patched.sql(sqlQuery="SELECT count(*) FROM three").first()[0] == 3
    assert patched.sql(sqlQuery="SELECT :n", args={"n": 4}).first()[0] == 4
    assert patched.sql("SELECT count(*) FROM {df}", df=patched.range(5)).first()[0] == 5
    assert patched.table(tableName="three").count() == patched.read.table(tableName="three").count() == 3
    reader = patched.readStream.format(source="rate").option(key="rowsPerSecond", value=1)
    assert reader.load(path=None).isStreaming
    with pytest.raises(AnalysisException, match="Source name 'ticks'"):  # it got so far; a setting allows more
        patched.readStream.format(source="rate").name(source_name="ticks").load()


def test_arguments_go_with_a_call_of_read_files_and_braces_stay(patched: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id": 1}\n{"id": 2}\n')
    query = (
        f"""SELECT id, '{{"k":1}}' AS text FROM read_files('{tmp_path / "in"}', format => 'json') WHERE id > :least"""
    )
    assert [tuple(row) for row in patched.sql(query.replace("'/", "'file:/"), args={"least": 1}).collect()] == [
        (2, '{"k":1}')
    ]
