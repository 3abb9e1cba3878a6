"""The cells of a notebook file in Jupyter: their languages, and a whole notebook written as an ``.ipynb`` (format 4.5).

``%sql``, ``%md`` and others in a cell's first line hold to the cell's end.  Stock IPython takes a single percent sign
for one line only; an input transformer turns such a cell into a cell magic before it is parsed.  Above it may stand
the cell's title, which Databricks keeps as a comment; in a converted notebook it is a cell of Markdown, as Jupyter's
have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_base import notebook_files as source
from streaming_base.errors import ExplainedError, UnreadableNotebook
from streaming_base.notebook_files import TITLE

if TYPE_CHECKING:
    from nbformat import NotebookNode

# What the word after the percent sign becomes as the name of a cell magic; None for Python itself.
LANGUAGES = {
    "sql": "sql",
    "md": "md",
    "md-sandbox": "md",
    "sh": "sh",
    "fs": "fs",
    "scala": "scala",
    "r": "r_language",  # rpy2 has a magic of the name R
    "skip": "skip",
    "environment": "environment",
    "python": None,
}


def to_cell_magic(lines: list[str]) -> list[str]:
    """Return a cell that begins with a language's name as a cell magic; any other unchanged."""
    start = next((number for number, line in enumerate(lines) if line.strip() and not TITLE.match(line)), None)
    if start is None:
        return lines
    word, *rest = lines[start].strip().split(None, 1)
    if word == "%run" and not rest:
        return _with_next_line(lines, start)
    if word.startswith("%%") and any(map(TITLE.match, lines[:start])):
        return lines[start:]  # IPython knows a cell magic on a first line only
    if not word.startswith("%") or word[1:] not in LANGUAGES:
        return lines
    magic = LANGUAGES[word[1:]]
    if magic is None:
        return [*lines[:start], *_rest_as_line(rest), *lines[start + 1 :]]
    # IPython refuses a cell magic without a body, but not a line magic.
    body = "".join([*_rest_as_line(rest), *lines[start + 1 :]])
    return [f"%%{magic}\n", *body.splitlines(keepends=True)] if body.strip() else [f"%{magic}\n"]


def _with_next_line(lines: list[str], start: int) -> list[str]:
    """Return a cell whose ``%run`` has the notebook's name on the next line, with the two joined."""
    name = next((number for number in range(start + 1, len(lines)) if lines[number].strip()), None)
    if name is None:
        return lines
    blank = ["\n"] * (name - start)  # keeps the count of lines
    return [*lines[:start], *blank, f"%run {lines[name].strip()}\n", *lines[name + 1 :]]


def _rest_as_line(rest: list[str]) -> list[str]:
    """Return the rest of the first line as a line of the body; a blank line keeps the line count."""
    return [(rest[0] if rest else "") + "\n"]


# In the metadata of a converted cell: the line of the source file where the cell begins, or its number in an .ipynb.
ORIGIN = "source_line"
ORIGIN_CELL = "source_cell"
# What JupyterLab writes into a notebook that it opens, without Python's version, which differs between machines.
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
_FIRST_CELL = (
    "# What Databricks gives every notebook: spark, dbutils, display, and the magics. There, leave this cell out.\n"
    "%load_ext {extension}"
)


class TargetExists(ExplainedError):
    """The file that a conversion would write is there already: remove it, or name another."""

    def __str__(self) -> str:
        return f"{self.args[0]} exists already. Remove it, or name another file with --output."


def convert(
    path: str | PathLike[str], target: str | PathLike[str] | None = None, extension: str = "notebook_dialect"
) -> Path:
    """Write a notebook beside a Databricks source file and return its path.

    The new notebook begins with a cell that brings the dialect into a stock kernel of the course's environment.

    Parameters
    ----------
    path : str or PathLike
        ``.py`` or ``.sql`` in Databricks' source format, or an ``.ipynb`` exported from there.
    target : str or PathLike, optional
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

    path = Path(path)
    target = path.with_suffix(".ipynb") if target is None else Path(target)
    book = as_notebook(path)
    book.cells.insert(0, nbformat.v4.new_code_cell(_FIRST_CELL.format(extension=extension), id="classroom"))
    try:
        with target.open("x", encoding="utf-8") as file:
            nbformat.write(book, file)
    except FileExistsError:
        raise TargetExists(str(target)) from None
    return target


def as_notebook(path: str | PathLike[str]) -> NotebookNode:
    """Return a notebook file as a Jupyter notebook; each cell keeps its text, and of an ``.ipynb`` its tags.

    A cell with a title stands below a Markdown cell that shows it.
    """
    import nbformat

    path = Path(path)
    notebook = source.read(path)
    if path.suffix == ".py" and not source.is_databricks_source(path):
        raise UnreadableNotebook(path, "it is a script: its first line is not '# Databricks notebook source'.")
    cells = [
        made
        for number, (cell, tags) in enumerate(zip(notebook.cells, _tags(path, notebook), strict=True), start=1)
        for made in _cells(cell, number, tags)
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata=jupyter_metadata())


def jupyter_metadata() -> dict[str, dict]:
    """Return notebook metadata that JupyterLab does not change on opening, for kernels without a version."""
    return {"kernelspec": deepcopy(KERNELSPEC), "language_info": deepcopy(LANGUAGE)}


def _cells(cell: source.Cell, number: int, tags: dict) -> Iterator[NotebookNode]:
    """Yield a cell, below its title if it has one."""
    from nbformat.v4 import new_code_cell, new_markdown_cell

    origin = {ORIGIN: cell.line} if cell.number is None else {ORIGIN_CELL: cell.number}
    identity = f"cell-{number}"  # the same file gives the same notebook
    if cell.title:
        yield new_markdown_cell(f"#### {_as_markdown(cell.title)}", id=f"{identity}-title", metadata=dict(origin))
    metadata = {**origin, **tags}
    if cell.markdown is not None:
        yield new_markdown_cell(cell.markdown, id=identity, metadata=metadata)
    else:
        yield new_code_cell(cell.text, id=identity, metadata=metadata)


def _as_markdown(text: str) -> str:
    """Return Markdown that renders as the given text, such as ``a * b * c`` or ``<x>``."""
    between_letters = r"(?<=[^\W_])_(?=[^\W_])"  # where an underscore is one, as in my_table
    return re.sub(rf"(?!{between_letters})([\\`*_\[\]<>$~|#&])", r"\\\1", text)


def _tags(path: Path, notebook: source.NotebookSource) -> list[dict]:
    """Return the tags of each cell of an ``.ipynb``."""
    import json

    if path.suffix != ".ipynb":
        return [{}] * len(notebook.cells)
    cells = json.loads(path.read_bytes())["cells"]
    metadata = [cells[cell.number - 1].get("metadata") for cell in notebook.cells]
    found = [entry.get("tags") if isinstance(entry, dict) else None for entry in metadata]
    return [{"tags": list(map(str, tags))} if isinstance(tags, list) and tags else {} for tags in found]
