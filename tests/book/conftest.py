"""A book of a few pages, and processes that have imported nothing yet."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

PROJECT = Path(__file__).parents[2]
README = """# A small course

It has one lesson. And [CI](docs/ci.md).

![A picture of a screen with a table](notebooks/images/screen.svg)

## Start

```
python course.py lab
```

## Three paths

* **Learn.** Read [Learning](docs/learning.md).
* **Teach.** Read [Teaching](docs/teaching.md).
* **Use the packages** without the course:

| package | what it does |
| --- | --- |
| [spark_hooks](packages/spark-hooks/README.md) | chains |

## Lessons

| | lesson | question |
| --- | --- | --- |
| 00 | [Start Here](notebooks/00-Start-Here.ipynb) | What is there? |
"""
LESSON = """# 00 · Start Here

**The question:** what is there?

**Time:** 3 minutes.

A [watermark](Glossary.md#watermark), [CI](../docs/ci.md), [the license](../LICENSE).

![A picture of a screen with a table](images/screen.svg)

<details><summary>For instructors</summary>

Say *this*.
</details>"""
FILES = {
    "README.md": README,
    "LICENSE": "Free.",
    "pyproject.toml": "",
    "docs/learning.md": "# Learning with it\n\nIn order.",
    "docs/teaching.md": "# Teaching with it\n\n[The first page](../README.md#start).",
    "docs/ci.md": "# CI\n\n## Run\n\n```\npython course.py run\n```",
    "docs/on-databricks.md": "# On Databricks",
    "notebooks/Glossary.md": "# Glossary\n\n## Watermark\n\nHow late rows may be.",
    "notebooks/images/screen.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>',
    "packages/spark-hooks/README.md": "# spark_hooks: hooks\n\n[Its code](src/spark_hooks/__init__.py).",
    "packages/spark-hooks/CHANGELOG.md": "# Changelog\n\n## 0.1.0\n\n* New.",
    "packages/spark-hooks/src/spark_hooks/__init__.py": "",
}


@pytest.fixture
def small_project(tmp_path: Path) -> Path:
    """A checkout with one lesson and a page of each kind."""
    project = tmp_path / "project"
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    frame = nbformat.v4.new_output("display_data", {"text/html": "<table><tr><td>17</td></tr></table>"})
    cells = [
        nbformat.v4.new_markdown_cell(LESSON),
        nbformat.v4.new_code_cell("%sql\nSELECT 17", outputs=[frame]),
        nbformat.v4.new_code_cell("DA.quiz(1)"),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})
    nbformat.write(notebook, project / "notebooks" / "00-Start-Here.ipynb")
    return project


@pytest.fixture
def run_fresh() -> Callable[[str], str]:
    """Run Python in a process of its own, with the tools; return what it prints."""

    def run(code: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(PROJECT / "tools")}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=True
        )
        return done.stdout

    return run
