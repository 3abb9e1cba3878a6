"""The rules for notebooks of others: what fails, leaks or misleads in anybody's notebook.

Nothing is of the lessons' form. The parts of a lesson, its wording and its spelling are the course's own; another
author has another form, and perhaps another language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from notebook_dialect.errors import UnreadableNotebook
from streaming_classroom.runner.runner_errors import InvalidNotebook

from . import code_cells, html_tags, links, machine_paths, outputs, pictures
from .lesson_file import Lesson, read, read_source
from .problem import Problem

Rule = Callable[[Lesson], Iterator[Problem]]

_INSIDE = ("attachment:", "data:")  # a picture that the notebook brings along


def in_order(lesson: Lesson) -> Iterator[Problem]:
    """What is saved is of one run from top to bottom; a notebook may be saved without outputs."""
    if lesson.has_run and (cell := outputs.first_out_of_order(lesson)):
        yield lesson.problem("in-order", "run the notebook from top to bottom in a new kernel, and save it", cell)


def local_pictures(lesson: Lesson) -> Iterator[Problem]:
    """A picture is in the notebook or beside it: a class may have no network."""
    for problem, picture in pictures.strangers(lesson):
        if not str(picture.element.get("src", "")).startswith(_INSIDE):
            yield problem


# Each rule by its name; docs/ci.md says what each asks for.
RULES: dict[str, tuple[Rule, ...]] = {
    "parses": (code_cells.parses,),
    "bare-excepts": (code_cells.bare_excepts,),
    "sleeps": (code_cells.sleeps,),
    "machine-paths": (machine_paths.machine_paths,),
    "in-order": (in_order,),
    "clean": (outputs.clean,),
    "checked": (outputs.marked,),
    "tags": (html_tags.tags,),
    "link-targets": (links.targets,),
    "link-texts": (links.texts,),
    "alt": (pictures.described,),
    "local": (local_pictures,),
}


def check(path: Path, without: frozenset[str] = frozenset()) -> list[Problem]:
    """Return what somebody else's notebook breaks of these rules, from top to bottom.

    The same file always gives the same problems, and nothing in the file makes this raise.

    Parameters
    ----------
    path : Path
        The notebook, ``.ipynb`` or in Databricks' source format.
    without : frozenset of str
        Names of rules that it need not keep.
    """
    try:
        lesson = read(path) if path.suffix.lower() == ".ipynb" else read_source(path)
    except (InvalidNotebook, UnreadableNotebook) as error:
        return [Problem(path, None, None, None, "notebook", f"make it a notebook: {error.reason}")]
    rules = (rule for name, those in RULES.items() if name not in without for rule in those)
    found = [_in_file(lesson, problem) for rule in rules for problem in rule(lesson)]
    return sorted(found, key=lambda problem: (problem.cell or 0, problem.line or 0))


def _in_file(lesson: Lesson, problem: Problem) -> Problem:
    """Return a problem as a reader of the file looks for it: of a file in source format, by the file's line."""
    origin = lesson.cells[problem.cell - 1].origin if problem.cell else None
    if origin is None:
        return problem
    return replace(problem, cell=None, cell_id=None, line=origin + (problem.line or 1) - 1)
