"""Spark looks for packages of data sources only where there may be others than this one."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pyspark_cloudfiles import registration
from pyspark_cloudfiles.errors import PythonWithoutPackages


def found(spark: SparkSession):
    return getattr(getattr(spark._jvm, f"{registration._MANAGER}$"), "MODULE$")


@pytest.fixture
def unlooked(spark: SparkSession):
    """Have a JVM that has not looked yet; afterwards it knows what it knew."""
    manager = found(spark)
    before = manager.dataSourceBuilders()
    put = getattr(manager, "dataSourceBuilders_$eq")
    put(spark._jvm.scala.Option.apply(None))
    yield spark
    put(before)


def test_where_there_is_only_this_package_spark_need_not_look(unlooked: SparkSession):
    registration.skip_source_lookup(unlooked)
    assert found(unlooked).dataSourceBuilders().get().isEmpty()


def test_another_package_is_left_for_spark_to_find(
    unlooked: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "pyspark_others").mkdir()
    (tmp_path / "pyspark_others" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    registration.skip_source_lookup(unlooked)
    assert found(unlooked).dataSourceBuilders().isEmpty()


def session_with(master: str, python: str, settings: dict[str, str] | None = None) -> SimpleNamespace:
    context = SimpleNamespace(master=master, pythonExec=python, getConf=lambda: settings or {})
    return SimpleNamespace(sparkContext=context)


def test_python3_may_be_python_but_not_that_of_another_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for place in ("one", "other"):
        (tmp_path / place).mkdir()
        for name in ("python", "python3"):
            (tmp_path / place / name).symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "one" / "python"))
    for place, alike in (("one", True), ("other", False)):
        session = session_with("local[2]", str(tmp_path / place / "python3"))
        assert registration._have_workers_this_python(session) is alike


@pytest.mark.parametrize(
    ("master", "python", "alike"),
    [
        ("local", sys.executable, True),
        ("local[*]", sys.executable, True),
        ("local[2,3]", sys.executable, True),
        ("local-cluster[2,1,1024]", sys.executable, False),
        ("spark://host:7077", sys.executable, False),
        ("local[2]", "/other/python", False),
    ],
)
def test_workers_elsewhere_may_have_other_packages(master: str, python: str, alike: bool):
    assert registration._have_workers_this_python(session_with(master, python)) is alike


def test_who_starts_workers_by_another_program_says_that_they_are_alike():
    said = {registration.SAME_PACKAGES: "true"}
    assert registration._have_workers_this_python(session_with("local[2]", "/a/launcher", said))


def test_threads_that_load_at_a_time_register_the_source_once():
    registered = []
    slow = SimpleNamespace(register=lambda source: (registered.append(source), time.sleep(0.05)))
    session = SimpleNamespace(dataSource=slow)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(registration.register, [session] * 4))
    assert len(registered) == 1


@pytest.fixture
def python_without_packages(tmp_path: Path) -> Path:
    """Make a ``python3`` that has no packages."""
    program = tmp_path / "bin/python3"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    program.chmod(0o755)
    return program


def test_a_python_that_lacks_the_packages_is_refused_with_what_to_set(python_without_packages: Path):
    said = rf"Spark starts {python_without_packages} .* Set the environment variable PYSPARK_PYTHON to {sys.executable}"
    with pytest.raises(PythonWithoutPackages, match=said):
        registration.refuse_python_without_packages(str(python_without_packages))
    with pytest.raises(PythonWithoutPackages, match="Spark starts no-such-python"):
        registration.refuse_python_without_packages("no-such-python")
    registration.refuse_python_without_packages(sys.executable)


@pytest.mark.slow
def test_a_plain_script_says_what_to_set(run_python: Any, tmp_path: Path, python_without_packages: Path):
    (tmp_path / "in").mkdir()
    script = f"""
from pyspark.sql import SparkSession
import pyspark_cloudfiles
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
pyspark_cloudfiles.install(spark)
spark.readStream.format("cloudFiles").option("cloudFiles.format", "json").schema("id INT").load("{tmp_path}/in")
"""
    found = run_python(script, PYSPARK_PYTHON=str(python_without_packages))
    assert found.returncode != 0
    assert "[CF_PYTHON_WITHOUT_PACKAGES]" in found.stderr and sys.executable in found.stderr
