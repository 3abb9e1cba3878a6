from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from notebook_dialect.dbutils.utilities import NotebookModules

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
