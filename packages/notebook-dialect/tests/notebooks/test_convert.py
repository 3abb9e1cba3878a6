from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from notebook_dialect.conversion import TargetExists, as_notebook, convert
from streaming_base.errors import UnreadableNotebook
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
    first, text, title, code = nbformat.read(target, 4).cells
    assert first.source.endswith("%load_ext notebook_dialect")
    assert (text.cell_type, text.source) == ("markdown", "# Title")
    assert (title.cell_type, title.source) == ("markdown", "#### Count")
    assert (code.source, code.metadata["source_line"]) == ("x = 1", 8)


@pytest.mark.parametrize(
    "title", ["my_table, _id_ and __all__", "a * b * c", "1 < 2 & `x` &amp; [y](z) | ~~w~~ $3 to $4", "C\\ #"]
)
def test_a_title_is_shown_as_it_is_written(tmp_path: Path, title: str) -> None:
    from bs4 import BeautifulSoup
    from markdown_it import MarkdownIt

    path = tmp_path / "x.py"
    path.write_text(f"# Databricks notebook source\n# DBTITLE 1,{title}\nx = 1\n")
    heading, _code = as_notebook(path).cells
    shown = BeautifulSoup(MarkdownIt("gfm-like", {"linkify": False}).render(heading.source), "html.parser")
    assert shown.h4.get_text() == title and not shown.h4.find_all(True)


def test_titles_of_an_ipynb_are_shown_and_its_cells_keep_their_numbers(tmp_path: Path) -> None:
    def cell(source: str, kind: str = "code", **title: object) -> dict:
        metadata = {"application/vnd.databricks.v1+cell": title}
        return {"cell_type": kind, "source": source, "metadata": metadata}

    cells = [
        cell("x = 1", title="Shown", showTitle=True),
        cell("x = 2", title="Hidden", showTitle=False),
        cell("", title="Empty", showTitle=True),
        cell("# DBTITLE 1,Above\n%sql\nSELECT 1"),
        cell("# DBTITLE 0,--i18n-1\n%md\ntext"),
        cell("text", "markdown", title="Of text", showTitle=True),
    ]
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 0}))
    assert [(made.source, made.metadata["source_cell"]) for made in as_notebook(path).cells] == [
        ("#### Shown", 1),
        ("x = 1", 1),
        ("x = 2", 2),
        ("#### Above", 4),
        ("%sql\nSELECT 1", 4),
        ("text", 5),
        ("#### Of text", 6),
        ("text", 6),
    ]


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
