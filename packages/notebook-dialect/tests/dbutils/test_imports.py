from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from notebook_dialect.dbutils.imports import NotebookModules

NAMES = ("databricks", "databricks.sdk", "databricks.sdk.runtime", "pyspark.dbutils")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Leave Python's import system as it was."""
    finders, modules = list(sys.meta_path), dict(sys.modules)
    for name in NAMES:
        sys.modules.pop(name, None)
    yield
    sys.meta_path[:] = finders
    for name in NAMES:
        sys.modules.pop(name, None)
        if name in modules:
            sys.modules[name] = modules[name]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a folder of installed packages of the test's own."""
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    return tmp_path


def test_the_notebooks_objects_can_be_imported() -> None:
    NotebookModules().install({"dbutils": "utilities", "spark": "session", "other": 1})
    runtime = importlib.import_module("databricks.sdk.runtime")
    assert (runtime.dbutils, runtime.spark, runtime.__all__) == ("utilities", "session", ["dbutils", "spark"])
    assert importlib.import_module("pyspark.dbutils").DBUtils("a session") == "utilities"


@pytest.mark.parametrize("name", NAMES)
def test_pythons_own_search_finds_them_before_and_after_the_import(name: str) -> None:
    NotebookModules().install({"dbutils": "utilities"})
    assert find_spec(name).name == name
    importlib.import_module(name)
    assert find_spec(name).name == name


def test_a_package_that_is_really_installed_is_the_one_that_is_imported(installed: Path) -> None:
    (installed / "databricks" / "sdk" / "runtime").mkdir(parents=True)
    (installed / "databricks" / "sdk" / "runtime" / "__init__.py").write_text("dbutils = 'the real one'")
    NotebookModules().install({"dbutils": "ours"})
    assert importlib.import_module("databricks.sdk.runtime").dbutils == "the real one"


def test_beside_another_package_of_that_name_ours_is_still_there(installed: Path) -> None:
    (installed / "databricks" / "connect").mkdir(parents=True)
    (installed / "databricks" / "connect" / "__init__.py").write_text("version = 1")
    NotebookModules().install({"dbutils": "ours"})
    assert importlib.import_module("databricks.connect").version == 1
    assert importlib.import_module("databricks.sdk.runtime").dbutils == "ours"


def test_a_second_notebook_takes_the_place_of_the_first() -> None:
    NotebookModules().install({"dbutils": "first"})
    module = importlib.import_module("databricks.sdk.runtime")
    NotebookModules().install({"dbutils": "second"})
    assert module.dbutils == importlib.import_module("databricks.sdk.runtime").dbutils == "second"
    assert sum(isinstance(finder, NotebookModules) for finder in sys.meta_path) == 1
