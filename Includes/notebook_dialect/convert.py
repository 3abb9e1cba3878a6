"""A Databricks notebook as a Jupyter notebook: the same cells, in the same order, in format 4.5."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from notebook_dialect import source
from notebook_dialect.errors import UnreadableNotebook
from stream_view.errors import ExplainedError

if TYPE_CHECKING:
    from nbformat import NotebookNode

# In the metadata of a converted cell: the line of the source file where the cell begins.
ORIGIN = "source_line"
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_FIRST_CELL = (
    "# What Databricks gives every notebook: spark, dbutils, display, and the magics. There, leave this cell out.\n"
    "%load_ext {extension}"
)


class TargetExists(ExplainedError):
    """The file that a conversion would write is there already: remove it, or name another."""

    def __str__(self) -> str:
        return f"{self.args[0]} exists already. Remove it, or name another file with --output."


def convert(path: Path, target: Path | None = None, extension: str = "notebook_dialect") -> Path:
    """Write a notebook beside a Databricks source file and return its path.

    The new notebook begins with a cell that brings the dialect into a stock kernel of the course's environment.

    Parameters
    ----------
    path : Path
        ``.py`` or ``.sql`` in Databricks' source format, or an ``.ipynb`` exported from there.
    target : Path, optional
        By default, the same name with the suffix ``.ipynb``.
    extension : str
        The IPython extension that the first cell loads.

    Raises
    ------
    UnreadableNotebook
        It is no such file.
    TargetExists
        The target is there already.
    """
    import nbformat

    target = path.with_suffix(".ipynb") if target is None else target
    book = as_notebook(path)
    book.cells.insert(0, nbformat.v4.new_code_cell(_FIRST_CELL.format(extension=extension), id="classroom"))
    try:
        with target.open("x", encoding="utf-8") as file:
            nbformat.write(book, file)
    except FileExistsError:
        raise TargetExists(str(target)) from None
    return target


def as_notebook(path: Path) -> NotebookNode:
    """Return a notebook file as a Jupyter notebook; each cell keeps its text, and of an ``.ipynb`` its tags.

    Raises
    ------
    UnreadableNotebook
        It is no notebook that runs here.
    """
    import nbformat

    notebook = source.read(path)
    if path.suffix == ".py" and not source.is_databricks_source(path):
        raise UnreadableNotebook(path, "it is a script: its first line is not '# Databricks notebook source'.")
    cells = [_cell(cell, number) for number, cell in enumerate(notebook.cells, start=1)]
    for cell, tags in zip(cells, _tags(path, notebook), strict=True):
        cell.metadata.update(tags)
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": dict(KERNELSPEC)})


def _cell(cell: source.Cell, number: int) -> NotebookNode:
    from nbformat.v4 import new_code_cell, new_markdown_cell

    origin = {} if cell.number is not None else {ORIGIN: cell.line}
    identity = f"cell-{number}"  # the same file gives the same notebook
    if cell.markdown is not None:
        return new_markdown_cell(cell.markdown, id=identity, metadata=origin)
    title = {"name": cell.title} if cell.title else {}
    return new_code_cell(cell.text, id=identity, metadata={**origin, **title})


def _tags(path: Path, notebook: source.Source) -> list[dict]:
    """Return the tags of each cell of an ``.ipynb``."""
    import json

    if path.suffix != ".ipynb":
        return [{}] * len(notebook.cells)
    cells = json.loads(path.read_bytes())["cells"]
    metadata = [cells[cell.number - 1].get("metadata") for cell in notebook.cells]
    found = [entry.get("tags") if isinstance(entry, dict) else None for entry in metadata]
    return [{"tags": list(map(str, tags))} if isinstance(tags, list) and tags else {} for tags in found]
