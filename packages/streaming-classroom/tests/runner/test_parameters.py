"""A parameter that nothing takes is named before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom.runner.parameters import refuse_unknown
from streaming_classroom.runner.results import UnknownParameter

NOTEBOOK = """# Databricks notebook source
dbutils.widgets.text("region", "north")
print(dbutils.widgets.get("day"), limit)
# COMMAND ----------
# MAGIC %run ./Set up
# COMMAND ----------
# MAGIC %sql
# MAGIC SELECT * FROM ${table} WHERE city = :city
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(NOTEBOOK)
    (tmp_path / "Set up.py").write_text("# Databricks notebook source\nmode = getArgument('mode')\n")
    return tmp_path / "own.py"


@pytest.mark.parametrize("name", ["region", "day", "limit", "mode", "table", "city"])
def test_widgets_variables_and_what_is_included_take_a_parameter(notebook: Path, name: str) -> None:
    refuse_unknown([name], [notebook])


@pytest.mark.parametrize(("name", "meant"), [("regoin", "region"), ("limits", "limit"), ("MODE", "mode"), ("x", None)])
def test_a_name_that_nothing_takes_is_refused_with_the_nearest(notebook: Path, name: str, meant: str | None) -> None:
    with pytest.raises(UnknownParameter) as caught:
        refuse_unknown(["region", name], [notebook])
    assert (caught.value.name, caught.value.nearest) == (name, meant)
    assert meant is None or str(caught.value).endswith(f"Did you mean {meant}?")


def test_one_of_several_notebooks_is_enough(notebook: Path, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("# Databricks notebook source\nprint(1)\n")
    refuse_unknown(["region"], [tmp_path / "other.py", notebook])


def test_what_cannot_be_read_is_not_judged(notebook: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("# Databricks notebook source\n# MAGIC %run ./Nowhere\n")
    refuse_unknown(["regoin"], [tmp_path / "broken.py"])


def test_a_lesson_of_the_course_takes_none_but_its_own(notebook: Path) -> None:
    lessons = sorted((Path(__file__).parents[4] / "notebooks").glob("0[01]-*.ipynb"))
    with pytest.raises(UnknownParameter, match="'no_such_name'"):
        refuse_unknown(["no_such_name"], lessons)
