"""``course.py lint``: ruff and mypy for the code, or ruff for the exercises of lessons; then the lessons' linter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from lesson_linter.__main__ import main as lint_lessons
from streaming_classroom.runner import lesson_number

PROJECT = Path(__file__).resolve().parents[1]
SOURCES = sorted(str(init.parent) for init in PROJECT.glob("packages/*/src/*/__init__.py"))
CHECKS = (
    ("ruff", "check", "--quiet", str(PROJECT)),
    ("ruff", "format", "--check", "--quiet", str(PROJECT)),
    ("mypy", "--no-error-summary", f"--config-file={PROJECT / 'pyproject.toml'}"),
)


def check_code() -> list[str]:
    """Return the names of the checks that found something, which they have printed."""
    *form, types = CHECKS
    return _failed([*form, (*types, *SOURCES)])


def exercises_of(lessons: Iterable[str]) -> list[str]:
    """Return the files of the exercises and the quizzes of lessons, which are numbers or notebooks."""
    numbers = [lesson_number(Path(lesson).name).lower() for lesson in lessons]
    files = [PROJECT / "exercises" / f"{kind}_{number}.py" for number in numbers for kind in ("lesson", "quiz")]
    return [str(file) for file in files if file.is_file()]


def check_exercises(lessons: Iterable[str]) -> list[str]:
    """Return the names of the checks that found something in the exercises of lessons; types are for the whole."""
    files = exercises_of(lessons)
    return _failed((*options, *files) for *options, _ in CHECKS[:-1]) if files else []


def _failed(checks: Iterable[Sequence[str]]) -> list[str]:
    """Run checks in the project; return the names of those that found something."""
    failed = [check for check in checks if subprocess.run([sys.executable, "-m", *check], cwd=PROJECT).returncode]
    return [" ".join(check[:2]) if check[0] == "ruff" else check[0] for check in failed]


def main(lessons: list[str]) -> int:
    """Check code, then lessons; return 1 where something is to be mended."""
    failed = check_exercises(lessons) if lessons else check_code()
    has_problems = lint_lessons(lessons)
    for name in failed:  # last, where it is not taken for the lessons' result
        print(f"{name} found something in the code, above.")
    return has_problems or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
