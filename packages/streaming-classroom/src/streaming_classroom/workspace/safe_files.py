"""Moves a workspace's files so that nothing of the learner's is lost if the process is killed.

Three rules. A file appears whole and never over another one. A file that the course takes away is first moved aside
and looked at *there*, where nobody can save into it between the look and the removal. And no step relies on a clean-up
that a kill would leave out: the next start finds what was left aside and puts it back.

It lists what is *not* text, so that whatever is unknown counts as the learner's.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from itertools import count
from pathlib import Path
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


_INCOMING = ".course-incoming"
_ASIDE = ".course-aside"
Removable = Callable[[Path, str], bool]
_LEFT_ASIDE = re.compile(rf"\.(?P<name>.+)\.[0-9a-f]{{8}}{re.escape(_ASIDE)}", re.DOTALL)


def put(path: Path, content: bytes) -> bool:
    """Make a new file, whole or not at all; tell whether there was none of that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    incoming = path.with_name(f".{secrets.token_hex(4)}{_INCOMING}")
    incoming.write_bytes(content)
    if move(incoming, path):
        return True
    incoming.unlink()
    return False


def write_over(path: Path, content: bytes) -> None:
    """Write a file of the course's own: a reader sees the old one or the new one."""
    incoming = path.with_name(f".{secrets.token_hex(4)}{_INCOMING}")
    incoming.write_bytes(content)
    incoming.replace(path)


def move(source: Path, target: Path) -> bool:
    """Give a file another name, unless something has that name already; tell whether it was done.

    Killed between its two steps, it leaves the file under both names.
    """
    try:
        target.hardlink_to(source)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if target.exists() or target.is_symlink():
            return False
        source.rename(target)
    else:
        source.unlink()
    return True


def keep(path: Path, name_of: Callable[[int], str]) -> Path:
    """Move a file to the first of some names that is free, and return where it is now."""
    names = (path.with_name(name_of(number)) for number in count(1))
    return next(name for name in names if move(path, name))


def remove(path: Path, is_removable: Removable) -> bool:
    """Remove a file if it may go, and tell whether it is gone; what may not go is there again under its name.

    Parameters
    ----------
    path : Path
        The file.
    is_removable : callable
        Is asked, with where the file is at that moment and its own name, whether it may go.
    """
    if not is_removable(path, path.name):
        return False
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_ASIDE}")
    path.rename(aside)
    return _settle(aside, path, is_removable)


def recover(folder: Path, is_removable: Removable) -> None:
    """Put right what a killed process has left in a folder: what it moved aside is back, or gone if it may go."""
    for left in sorted(folder.glob(f".*{_ASIDE}")):
        if match := _LEFT_ASIDE.fullmatch(left.name):
            _settle(left, left.with_name(match["name"]), is_removable)
    for left in folder.glob(f".*{_INCOMING}"):
        left.unlink()


def _settle(aside: Path, path: Path, is_removable: Removable) -> bool:
    if is_removable(aside, path.name):
        aside.unlink()
        return True
    if path.exists() and path.samefile(aside):  # killed between the two steps of `move`
        aside.unlink()
    elif not move(aside, path):  # somebody has saved another one meanwhile
        keep(aside, lambda number: f"{path.stem} (kept, {number}){path.suffix}")
    return False
