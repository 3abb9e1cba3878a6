"""How long from a fresh clone to the first lesson finished: pip installing everything against what `course.py` does.

The one side is what a project without a set-up of its own asks for: make an environment, let pip install all that is
pinned, for learners, tests, linter and benchmarks alike, then run.  The other is `course.py run`.  Each run is of a
clone of this repository's last commit with empty caches, the two alternating so that a noisy machine disturbs both
alike.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from streaming_classroom.files import directories

ROUNDS = 2  # each is minutes
TIMEOUT = 1800  # seconds for one run
COMMAND = ("run", "00")
PHASES = ("clone", "environment", "jars", "datasets", "archive", "lesson")
# Which line of the output begins a phase. Java is there: this runs in an environment that was set up.
BEGINNINGS = {
    "environment": r"\[1/5\]",
    "jars": r"\[3/5\]",
    "datasets": r"\[4/5\]",
    "archive": r"\[5/5\]",
    "lesson": r"started ",
}

Phases = dict[str, float]
# A Python that is in no environment, as a learner's.
PYTHON = getattr(sys, "_base_executable", sys.executable)


def main() -> None:
    """Run both sides, print a table, and as the last line the figures as JSON."""
    sides: dict[str, Callable[[Path], list[list[str]]]] = {"pip_all": _with_pip, "course": _with_course}
    runs: dict[str, list[Phases]] = {side: [] for side in sides}
    for _round in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
        for side, commands in sides.items():
            runs[side].append(_run(commands))
    medians = {side: _medians(found) for side, found in runs.items()}
    _print_table(medians)
    pip_all, course = (medians[side]["total"] for side in ("pip_all", "course"))
    figures = {"pip_all_s": round(pip_all, 1), "course_s": round(course, 1), "ratio": round(pip_all / course, 2)}
    print(json.dumps(figures))


def _run(commands: Callable[[Path], list[list[str]]]) -> Phases:
    """Clone, set up and run the first lesson, with nothing there from before; return the seconds of each phase."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        clone = Path(scratch) / "course"
        marks = [("clone", time.perf_counter())]
        subprocess.run(["git", "clone", "--quiet", directories.PROJECT, clone], check=True, timeout=TIMEOUT)
        for command in commands(clone):
            marks += _follow(command, clone, _environment(Path(scratch)))
        marks.append(("end", time.perf_counter()))
    return _seconds(marks)


def _with_pip(clone: Path) -> list[list[str]]:
    """Return the commands of who knows pip and nothing else."""
    everything = clone / "everything.txt"
    everything.write_text("\n".join(_pins(clone)), encoding="utf-8")
    python = str(clone / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    say = [PYTHON, "-c", "print('[1/5]', flush=True)"]
    packages = [option for path in sorted((clone / "packages").iterdir()) for option in ("-e", str(path))]
    install = [python, "-m", "pip", "install", "--quiet", "-r", str(everything), *packages]
    return [say, [PYTHON, "-m", "venv", str(clone / ".venv")], install, [python, "-m", "streaming_classroom", *COMMAND]]


def _with_course(clone: Path) -> list[list[str]]:
    return [[PYTHON, str(clone / "course.py"), *COMMAND]]


def _pins(clone: Path) -> list[str]:
    """Return what is pinned for learners and in all groups."""
    groups = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    learners = (clone / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return learners + [pin for group in groups.values() for pin in group if isinstance(pin, str)]


def _environment(scratch: Path) -> dict[str, str]:
    """Return the environment, with every cache empty and in a place of its own."""
    ours = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PIP_NO_CACHE_DIR", "UV_NO_CACHE")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    names = ("PIP_CACHE_DIR", "UV_CACHE_DIR", "CLASSROOM_CACHE", "CLASSROOM_HOME")
    return kept | {name: str(scratch / name.lower()) for name in names}


def _follow(command: Sequence[str], directory: Path, environ: dict[str, str]) -> list[tuple[str, float]]:
    """Run a command to its end; return the phases that its output says have begun, and when.

    Raises
    ------
    RuntimeError
        It failed; the message has its last lines.
    """
    marks, lines = [], []
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "encoding": "utf-8"}
    with subprocess.Popen(command, cwd=directory, env=environ, **pipe) as process:
        for line in process.stdout:
            lines.append(line)
            marks += [(phase, time.perf_counter()) for phase, sign in BEGINNINGS.items() if re.match(sign, line)]
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{''.join(lines[-20:])}")
    return marks


def _seconds(marks: Sequence[tuple[str, float]]) -> Phases:
    """Return how long each phase took, and all of them.

    Raises
    ------
    RuntimeError
        A phase did not begin, so that the others' figures would be of something else.
    """
    names = [name for name, _at in marks]
    if names != [*PHASES, "end"]:
        raise RuntimeError(f"The phases were {names}, not {list(PHASES)}.")
    ends = [at for _name, at in marks[1:]]
    seconds = {name: end - at for (name, at), end in zip(marks, ends, strict=False)}
    return seconds | {"total": marks[-1][1] - marks[0][1]}


def _medians(runs: Sequence[Phases]) -> Phases:
    return {phase: statistics.median(run[phase] for run in runs) for phase in runs[0]}


def _print_table(medians: dict[str, Phases]) -> None:
    table = Table(title=f"Seconds, medians of {ROUNDS}", title_justify="left")
    table.add_column("phase")
    for heading in ("pip, everything", "course.py", "ratio"):
        table.add_column(heading, justify="right")
    for phase, pip_all in medians["pip_all"].items():
        course = medians["course"][phase]
        table.add_row(phase, f"{pip_all:.1f}", f"{course:.1f}", f"{pip_all / course:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
