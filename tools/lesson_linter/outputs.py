"""The committed outputs: from one run from top to bottom, clean, small, and the marked ones the same in every run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from streaming_classroom.runner.results import EXERCISE, MAY_FAIL, MAY_WRITE_STDERR

from .lesson_file import Cell, Lesson
from .machine_paths import strings
from .problem import Problem

CHECKED = "nbval-check-output"
SKIPPED = "skip-execution"  # nbclient's own
KNOWN_TAGS = (EXERCISE, MAY_FAIL, MAY_WRITE_STDERR, CHECKED, SKIPPED, "nbval-ignore-output", "nbval-skip", "parameters")
FEWEST_CHECKED, FEWEST_IN_COMPANION = 5, 3

_CHANGING = {
    "a UUID": re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE),
    "an address in memory": re.compile(r"\b0x[0-9a-f]{6,}\b", re.IGNORECASE),
}
# A line drawn over, and what tqdm draws.
_PROGRESS = re.compile(r"\r(?!\n)|\d+%\|.*\|")


def ran(lesson: Lesson) -> Iterator[Problem]:
    """The cells were run from top to bottom, once."""
    again = f"run it from top to bottom: python course.py run {lesson.number} --save"
    if not lesson.has_run:
        yield lesson.problem("ran", f"save the lesson with its outputs: python course.py run {lesson.number} --save")
        return
    if cell := first_out_of_order(lesson):  # those after it follow from the same run
        yield lesson.problem("ran", again, cell)


def first_out_of_order(lesson: Lesson) -> Cell | None:
    """Return the first cell that was not run in its turn; None if all of them were."""
    running = [cell for cell in lesson.code if cell.source.strip() and SKIPPED not in cell.tags]
    return next((cell for turn, cell in enumerate(running, start=1) if cell.count != turn), None)


def clean(lesson: Lesson) -> Iterator[Problem]:
    """No output is stderr, an error that nobody expects, a progress bar or a widget."""
    for cell in lesson.code:
        for output in cell.outputs:
            if message := _unclean(cell, output):
                yield lesson.problem("clean", message, cell)


def checked(lesson: Lesson) -> Iterator[Problem]:
    """Enough outputs are marked for comparison, and those are the same in every run."""
    fewest = FEWEST_IN_COMPANION if lesson.is_companion else FEWEST_CHECKED
    if len(list(lesson.tagged(CHECKED))) < fewest:
        yield lesson.problem("checked", f"tag at least {fewest} cells with {CHECKED}")
    yield from marked(lesson)


def marked(lesson: Lesson) -> Iterator[Problem]:
    """What is marked for comparison is there, and the same in every run."""
    for cell in lesson.tagged(CHECKED) if lesson.has_run else ():
        if not cell.outputs:
            yield lesson.problem("checked", f"give this cell an output, or take its tag {CHECKED} away", cell)
        for name in _changing(cell):
            yield lesson.problem("checked", f"keep {name} out of this output: it is another in each run", cell)


def known_tags(lesson: Lesson) -> Iterator[Problem]:
    """No tag is misspelt: nobody would act on it."""
    for cell in lesson.cells:
        for tag in cell.tags:
            if tag not in KNOWN_TAGS:
                yield lesson.problem("known-tags", f"use a known tag for '{tag}': {', '.join(KNOWN_TAGS)}", cell)


def _unclean(cell: Cell, output: dict) -> str | None:
    """Return what to do about an output; None if it may stay."""
    kind = output["output_type"]
    if kind == "error":
        return None if MAY_FAIL in cell.tags else f"repair the cell that fails, or tag it {MAY_FAIL}"
    if kind == "stream" and output["name"] == "stderr" and MAY_WRITE_STDERR not in cell.tags:
        return f"let the cell write nothing to stderr, or tag it {MAY_WRITE_STDERR}"
    if any("widget" in media for media in output.get("data", {})):
        return "show no widget: a saved one is empty"
    if any(_PROGRESS.search(text) for text in strings(output.get("text", ""))):
        return "show no progress bar: a saved one does not move"
    return None


def _changing(cell: Cell) -> list[str]:
    texts = [text for output in cell.outputs for text in strings({**output, "metadata": {}})]
    return [name for name, pattern in _CHANGING.items() if any(pattern.search(text) for text in texts)]
