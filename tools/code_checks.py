"""``course.py lint``: ruff, mypy and codespell, or ruff for the exercises of lessons; then the lessons' linter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from lesson_linter.__main__ import main as lint_lessons
from streaming_classroom.runner.lesson_files import lesson_number

PROJECT = Path(__file__).resolve().parents[1]
SOURCES = sorted(str(init.parent) for init in PROJECT.glob("packages/*/src/*/__init__.py"))
TEXTS = ("README.md", "CONTRIBUTING.md", "docs", "exercises", "notebooks")
CHECKS = {
    "ruff check": ("ruff", "check", "--quiet"),
    "ruff format": ("ruff", "format", "--check", "--quiet"),
    "mypy": ("mypy", "--no-error-summary", f"--config-file={PROJECT / 'pyproject.toml'}", *SOURCES),
    # It knows misspellings, not words, so an unknown word is no problem; pictures in notebooks are skipped.
    "codespell": ("codespell_lib", "--ignore-regex=[A-Za-z0-9+/=_-]{50,}", *TEXTS),
}


def exercises_of(lessons: Iterable[str]) -> list[str]:
    """Return the folders of the exercises of lessons, which are numbers or notebooks."""
    numbers = [lesson_number(Path(lesson).name).lower() for lesson in lessons]
    folders = [PROJECT / "exercises" / f"lesson_{number}" for number in numbers]
    return [str(folder) for folder in folders if folder.is_dir()]


def run_checks(names: Iterable[str], files: Sequence[str] = ()) -> list[str]:
    """Run checks in the project; return the names of those that found something."""
    commands = {name: [sys.executable, "-m", *CHECKS[name], *files] for name in names}
    return [name for name, command in commands.items() if subprocess.run(command, cwd=PROJECT).returncode]


def main(lessons: list[str]) -> int:
    """Check code, then lessons; return 1 if a check failed."""
    files = exercises_of(lessons)
    failed = run_checks(["ruff check", "ruff format"] if files else [], files) if lessons else run_checks(CHECKS)
    has_problems = lint_lessons(lessons)
    for name in failed:  # last, where it is not taken for the lessons' result
        print(f"{name} found something in the code, above.")
    return has_problems or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
