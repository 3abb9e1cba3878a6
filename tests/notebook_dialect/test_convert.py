from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from notebook_dialect.convert import TargetExists, as_notebook, convert
from notebook_dialect.errors import UnreadableNotebook
from streaming_classroom.cli import main

PY = """# Databricks notebook source
# MAGIC %md
# MAGIC # Title

# COMMAND ----------

# DBTITLE 1,Count
x = 1
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    path = tmp_path / "06.1 Lesson.py"
    path.write_text(PY)
    return path


def test_a_notebook_is_written_beside_the_source(lesson: Path) -> None:
    target = convert(lesson)
    assert target == lesson.with_name("06.1 Lesson.ipynb")
    first, title, code = nbformat.read(target, 4).cells
    assert first.source.endswith("%load_ext notebook_dialect")
    assert (title.cell_type, title.source) == ("markdown", "# Title")
    assert (code.source, code.metadata["name"], code.metadata["source_line"]) == ("x = 1", "Count", 8)


def test_it_is_valid_and_the_same_each_time(lesson: Path, tmp_path: Path) -> None:
    one, two = convert(lesson), convert(lesson, tmp_path / "two.ipynb")
    nbformat.validate(nbformat.read(one, 4))
    assert one.read_bytes() == two.read_bytes()


def test_an_existing_notebook_is_not_overwritten(lesson: Path) -> None:
    target = convert(lesson)
    target.write_text("mine")
    with pytest.raises(TargetExists, match=r"exists already\. Remove it, or name another file with --output"):
        convert(lesson)
    assert target.read_text() == "mine"


def test_a_script_is_no_notebook(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print(1)\n")
    with pytest.raises(UnreadableNotebook, match="it is a script"):
        convert(tmp_path / "script.py")
    assert not (tmp_path / "script.ipynb").exists()


def test_tags_of_an_ipynb_stay_and_sql_gets_its_first_line(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "raw", "source": "raw", "metadata": {}},
        {"cell_type": "code", "source": ["SELECT 1"], "metadata": {"tags": ["raises-exception"]}, "outputs": []},
        {"cell_type": "markdown", "source": ["%md\n", "text"], "metadata": {}},
    ]
    metadata = {"application/vnd.databricks.v1+notebook": {"language": "sql"}}
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 0}))
    sql, text = as_notebook(path).cells
    assert (sql.source, sql.metadata["tags"]) == ("%sql\nSELECT 1", ["raises-exception"])
    assert (text.cell_type, text.source) == ("markdown", "text")


def test_the_command_says_what_it_wrote_and_what_is_wrong(lesson: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["convert", str(lesson)]) == 0
    assert "06.1 Lesson.ipynb" in capsys.readouterr().out
    assert main(["convert", str(lesson)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert main(["convert", str(lesson.with_name("none.py"))]) == 1
    assert "No such file" in capsys.readouterr().err
