"""All rules, and what a lesson's file breaks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from streaming_classroom.runner.errors import InvalidNotebook

from . import code, file, frame, links, machine, opening, outputs, pictures, prose, questions, spelling, steps, tags
from .excuses import is_excused
from .lesson import Lesson, read
from .problem import Problem

Rule = Callable[[Lesson], Iterator[Problem]]

RULES: tuple[Rule, ...] = (
    # the parts of a lesson
    opening.file_name,
    opening.title,
    opening.why,
    opening.question,
    opening.objectives,
    opening.time,
    opening.instructors,
    frame.set_up,
    frame.set_up_is_second,
    frame.cleanup,
    steps.numbering,
    steps.ending,
    steps.content,
    steps.predictions,
    steps.breaking,
    questions.questions,
    # the text
    tags.tags,
    links.targets,
    links.texts,
    links.broken,
    links.reading,
    pictures.at_least_one,
    pictures.described,
    pictures.local,
    pictures.drawn,
    prose.doubled_words,
    prose.exclamations,
    prose.emoji,
    prose.unfinished,
    prose.trailing_blanks,
    spelling.spelling,
    spelling.spelling_of_pictures,
    # the code and what it gave
    code.length,
    code.parses,
    code.sleeps,
    code.bare_excepts,
    machine.machine_paths,
    outputs.ran,
    outputs.clean,
    outputs.checked,
    outputs.known_tags,
    # the file
    file.form,
    file.size,
    file.ids,
)


def check(path: Path) -> list[Problem]:
    """Return what a lesson breaks of the grammar, from top to bottom; what is about no cell comes first.

    The same file always gives the same problems.  It never raises for what is in the file: one that is no notebook is
    one problem.

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
    found = (problem for rule in RULES for problem in rule(lesson) if not is_excused(lesson.number, problem.rule))
    return sorted(found, key=lambda problem: (problem.cell or 0, problem.line or 0))
