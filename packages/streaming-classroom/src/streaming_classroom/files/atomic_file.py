"""Small files that are written whole or not at all, even if the writer is killed."""

from __future__ import annotations

from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write a text as UTF-8 in one step: a reader sees what was there before, or all of this.

    Parameters
    ----------
    path : Path
        The file; its folder is made where it is not there.
    text : str
        What it holds from then on.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
