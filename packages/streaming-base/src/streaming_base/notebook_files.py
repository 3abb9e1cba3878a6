"""A notebook file as its cells: Databricks' source format (``.py``, ``.sql``) and ``.ipynb``.

A cell is kept as its text would stand in a notebook, so a SQL cell begins with ``%sql``: all kinds of files
give the same cells.  Each cell knows the line of the file where it begins.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from streaming_base.errors import UnreadableNotebook

SUFFIXES = (".py", ".ipynb", ".sql")
_HEADER = "Databricks notebook source"
_COMMENTS = {".py": "#", ".sql": "--"}
_OTHER_LANGUAGES = {"scala": "Scala", "r": "R"}
# The title above a cell: whether it is shown (0 or 1), and its text.
TITLE = re.compile(r"\s*(?:#|--|//) DBTITLE (\d+),(.*)")
_VENDOR = "application/vnd.databricks.v1+notebook"
_VENDOR_CELL = "application/vnd.databricks.v1+cell"


@dataclass(frozen=True)
class Cell:
    """One cell.

    Parameters
    ----------
    text
        As it would stand in a notebook.
    line
        Number of its first line in the file, from 1; in an ``.ipynb``, in the cell, where it is 1 or below a title.
    title
        What Databricks shows above the cell, if anything.
    number
        Position in an ``.ipynb``, from 1; None in a source file, where a line says more.
    """

    text: str
    line: int
    title: str | None = None
    number: int | None = None

    @property
    def magic(self) -> str | None:
        """The name after the percent sign that the cell begins with, such as ``sql``; None for Python."""
        first = self.text.split(None, 1)[:1]
        found = re.fullmatch(r"%([A-Za-z][\w-]*)", first[0]) if first else None
        return found[1] if found else None

    @property
    def markdown(self) -> str | None:
        """The Markdown of the cell, without ``%md``; None for code."""
        if self.magic not in ("md", "md-sandbox"):
            return None
        return self.text.lstrip().removeprefix(f"%{self.magic}").lstrip(" \t").removeprefix("\n")


@dataclass(frozen=True)
class NotebookSource:
    """A notebook file that was read."""

    path: Path
    cells: tuple[Cell, ...]


def is_databricks_source(path: str | PathLike[str]) -> bool:
    """Whether the file begins as Databricks writes a notebook, and is therefore not just a script."""
    path = Path(path)
    mark = _COMMENTS.get(path.suffix.lower())
    if mark is None or not path.is_file():
        return False
    with path.open("rb") as file:
        return _has_header(file.read(200).decode("utf-8-sig", errors="replace"), mark)


def read(path: str | PathLike[str]) -> NotebookSource:
    """Return the notebook in a file.

    Raises
    ------
    UnreadableNotebook
        It is not text in UTF-8, not a notebook, or in a language that does not run here.
    """
    path = Path(path)
    text = _text(path)
    suffix = path.suffix.lower()
    if suffix == ".ipynb":
        return NotebookSource(path, tuple(_cells_of_ipynb(path, text)))
    if suffix not in _COMMENTS:
        raise UnreadableNotebook(path, _about_suffix(suffix))
    return NotebookSource(path, tuple(parse(text, suffix)))


def parse(text: str, suffix: str) -> list[Cell]:
    """Return the cells of a Databricks source file.

    Parameters
    ----------
    text : str
        What is in the file. Without the header line it is one cell.
    suffix : str
        ``.py`` or ``.sql``, which says the default language and how comments begin.
    """
    mark = _COMMENTS[suffix]
    lines = text.removeprefix("\ufeff").split("\n")
    start = 1 if _has_header(text, mark) else 0
    separator = re.compile(rf"{mark} COMMAND -{{3,}}\s*")
    cells, block, first = [], [], start
    for number, line in enumerate([*lines[start:], None], start=start):
        if line is not None and not separator.fullmatch(line):
            block.append(line.rstrip("\r"))
            continue
        cells.append(_cell(block, first + 1, mark, suffix))
        block, first = [], number + 1
    return [cell for cell in cells if cell is not None]


def _cell(block: list[str], line: int, mark: str, suffix: str) -> Cell | None:
    """Return the cell of the lines between two separators, or None if they are empty."""
    title = None
    lines = []
    for text in block:
        if text.startswith(mark) and (found := TITLE.fullmatch(text)):
            title = _shown_title(found)
            text = ""  # keeps the count of lines
        lines.append(re.sub(rf"^{mark} MAGIC ?", "", text))
    blank = next((number for number, text in enumerate(lines) if text.strip()), None)
    if blank is None:
        return None
    magic = any(text.startswith(f"{mark} MAGIC") for text in block)
    text = "\n".join(lines[blank:]).rstrip()
    if suffix == ".sql" and not (magic and text.startswith("%")):
        return Cell(f"%sql\n{text}", line + blank - 1, title)
    return Cell(text, line + blank, title)


def _shown_title(found: re.Match[str]) -> str | None:
    """Return a title, or None if it is empty or hidden in Databricks."""
    return found[2].strip() or None if found[1].strip("0") else None


def _cells_of_ipynb(path: Path, text: str) -> list[Cell]:
    try:
        book = json.loads(text)
        cells = book["cells"]
        sources = [(cell["cell_type"], "".join(cell["source"]), _title_entry(cell)) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnreadableNotebook(path, "it is not in notebook format 4; open and save it in JupyterLab.") from error
    language = _language(book)
    if language in _OTHER_LANGUAGES:
        raise UnreadableNotebook(path, _no_such_language(_OTHER_LANGUAGES[language]))
    found = [_ipynb_cell(*parts, number, language) for number, parts in enumerate(sources, start=1)]
    return [cell for cell in found if cell is not None]


def _ipynb_cell(kind: str, source: str, title: str | None, number: int, language: str) -> Cell | None:
    line = 1
    if kind == "code" and (found := TITLE.fullmatch(first := source.split("\n", 1)[0].rstrip("\r"))):
        title, line = _shown_title(found) or title, 2
        source = source[len(first) :].lstrip("\r").removeprefix("\n")
    if not source.strip() or kind == "raw":
        return None
    if kind == "markdown":
        shown = Cell(source, 1).markdown
        return Cell("%md\n" + (source if shown is None else shown), 1, title, number)
    if language == "sql" and not source.lstrip().startswith("%"):
        return Cell(f"%sql\n{source}", line - 1, title, number)
    return Cell(source, line, title, number)


def _title_entry(cell: dict[str, Any]) -> str | None:
    """Return the title in the metadata of an ``.ipynb`` cell; its first line may have one as well."""
    entry = _entry(_entry(cell, "metadata"), _VENDOR_CELL)
    title = entry.get("title")
    return title.strip() or None if entry.get("showTitle") and isinstance(title, str) else None


def _language(book: dict[str, Any]) -> str:
    """Return the default language of a notebook: Databricks' own entry, else Jupyter's."""
    own = _entry(_entry(book, "metadata"), _VENDOR).get("language")
    stock = _entry(_entry(book, "metadata"), "language_info").get("name")
    return str(own or stock or "python").lower()


def _entry(mapping: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a nested mapping, or an empty one if the value is none."""
    value = mapping.get(name)
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableNotebook(path, f"{error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnreadableNotebook(path, f"byte {error.start} is not UTF-8. Save the file in that encoding.") from error


def _has_header(text: str, mark: str) -> bool:
    return text.removeprefix("\ufeff").startswith(f"{mark} {_HEADER}")


def _about_suffix(suffix: str) -> str:
    languages = {".scala": "Scala", ".r": "R"}
    if suffix in languages:
        return _no_such_language(languages[suffix])
    if suffix in (".dbc", ".html"):
        return "it is an archive of a workspace. Export the notebook from Databricks as a source file or .ipynb."
    return "a notebook ends in .py, .sql or .ipynb."


def _no_such_language(language: str) -> str:
    return f"it is written in {language}, and the kernel here speaks Python and SQL."
