from __future__ import annotations

import json
from pathlib import Path

import pytest

from streaming_base import notebook_files as source
from streaming_base.errors import UnreadableNotebook
from streaming_base.notebook_files import Cell, parse, read

PY = """# Databricks notebook source
import os

# COMMAND ----------

# MAGIC %sql
# MAGIC SELECT 1
# MAGIC
# MAGIC   + 2

# COMMAND ----------

# DBTITLE 1,The title, with a comma
# a comment
x = 1

# COMMAND ----------

# COMMAND ----------

# MAGIC %run ./other $a="b"
"""


def test_cells_of_python_source() -> None:
    assert parse(PY, ".py") == [
        Cell("import os", 2),
        Cell("%sql\nSELECT 1\n\n  + 2", 6),
        Cell("# a comment\nx = 1", 14, "The title, with a comma"),
        Cell('%run ./other $a="b"', 21),
    ]


def test_cells_of_sql_source() -> None:
    text = (
        "-- Databricks notebook source\n-- MAGIC %md\n-- MAGIC # T\n\n-- COMMAND ----------\n\n-- first\nSELECT 1\n\n"
        "-- COMMAND ----------\n\n-- DBTITLE 1,Named\nSELECT 2\n"
    )
    assert parse(text, ".sql") == [
        Cell("%md\n# T", 2),
        Cell("%sql\n-- first\nSELECT 1", 6),
        Cell("%sql\nSELECT 2", 12, "Named"),
    ]


def test_without_a_header_it_is_one_cell() -> None:
    assert parse("SELECT 1;\nSELECT 2\n", ".sql") == [Cell("%sql\nSELECT 1;\nSELECT 2", 0)]


@pytest.mark.parametrize(
    ("text", "magic", "markdown"),
    [
        ("x = 1", None, None),
        ("%md\n# A", "md", "# A"),
        ("%md # A", "md", "# A"),
        ("\n%md-sandbox\n<b>A</b>", "md-sandbox", "<b>A</b>"),
        ("%sql SELECT 1", "sql", None),
        ("%%time\nx", None, None),
        ("", None, None),
    ],
)
def test_the_first_word_says_what_a_cell_is(text: str, magic: str | None, markdown: str | None) -> None:
    cell = Cell(text, 1)
    assert (cell.magic, cell.markdown) == (magic, markdown)


def test_a_title_that_databricks_hides_is_none() -> None:
    text = "# Databricks notebook source\n# DBTITLE 0,--i18n-7\n# MAGIC %md\n# MAGIC text\n"
    assert parse(text, ".py") == [Cell("%md\ntext", 3)]


def test_a_cell_of_an_ipynb_begins_below_its_title(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": ["# DBTITLE 1,T\n", text]} for text in ("%md a", "1 / 0", "")]
    (tmp_path / "x.ipynb").write_text(json.dumps({"cells": cells}))
    assert read(tmp_path / "x.ipynb").cells == (Cell("%md a", 2, "T", 1), Cell("1 / 0", 2, "T", 2))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a.scala", "written in Scala"),
        ("a.r", "written in R"),
        ("a.dbc", "archive of a workspace"),
        ("a.txt", "ends in .py, .sql or .ipynb"),
    ],
)
def test_what_is_no_notebook_here_says_why(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / name).write_text("x")
    with pytest.raises(UnreadableNotebook, match=says):
        read(tmp_path / name)


def test_a_notebook_is_told_from_a_script(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PY)
    (tmp_path / "b.py").write_text("import os\n")
    assert source.is_databricks_source(tmp_path / "a.py")
    assert not source.is_databricks_source(tmp_path / "b.py")
    assert not source.is_databricks_source(tmp_path / "none.py")
