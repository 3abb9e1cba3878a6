"""All rules for lessons, the lessons that are excused from some, and the rules for notebooks of other authors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from streaming_base.errors import UnreadableNotebook
from streaming_classroom.runner.results import InvalidNotebook

from . import code, exercises, form, links, pictures, plan, wording
from .lesson import Lesson, Problem, read, read_source

Rule = Callable[[Lesson], Iterator[Problem]]

RULES: tuple[Rule, ...] = (
    # the parts of a lesson
    form.opening,
    plan.stated_time,
    form.set_up,
    form.cleanup,
    form.sectioning,
    form.predictions,
    form.breaking,
    form.review_questions,
    form.reading,
    exercises.quiz,
    exercises.own_lines,
    exercises.same_as_source,
    exercises.complete,
    exercises.labs,
    # the text
    links.tags,
    links.targets,
    links.texts,
    pictures.at_least_one,
    pictures.described,
    pictures.local,
    pictures.drawn,
    wording.wording,
    wording.unfinished,
    # the code and its outputs
    code.short_cells,
    code.parses,
    code.sleeps,
    code.bare_excepts,
    code.figures_of_reports,
    code.machine_paths,
    code.ran,
    code.clean,
    code.enough_checked,
    code.checked,
    code.form,
)

# The rules that a lesson is excused from, and why: by the lesson's number, or by the letter of its form.
EXCUSES = {
    "00": {
        "set-up-is-second": "It says how a cell is run before the first one is to be run.",
    },
    "L": {
        "question": "A lab is a story in which the lesson's question is answered by doing.",
        "objectives": "They are the lesson's: a lab has no idea of its own.",
        "predictions": "What is run is what the learner has written, and the check is the answer.",
        "questions": "The same.",
        "own-lines": "It begins with its first exercise.",
        "break": "What breaks in a lab is what the learner writes.",
        "pictures": "The lesson before it has them.",
        "ending": "Recap, questions and reading are the lesson's; the last exercise ends the story.",
    },
    "X": {
        "objectives": "It goes deeper into one of the lesson's.",
        "predictions": "A short companion need not ask three times.",
        "questions": "They are the lesson's.",
        "own-lines": "Its one exercise may be near the end.",
        "break": "It may have nothing that fails.",
        "pictures": "The lesson has them.",
        "ending": "Recap and questions are the lesson's.",
    },
}
EXCUSES["W"] = EXCUSES["L"] | {"ending": "Its recap is the main messages of several lessons; it asks no questions."}

# The rules for notebooks of other authors, whose form and language are their own; docs/ci.md explains each.
GUEST_RULES: dict[str, Rule] = {
    "parses": code.parses,
    "bare-excepts": code.bare_excepts,
    "sleeps": code.sleeps,
    "machine-paths": code.machine_paths,
    "in-order": lambda lesson: _in_order(lesson),
    "clean": code.clean,
    "checked": code.checked,
    "tags": links.tags,
    "link-targets": links.targets,
    "link-texts": links.texts,
    "alt": pictures.described,
    "local": pictures.local_or_inside,
}


def check(path: Path) -> list[Problem]:
    """Return the problems of a lesson, from top to bottom; those of the whole file come first.

    The same file always gives the same problems, and no file raises: one that is no notebook has one problem.

    Parameters
    ----------
    path : Path
        The notebook.
    """
    try:
        lesson = read(path)
    except InvalidNotebook as error:
        return [Problem(path, None, None, None, "notebook", f"make it a notebook: {error.reason}")]
    if not lesson.cells:
        return [lesson.problem("notebook", "write the lesson: the notebook has no cells")]
    excused = {*EXCUSES.get(lesson.number, {}), *EXCUSES.get(lesson.form, {})}
    found = (problem for rule in RULES for problem in rule(lesson) if problem.rule not in excused)
    return sorted(found, key=lambda problem: (problem.cell or 0, problem.line or 0))


def check_guest(path: Path, without: frozenset[str] = frozenset()) -> list[Problem]:
    """Return the problems of another author's notebook, as :func:`check` does.

    Parameters
    ----------
    path : Path
        The notebook, ``.ipynb`` or in Databricks' source format.
    without : frozenset of str
        Names of rules to leave out.
    """
    try:
        lesson = read(path) if path.suffix.lower() == ".ipynb" else read_source(path)
    except (InvalidNotebook, UnreadableNotebook) as error:
        return [Problem(path, None, None, None, "notebook", f"make it a notebook: {error.reason}")]
    rules = [rule for name, rule in GUEST_RULES.items() if name not in without]
    found = [_locate_in_file(lesson, problem) for rule in rules for problem in rule(lesson)]
    return sorted(found, key=lambda problem: (problem.cell or 0, problem.line or 0))


def _in_order(lesson: Lesson) -> Iterator[Problem]:
    """Saved outputs are of one run from top to bottom; none at all are fine."""
    if lesson.has_run and (cell := code.first_out_of_order(lesson)):
        yield lesson.problem("in-order", "run the notebook from top to bottom in a new kernel, and save it", cell)


def _locate_in_file(lesson: Lesson, problem: Problem) -> Problem:
    """Return a problem in a file of source format with the line of that file instead of a cell."""
    origin = lesson.cells[problem.cell - 1].origin if problem.cell else None
    if origin is None:
        return problem
    return replace(problem, cell=None, cell_id=None, line=origin + (problem.line or 1) - 1)
