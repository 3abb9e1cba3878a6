"""A lesson with its solutions filled in, for ``course.py run --solved``."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from streaming_classroom.exercises import catalogue
from streaming_classroom.runner.results import EXERCISE

if TYPE_CHECKING:
    from nbformat import NotebookNode

CHECK = re.compile(r'DA\.check\("(?P<id>[^"]+)"\)')


def exercises(nb: NotebookNode) -> Iterator[tuple[NotebookNode, NotebookNode, str]]:
    """Yield each exercise of a notebook: its cell, the cell that checks it, and its number."""
    starter = None
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        if EXERCISE in cell.metadata.get("tags", []):
            starter = cell
        elif starter is not None and (check := CHECK.fullmatch(cell.source.strip())):
            yield starter, cell, check["id"]
            starter = None


def solved(nb: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook with its solutions in, in which a check that does not find them right fails."""
    nb = copy.deepcopy(nb)
    for starter, check, name in exercises(nb):
        starter.source = catalogue.find(name).solution.strip()
        check.source = f"{check.source.strip()}.or_fail()"
    return nb
