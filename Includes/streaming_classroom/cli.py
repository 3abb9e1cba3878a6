"""The commands of ``course.py``, inside the virtual environment.

Each function is one command; each ends with an exit code.  Imports are local, so that `--help` and a second
start are quick.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from streaming_classroom import places
from streaming_classroom.errors import ClassroomError

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. An error of the course's own is one sentence, no traceback."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except ClassroomError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command goes on from here.", file=sys.stderr)
        return INTERRUPTED


def lab(options: argparse.Namespace) -> int:
    """Open JupyterLab on the lessons."""
    _set_up()
    lessons = sorted(places.notebooks().glob("*.ipynb"))
    start = ["--ServerApp.root_dir=" + str(places.PROJECT), "--LabApp.default_url=" + _first_lesson(lessons)]
    # JupyterLab itself takes the next free port where this one is busy, and says which.
    command = [sys.executable, "-m", "jupyterlab", *start, f"--port={options.port}", *options.jupyter]
    return _delegate(command)


def run(options: argparse.Namespace) -> int:
    """Execute lessons headless."""
    from streaming_classroom.runner import find_lessons, run_lessons

    lessons = find_lessons(options.lessons, places.notebooks())
    _set_up()
    result = run_lessons(
        lessons,
        jobs=options.jobs,
        save=options.save,
        cell_timeout=options.cell_timeout,
        lesson_timeout=options.lesson_timeout,
        junit=options.junit,
        home=places.home(),
    )
    return result.exit_code


def test(options: argparse.Namespace) -> int:
    """Run all tests."""
    _set_up()
    return _delegate([sys.executable, "-m", "pytest", *options.pytest], cwd=places.PROJECT)


def bench(options: argparse.Namespace) -> int:
    """Run a benchmark."""
    _set_up()
    return _delegate([sys.executable, "-m", f"streaming_classroom.benchmarks.{options.name}"])


def doctor(_options: argparse.Namespace) -> int:
    """Check what the course needs; name one fix for each failing check."""
    from streaming_classroom.setup import doctor as checks

    return checks.main()


def reset(_options: argparse.Namespace) -> int:
    """Remove everything the lessons created."""
    home = places.home()
    if home.exists():
        shutil.rmtree(home)
    print(f"Removed what the lessons created in {home}. What set-up made is kept.")
    return 0


def set_up(_options: argparse.Namespace) -> int:
    """Do what set-up does, and nothing else."""
    _set_up()
    return 0


def _set_up() -> None:
    from streaming_classroom.setup import steps

    steps.set_up(lambda line: print(line, flush=True), offset=1)


def _delegate(command: Sequence[str], cwd: Path | None = None) -> int:
    """Run a program that takes over the terminal; return its exit code.

    Ctrl-C goes to it as well, and it decides what to do; waiting for it here keeps its last words visible.
    """
    with subprocess.Popen(command, cwd=cwd, env=os.environ | {"PYTHONUTF8": "1"}) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def _first_lesson(lessons: Sequence[Path]) -> str:
    return f"/lab/tree/notebooks/{lessons[0].name}" if lessons else "/lab"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="course.py",
        description="A course on Spark Structured Streaming. Set-up happens by itself, once.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = _add(commands, "lab", lab)
    command.add_argument("--port", type=int, default=8888, help="port to try first (default: 8888)")
    command.add_argument("jupyter", nargs="*", help="further options for JupyterLab, after --")

    command = _add(commands, "run", run)
    command.add_argument("lessons", nargs="*", metavar="LESSON", help="number (07) or notebook; default: all")
    command.add_argument("--save", action="store_true", help="write the outputs back into notebooks/")
    command.add_argument("--jobs", type=_positive, default=1, metavar="N", help="lessons at a time (default: 1)")
    command.add_argument("--cell-timeout", type=float, default=120, metavar="SECONDS", help="default: 120")
    command.add_argument("--lesson-timeout", type=float, default=600, metavar="SECONDS", help="default: 600")
    command.add_argument("--junit", type=Path, metavar="FILE", help="also write a JUnit XML report")

    command = _add(commands, "test", test)
    command.add_argument("pytest", nargs="*", help="arguments for pytest, after --")

    command = _add(commands, "bench", bench)
    command.add_argument("name", choices=_benchmarks())

    _add(commands, "doctor", doctor)
    _add(commands, "reset", reset)
    _add(commands, "setup", set_up)
    return parser


def _add(commands, name: str, function) -> argparse.ArgumentParser:
    summary = function.__doc__.splitlines()[0]
    command = commands.add_parser(name, help=summary, description=summary)
    command.set_defaults(command=function)
    return command


def _benchmarks() -> list[str]:
    folder = Path(__file__).parent / "benchmarks"
    return sorted(path.stem for path in folder.glob("[a-z]*.py"))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
