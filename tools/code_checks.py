"""``course.py lint`` for the code: ruff and mypy, then the lessons' linter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lesson_linter.__main__ import main as lint_lessons

PROJECT = Path(__file__).resolve().parents[1]
SOURCES = sorted(str(init.parent) for init in PROJECT.glob("packages/*/src/*/__init__.py"))
CHECKS = (
    ("ruff", "check", "--quiet", str(PROJECT)),
    ("ruff", "format", "--check", "--quiet", str(PROJECT)),
    ("mypy", "--no-error-summary", f"--config-file={PROJECT / 'pyproject.toml'}"),
)


def check_code() -> list[str]:
    """Return the names of the checks that found something, which they have printed."""
    failed = []
    for name, *arguments in CHECKS:
        more = SOURCES if name == "mypy" else []
        done = subprocess.run([sys.executable, "-m", name, *arguments, *more], cwd=PROJECT)
        if done.returncode:
            failed.append(" ".join((name, *arguments[:1])) if name == "ruff" else name)
    return failed


def main() -> int:
    """Check code, then lessons; return 1 where something is to be mended."""
    failed = check_code()
    has_problems = lint_lessons([])
    for name in failed:  # last, where it is not taken for the lessons' result
        print(f"{name} found something in the code, above.")
    return has_problems or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
