"""A digest of a lesson's text that outputs and JupyterLab's own edits do not change.

It lists what is *not* text, so that whatever is unknown counts as the learner's.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

NOTEBOOK = ".ipynb"
_OF_JUPYTERS_NOTEBOOK = {"kernelspec", "language_info", "widgets", "signature", "orig_nbformat", "toc-autonumbering"}
_OF_JUPYTERS_NOTEBOOK |= {"toc-showcode", "toc-showmarkdowntxt", "toc-showtags"}
_OF_JUPYTERS_CELL = {"trusted", "collapsed", "scrolled", "execution", "ExecuteTime", "jupyter", "vscode"}
_OF_JUPYTERS_CELL |= {"heading_collapsed", "jp-MarkdownHeadingCollapsed"}
_NO_TEXT = {"id", "outputs", "execution_count"}


def digest(name: str, content: bytes) -> str:
    """Return a digest of the text of a file: of a notebook without its outputs, of any other file as it is.

    Raises
    ------
    ValueError
        It is named as a notebook and is none.
    """
    if name.endswith(NOTEBOOK):
        content = json.dumps(_text(_notebook(content)), sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()


def untouched_digest(name: str, content: bytes) -> str | None:
    """Return the digest of a file that shows no work; None where a cell has been run, or where it cannot be read."""
    try:
        if name.endswith(NOTEBOOK) and any(map(_has_been_run, _notebook(content)["cells"])):
            return None
        return digest(name, content)
    except ValueError:
        return None


def without_outputs(content: bytes) -> bytes:
    """Return a notebook as nobody has run it yet."""
    import nbformat

    nb = nbformat.v4.reads(content.decode("utf-8"))
    nb.metadata.pop("widgets", None)  # the state of those that its outputs showed
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
            cell.metadata.pop("execution", None)
    return (nbformat.v4.writes(nb).rstrip("\n") + "\n").encode("utf-8")


def _notebook(content: bytes) -> dict[str, Any]:
    nb = json.loads(content.decode("utf-8"))
    if not isinstance(nb, dict) or nb.get("nbformat") != 4 or not isinstance(nb.get("cells"), list):
        raise ValueError("not a notebook in format 4")
    if not all(isinstance(cell, dict) for cell in nb["cells"]):
        raise ValueError("a cell of it is none")
    return nb


def _text(nb: dict[str, Any]) -> dict[str, Any]:
    return {
        "metadata": _without(nb.get("metadata"), _OF_JUPYTERS_NOTEBOOK),
        "cells": [_text_of_cell(cell) for cell in nb["cells"]],
    }


def _text_of_cell(cell: dict[str, Any]) -> dict[str, Any]:
    source = cell.get("source", "")
    return {
        **_without(cell, _NO_TEXT),
        # The format allows both, and they are the same text.
        "source": "".join(map(str, source)) if isinstance(source, list) else source,
        "metadata": _without(cell.get("metadata"), _OF_JUPYTERS_CELL),
    }


def _without(entries: object, names: set[str]) -> dict[str, Any]:
    if not isinstance(entries, dict):
        raise ValueError(f"{entries!r} where a notebook has names with values")
    return {name: value for name, value in entries.items() if name not in names}


def _has_been_run(cell: dict[str, Any]) -> bool:
    return bool(cell.get("outputs")) or cell.get("execution_count") is not None
