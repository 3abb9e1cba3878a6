"""Write how long lessons take, by the plan of the linter: into the lessons, the README and the syllabus.

`.venv/bin/python tools/section_times.py [05 ...]`, after a lesson has changed; `course.py lint` compares.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import nbformat

from lesson_linter import plan
from lesson_linter.lesson import read
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import STATED_MINUTES, find_lessons, lesson_number, stated_minutes


def write_times(number: str) -> None:
    """Put the minutes below each section's heading and their sum into the opening cell."""
    [path] = find_lessons([number], directories.notebooks())
    lesson = read(path)
    planned = plan.parts(lesson)
    notebook = nbformat.read(path, as_version=4)
    for part in reversed(planned):  # from below, so that the lines above stay where they are
        if part.cell is not None:
            cell = notebook.cells[lesson.cells.index(part.cell)]
            lines = cell.source.splitlines()
            head, below = "\n".join(lines[: part.line]), "\n".join(["", *lines[part.line :]])
            below = plan.STATED_OF_SECTION.sub("", below, count=1) if part.stated is not None else below
            cell.source = f"{head}\n\n*{part.to_state}*{below}"
    opening = notebook.cells[0]
    core, total = sum(part.core for part in planned), sum(part.minutes for part in planned)
    text = plan.STATED_WITH_OPTIONAL.sub(lambda found: found[1].removesuffix("; "), opening.source)
    also = f"; {total} with what is optional" if total > core else ""
    opening.source = STATED_MINUTES.sub(lambda found: f"{found[1]}{plan.format_minutes(core)}{also}", text)
    nbformat.write(notebook, path)
    print(f"{path.stem}: {core} minutes{also}")


def write_documents() -> None:
    """Put the minutes of the lessons' cores into the README's table, and their sums into the syllabus."""
    lessons = find_lessons([], directories.notebooks())
    minutes = {lesson_number(path.stem): stated_minutes(path) or 0 for path in lessons}
    readme, syllabus = directories.PROJECT / "README.md", directories.PROJECT / "docs" / "syllabus.md"
    _rewrite(readme, r"(?m)^(\| \[(\w+) .*\| )\d+( \| .*)$", lambda row: f"{row[1]}{minutes[row[2]]}{row[3]}")
    kinds = {"lessons": r"\d+J?", "labs": r"\d+[LW]", "companions": r"\d+X"}
    for kind, pattern in kinds.items():
        chosen = [number for number in minutes if re.fullmatch(pattern, number)]
        text = f"{len(chosen)} {kind} ({_hours(minutes[number] for number in chosen)})"
        _rewrite(syllabus, rf"\d+ {kind} \([^)]*\)", lambda _found, text=text: text)
    _rewrite(
        syllabus,
        r"(?m)^(\| [^|\n]+ \| (\[\w+\]\([^|\n]*) \| )\d+ h \d\d( \|)",
        lambda row: row[1] + _hours(minutes[number] for number in re.findall(r"\[(\w+)\]", row[2])) + row[3],
    )


def _rewrite(page: Path, pattern: str, replacement: Callable[[re.Match[str]], str]) -> None:
    page.write_text(re.sub(pattern, replacement, page.read_text(encoding="utf-8")), encoding="utf-8")


def _hours(minutes: Iterable[int]) -> str:
    total = sum(minutes)
    return f"{total // 60} h {total % 60:02}"


if __name__ == "__main__":
    every = [path.stem.split("-")[0] for path in find_lessons([], directories.notebooks())]
    for one in sys.argv[1:] or every:
        write_times(one)
    write_documents()
