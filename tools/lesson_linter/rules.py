"""All rules, what a lesson breaks of them, and which lesson is excused from which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from streaming_classroom.runner.runner_errors import InvalidNotebook

from . import (
    code_cells,
    exercises,
    html_tags,
    labs,
    links,
    machine_paths,
    notebook_format,
    opening_cell,
    outputs,
    own_lines,
    pictures,
    plan,
    prose,
    questions,
    readability,
    sections,
    setup_and_cleanup,
    spelling,
    wording,
)
from .lesson_file import Lesson, read
from .problem import Problem

Rule = Callable[[Lesson], Iterator[Problem]]

RULES: tuple[Rule, ...] = (
    # the parts of a lesson
    opening_cell.file_name,
    opening_cell.title,
    opening_cell.why,
    opening_cell.question,
    opening_cell.objectives,
    opening_cell.time,
    plan.stated_time,
    plan.core,
    opening_cell.instructors,
    setup_and_cleanup.set_up,
    setup_and_cleanup.set_up_is_second,
    setup_and_cleanup.cleanup,
    sections.numbering,
    sections.ending,
    sections.content,
    questions.predictions,
    code_cells.breaking,
    questions.review_questions,
    questions.quiz,
    own_lines.early,
    exercises.same_as_source,
    exercises.complete,
    labs.enough_exercises,
    labs.no_solutions,
    # the text
    html_tags.tags,
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
    readability.readable,
    wording.wording,
    spelling.spelling,
    spelling.spelling_of_pictures,
    # the code and what it gave
    code_cells.length,
    code_cells.short_cells,
    code_cells.parses,
    code_cells.sleeps,
    code_cells.bare_excepts,
    code_cells.figures_of_reports,
    machine_paths.machine_paths,
    outputs.ran,
    outputs.clean,
    outputs.checked,
    outputs.known_tags,
    # the file
    notebook_format.form,
    notebook_format.size,
    notebook_format.ids,
)

# Which lesson need not keep which rule, and why: by the lesson's number, then by the rule's name.  Labs and companions
# have a form of their own, below.  There is no other way around a rule.
EXCUSES = {
    "00": {
        "set-up-is-second": "It says how a cell is run before the first one is to be run.",
    },
}

# The rules that do not hold for labs, ``NNL-Title.ipynb``, and why: by the rule's name.  All others do.
LABS = {
    "question": "A lab is a story in which the lesson's question is answered by doing.",
    "objectives": "They are the lesson's: a lab has no idea of its own.",
    "predictions": "What is run is what the learner has written, and the check is the answer.",
    "questions": "The same.",
    "own-lines": "It begins with its first exercise.",
    "break": "What breaks in a lab is what the learner writes.",
    "pictures": "The lesson before it has them.",
    "ending": "Recap, questions and reading are the lesson's; the last exercise ends the story.",
}

# The same for wrap-ups, ``NNW-Title.ipynb``.
WRAP_UPS = LABS | {"ending": "Its recap is the main messages of several lessons; it asks no questions."}

# The same for companions, ``NNX-Title.ipynb``, which hold what a lesson can do without.
COMPANIONS = {
    "objectives": "It goes deeper into one of the lesson's.",
    "predictions": "A short companion need not ask three times.",
    "questions": "They are the lesson's.",
    "own-lines": "Its one exercise may come late.",
    "break": "It may have nothing that fails.",
    "pictures": "The lesson has them.",
    "ending": "Recap and questions are the lesson's.",
}


def check(path: Path) -> list[Problem]:
    """Return what a lesson breaks of the course's form, from top to bottom; what is about no cell comes first.

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
    found = (problem for rule in RULES for problem in rule(lesson) if not _is_excused(lesson, problem.rule))
    return sorted(found, key=lambda problem: (problem.cell or 0, problem.line or 0))


def _is_excused(lesson: Lesson, rule: str) -> bool:
    form = LABS if lesson.is_lab else WRAP_UPS if lesson.is_wrap_up else COMPANIONS if lesson.is_companion else {}
    return rule in EXCUSES.get(lesson.number, {}) or rule in form
