"""``python -m lesson_linter [LESSON ...]``: print what lessons break of their form; exit code 1 if they break any.

With ``--json`` it prints one line for `course.py run --strict`: of lessons what they break of their form, of other
notebooks what they break of the rules for guests.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from streaming_classroom.errors import ClassroomError
from streaming_classroom.files import directories
from streaming_classroom.runner import find_lessons

from . import Problem, check
from .rules import GUEST_RULES, check_guest


def main(arguments: Sequence[str] | None = None) -> int:
    """Check lessons; return the exit code. A lesson that is not there is one sentence, no traceback."""
    parser = argparse.ArgumentParser(prog="lesson_linter", description="Check the form of lessons; nothing is run.")
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="number (07) or path of a notebook; default: all")
    parser.add_argument("--json", action="store_true", help="one line for a program; other notebooks are guests")
    parser.add_argument("--without", action="append", default=[], choices=GUEST_RULES, help="a rule not for guests")
    options = parser.parse_args(arguments)
    try:
        lessons = find_lessons(options.lessons, directories.notebooks())
    except ClassroomError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    if options.json:
        found = [problem for lesson in lessons for problem in _strict(lesson, frozenset(options.without))]
        print(json.dumps([problem.as_json() for problem in found]))
        return 1 if found else 0
    problems = [problem for lesson in lessons for problem in check(lesson)]
    for problem in problems:
        print(problem)
    print(f"{_count(len(lessons), 'lesson')}, {_count(len(problems), 'problem')}.")
    return 1 if problems else 0


def _strict(notebook: Path, without: frozenset[str]) -> list[Problem]:
    is_lesson = notebook.is_relative_to(directories.notebooks())
    return check(notebook) if is_lesson else check_guest(notebook, without)


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}" + ("" if number == 1 else "s")


if __name__ == "__main__":
    sys.exit(main())
