"""``python -m lesson_linter [LESSON ...]``: print what lessons break of their form; exit code 1 if they break any."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from streaming_classroom.errors import ClassroomError
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import find_lessons

from . import check


def main(arguments: Sequence[str] | None = None) -> int:
    """Check lessons; return the exit code. A lesson that is not there is one sentence, no traceback."""
    parser = argparse.ArgumentParser(prog="lesson_linter", description="Check the form of lessons; nothing is run.")
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="number (07) or path of a notebook; default: all")
    options = parser.parse_args(arguments)
    try:
        lessons = find_lessons(options.lessons, directories.notebooks())
    except ClassroomError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    problems = [problem for lesson in lessons for problem in check(lesson)]
    for problem in problems:
        print(problem)
    print(f"{_count(len(lessons), 'lesson')}, {_count(len(problems), 'problem')}.")
    return 1 if problems else 0


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}" + ("" if number == 1 else "s")


if __name__ == "__main__":
    sys.exit(main())
