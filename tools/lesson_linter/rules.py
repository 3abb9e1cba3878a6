"""All rules for lessons, and the lessons that are excused from some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from streaming_classroom.runner.results import InvalidNotebook

from . import code, exercises, form, links, pictures, plan, wording
from .lesson import Lesson, Problem, read

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
