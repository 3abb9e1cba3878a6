"""The language of a cell, by its first line: ``%sql``, ``%md`` and others hold to the cell's end.

Stock IPython takes a single percent sign for one line only; an input transformer turns such a cell into a cell
magic before it is parsed.  Above it may stand the cell's title, which Databricks keeps as a comment.
"""

from __future__ import annotations

from streaming_base.notebook_files import TITLE

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
