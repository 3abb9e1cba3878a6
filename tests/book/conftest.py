"""The book of a small project that has a page of each kind."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from book.building import build
from book.lesson_pages import WIDGET

LESSON_PATH = "notebooks/00-Start-Here.ipynb"
README = """# A small course

It has one lesson. And more.

![A picture of a screen with a table](notebooks/screen.svg)

## Start

```
python course.py lab
```

## Three paths

* **Learn.** Read.
* **Teach.** Read [Teaching](docs/teaching.md).
* **Use the packages** without the course:

| package | what it does |
| --- | --- |
| [streaming_base](packages/streaming-base/README.md) | chains |
"""
LESSON = """# 00 · Start Here

**The question:** what is there?

**Time:** 3 minutes.

A [watermark](Glossary.md#watermark), [Teaching](../docs/teaching.md), [the license](../LICENSE).

<details><summary>For instructors</summary>Say this.</details>"""
FILES = {
    "README.md": README,
    "LICENSE": "Free.",
    "docs/teaching.md": "# Teaching with it\n\n| | |\n| --- | --- |\n| 1 | [The first page](../README.md#start) |",
    "docs/on-databricks.md": "# On Databricks",
    "notebooks/Glossary.md": "# Glossary\n\n## Watermark\n\nHow late rows may be.",
    "notebooks/screen.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>',
    "packages/streaming-base/README.md": "# streaming_base: hooks\n\n[Its code](src/streaming_base/__init__.py).",
    "packages/streaming-base/src/streaming_base/__init__.py": "",
}


def write_project(project: Path) -> Path:
    """Write a checkout with one lesson, which has an exercise and a question of the course."""
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    frame = nbformat.v4.new_output("display_data", {"text/html": "<table><tr><td>17</td></tr></table>"})
    widget = nbformat.v4.new_output("display_data", {WIDGET: {"model_id": "1"}, "text/plain": "StreamWidget()"})
    cells = [
        nbformat.v4.new_markdown_cell(LESSON),
        nbformat.v4.new_code_cell("%sql\nSELECT 17", outputs=[frame, widget]),
        nbformat.v4.new_code_cell("DA.quiz(1)"),
        nbformat.v4.new_code_cell('DA.check("00.1")'),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), project / LESSON_PATH)
    return project


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built pages."""
    folder = tmp_path_factory.mktemp("book")
    return build(write_project(folder / "project"), folder / "book", "")
