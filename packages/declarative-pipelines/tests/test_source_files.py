"""Files of a pipeline: which are meant, what they define, and which names they find defined outside a notebook."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from declarative_pipelines import source_files
from declarative_pipelines.definitions import api_modules
from declarative_pipelines.errors import BadArgument, BadDefinition
from declarative_pipelines.source_files import names_for_files
from streaming_base import front_end
from streaming_base.errors import NotAvailable

TABLE = "import dlt\n@dlt.table\ndef {}(): ...\n"


@pytest.fixture(autouse=True)
def _installed() -> None:
    api_modules.install()


def defined(*paths: Path) -> list[tuple[str, int]]:
    definitions = source_files.read(source_files.files(paths), {})
    return [(dataset.name, dataset.location.line) for dataset in definitions.datasets]


def test_a_folder_is_all_files_in_it(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.py").write_text(TABLE.format("two"))
    (tmp_path / "a.py").write_text(TABLE.format("one"))
    (tmp_path / "notes.txt").write_text("")
    assert defined(tmp_path) == [("one", 2), ("two", 2)]


@pytest.mark.parametrize(
    ("name", "words"),
    [("pipelin.py", "Did you mean pipeline.py"), ("notes.txt", "defines nothing"), ("empty", "has no file that ends")],
)
def test_a_path_that_is_wrong(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "pipeline.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadArgument, match=words):
        source_files.files([tmp_path / name])


def test_a_databricks_notebook_is_read_cell_by_cell(tmp_path: Path) -> None:
    path = tmp_path / "notebook.py"
    path.write_text(
        "# Databricks notebook source\n# MAGIC %md\n# MAGIC Words\n# COMMAND ----------\nimport dlt\n@dlt.table\n"
        "def one(): ...\n# COMMAND ----------\n# MAGIC %sql\n# MAGIC CREATE MATERIALIZED VIEW two AS SELECT 1 AS n\n"
    )
    assert defined(path) == [("one", 6), ("two", 10)]


def test_a_jupyter_notebook_is_read(tmp_path: Path) -> None:
    path = tmp_path / "notebook.ipynb"
    cells = [{"cell_type": "code", "source": TABLE.format("one"), "metadata": {}}]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    assert defined(path) == [("one", 2)]


def test_files_import_those_beside_them(tmp_path: Path) -> None:
    (tmp_path / "helper_of_a_pipeline.py").write_text("NAME = 'one'\n")
    path = tmp_path / "pipeline.py"
    path.write_text("import dlt, helper_of_a_pipeline as h\n@dlt.table(name=h.NAME)\ndef f(): ...\n")
    assert defined(path) == [("one", 2)]


def test_magics_that_change_a_notebook_are_left_out_and_the_rest_of_the_cell_counts(tmp_path: Path) -> None:
    path = tmp_path / "notebook.py"
    path.write_text(
        "# Databricks notebook source\n# MAGIC %environment\n# MAGIC dependencies:\n# MAGIC   - faker\n"
        "# COMMAND ----------\n# MAGIC %pip install faker \\\n# MAGIC   mimesis\nimport dlt\n"
        "# COMMAND ----------\n# first of all\n# MAGIC %restart_python\n@dlt.table\ndef one(): ...\n"
        "# COMMAND ----------\n# MAGIC %sh\n# MAGIC ls\n"
    )
    assert defined(path) == [("one", 12)]


def test_a_cell_of_another_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notebook.py"
    path.write_text("# Databricks notebook source\n# MAGIC %scala\n# MAGIC val x = 1\n")
    with pytest.raises(BadDefinition, match="%scala has no meaning in a pipeline"):
        defined(path)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(front_end, "ipython", lambda: None)
    monkeypatch.setenv("CLASSROOM_SECRET_SHOP_PASSWORD", "told to nobody")
    return names_for_files(SimpleNamespace(sparkContext="sc"), {"country": "NO"})  # type: ignore[arg-type]


def test_widgets_have_the_values_of_the_configuration_and_secrets_are_those_of_the_environment(
    names: dict[str, Any],
) -> None:
    assert names["display"](1, width=2) is None and names["displayHTML"]("<b>words</b>") is None
    widgets = names["dbutils"].widgets
    widgets.text("country", "SE")
    widgets.dropdown("city", "Oslo", ["Oslo", "Bergen"])
    assert (widgets.get("country"), widgets.get("city")) == ("NO", "Oslo")
    assert names["dbutils"].secrets.get("shop", "password") == "told to nobody"
    with pytest.raises(NotAvailable, match=r"no dbutils\.fs"):
        _ = names["dbutils"].fs


def test_in_a_notebook_the_utilities_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    own = object()
    monkeypatch.setattr(front_end, "ipython", lambda: SimpleNamespace(user_ns={"dbutils": own}))
    assert names_for_files(SimpleNamespace(sparkContext=None), {})["dbutils"] is own  # type: ignore[arg-type]
