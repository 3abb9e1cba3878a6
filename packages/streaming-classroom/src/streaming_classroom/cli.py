"""The commands of ``course.py``, inside the virtual environment.

Each function is one command; each ends with an exit code.  Imports are local, so that `--help` and a second
start are quick.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path

from streaming_classroom.errors import ClassroomError, NotAvailable
from streaming_classroom.files import directories

INTERRUPTED = 130
TOOLS = directories.PROJECT / "tools"
# Two processes: three keep two cores busy without a pause, and what waits for a deadline then misses it.
SIDE_BY_SIDE = ("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. An error of the course's own is one sentence, no traceback."""
    options = parse(arguments)
    try:
        return options.command(options)
    except ClassroomError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command continues from here.", file=sys.stderr)
        return INTERRUPTED


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the parsed arguments; exit with the usage for invalid ones."""
    parser = _parser()
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(2)
    return parser.parse_args(arguments)


def lab(options: argparse.Namespace) -> int:
    """Open JupyterLab on your copies of the lessons."""
    from streaming_classroom import jupyterlab, workspace  # with filelock, which `--help` does without

    _set_up()
    jupyterlab.write_settings()
    root = directories.PROJECT
    if not options.with_outputs:
        print(workspace.update(), flush=True)
        root = directories.work()
    page = jupyterlab.first_page(sorted(directories.notebooks().glob("*.ipynb")), options.present)
    if address := jupyterlab.running_address(root, page):
        how = "at this address"
        if "--no-browser" not in options.jupyter and webbrowser.open(address):
            how = "and is opened"
        large = " `DA.present()` in a lesson makes its text large." if options.present else ""
        print(f"JupyterLab is running on these files already, {how}: {address}{large}", flush=True)
        return 0
    return _delegate(jupyterlab.command(root, page, options.port, options.present, options.jupyter))


def start_over(options: argparse.Namespace) -> int:
    """Get a fresh copy of a lesson; yours is kept beside it."""
    from streaming_classroom import workspace  # with filelock, which `--help` does without

    print(workspace.started_over(workspace.start_over(options.lessons)))
    return 0


def run(options: argparse.Namespace) -> int:
    """Execute lessons headless."""
    from streaming_classroom.runner.lesson_files import find_lessons  # with what set-up has installed
    from streaming_classroom.runner.suite import run_lessons

    lessons = find_lessons(options.lessons, directories.notebooks())
    _refuse_to_save(options, lessons)
    _set_up()
    result = run_lessons(
        lessons,
        jobs=options.jobs,
        save=options.save,
        cell_timeout=options.cell_timeout,
        lesson_timeout=options.lesson_timeout,
        junit=options.junit,
        home=directories.home(),
        course=directories.notebooks(),
        parameters=dict(options.parameter),
        compare=options.compare,
        solved=options.solved,
    )
    return result.exit_code


def progress(_options: argparse.Namespace) -> int:
    """Show the finished exercises."""
    from streaming_classroom.exercises.progress import ExerciseRecord, progress_shown

    print(progress_shown(ExerciseRecord()))
    return 0


def lint(options: argparse.Namespace) -> int:
    """Check the form that lessons share, and their exercises'; without a lesson, all code and its types as well."""
    return _delegate([sys.executable, "-m", "code_checks", *options.lessons], _with_tools())


def book(_options: argparse.Namespace) -> int:
    """Build the book: lessons with their outputs, documents and references as pages, for a browser."""
    return _delegate([sys.executable, "-m", "book"], _with_tools())


def convert(options: argparse.Namespace) -> int:
    """Make an .ipynb of a Databricks notebook (.py or .sql)."""
    from notebook_dialect.notebooks.convert import convert as to_notebook

    print(f"Wrote {to_notebook(options.notebook, options.output, extension='streaming_classroom')}.")
    return 0


def test(options: argparse.Namespace) -> int:
    """Run the everyday suite: the same tests each time, in ten minutes on two idle cores."""
    _set_up()
    os.chdir(directories.PROJECT)
    chosen = [f"--{name}" for name in ("all", "exhaustive") if getattr(options, name)]
    chosen += ["--since", options.since] if options.since else []
    if (options.all or options.exhaustive) and not any(
        argument.startswith("--hypothesis-seed") for argument in options.pytest
    ):
        chosen.append(f"--hypothesis-seed={secrets.randbelow(10**6)}")
    return _delegate([sys.executable, "-m", "pytest", *SIDE_BY_SIDE, *chosen, *options.pytest])


def bench(options: argparse.Namespace) -> int:
    """Run a benchmark."""
    _set_up()
    return _delegate([sys.executable, "-m", f"benchmarks.{options.name}"], _with_tools())


def doctor(options: argparse.Namespace) -> int:
    """Check what the course needs; name one fix for each failing check, or repair what can be repaired."""
    from streaming_classroom.session import spark_settings
    from streaming_classroom.setup import doctor as checks

    if options.spark:
        print(spark_settings.page())
        return 0
    return checks.main(fix=options.fix)


def reset(_options: argparse.Namespace) -> int:
    """Remove everything the lessons created."""
    from streaming_classroom.setup import reset as removal

    home = directories.home()
    left = removal.remove(home)
    if left is None:
        print(f"There is nothing to remove: no lesson has created {home}.")
        return 0
    print(f"Removed what the lessons created in {home}. What set-up made is kept.")
    if left:
        print(f"Left alone, because no lesson made it: {', '.join(path.name for path in left)}.")
    return 0


def kafka(options: argparse.Namespace) -> int:
    """Start Kafka's broker, stop it, show its state, or list its topics."""
    from streaming_classroom.kafka import servers  # with filelock, which `--help` does without

    print(getattr(servers, options.action)())
    return 0


def pipeline(options: argparse.Namespace) -> int:
    """Update a declarative pipeline: run FILE ..., or dry-run FILE ... to plan only."""
    _set_up()
    from declarative_pipelines import commands  # which set-up has installed, with what it needs
    from streaming_classroom.session.spark_session import get_spark

    return commands.main(options.arguments, get_spark)


def set_up(options: argparse.Namespace) -> int:
    """Perform the steps of set-up again that are missing or failed."""
    from streaming_classroom.setup import archive

    archive.forget_failure()
    _set_up(options.all, always_report=True)
    return 0


def _set_up(everything: bool = False, always_report: bool = False) -> None:
    """Perform the missing steps of set-up; if there were any, or always, report the downloads left to lessons."""
    from streaming_classroom.setup import steps

    worked = steps.set_up(lambda line: print(line, flush=True), offset=1, everything=everything)
    if worked or always_report:
        for line in steps.deferred_downloads():
            print(line, flush=True)


def _with_tools() -> dict[str, str]:
    """Return environment variables with which Python finds the tools."""
    folders = [str(TOOLS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(folders)}


def _delegate(command: Sequence[str], more: Mapping[str, str] | None = None) -> int:
    """Run a program in place of this process, so that signals are its own; on Windows, wait for it."""
    environ = {**os.environ, "PYTHONUTF8": "1", **(more or {})}
    if sys.platform != "win32":
        sys.stdout.flush()
        os.execve(command[0], list(command), environ)
    with subprocess.Popen(command, env=environ) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # it got Ctrl-C as well, and decides what to do
                continue


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="course.py",
        description="A course on Spark Structured Streaming. Set-up happens by itself, once.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = _add(commands, "lab", lab)
    command.add_argument("--port", type=int, help="port to try first (default: 8888)")
    command.add_argument("--present", action="store_true", help="for a projector: large text, nothing but the lesson")
    command.add_argument("--with-outputs", action="store_true", help="the committed lessons, as they look when run")
    command.add_argument("jupyter", nargs="*", help="further options for JupyterLab, after --")

    command = _add(commands, "start-over", start_over)
    command.add_argument("lessons", nargs="+", metavar="LESSON", help="number (07)")

    command = _add(commands, "run", run)
    command.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="number (07), or path of a notebook or folder; default: all"
    )
    command.add_argument("--save", action="store_true", help="write the outputs back into notebooks/")
    command.add_argument("--compare", action="store_true", help="fail where marked outputs differ from the files'")
    command.add_argument("--solved", action="store_true", help="run the exercises with their solutions in")
    command.add_argument("--jobs", type=int, default=1, metavar="N", help="lessons at a time (default: 1)")
    command.add_argument("--cell-timeout", type=float, default=120, metavar="SECONDS", help="default: 120")
    command.add_argument("--lesson-timeout", type=float, default=600, metavar="SECONDS", help="default: 600")
    command.add_argument("--junit", type=Path, metavar="FILE", help="also write a JUnit XML report")
    command.add_argument(
        "-p",
        "--parameter",
        type=_parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value for the notebook's widgets, as papermill puts it in; may be given more than once",
    )

    _add(commands, "progress", progress)

    command = _add(commands, "lint", lint)
    command.add_argument("lessons", nargs="*", metavar="LESSON", help="number (07) or path of a notebook; default: all")

    _add(commands, "book", book)

    command = _add(commands, "convert", convert)
    command.add_argument("notebook", type=Path, metavar="PATH", help="a notebook in Databricks' source format")
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: the same name, as .ipynb")

    command = _add(commands, "test", test)
    command.add_argument(
        "--all",
        action="store_true",
        help="all lessons, their answers, kills, a cluster, Kafka, browser (90 minutes)",
    )
    command.add_argument(
        "--exhaustive",
        action="store_true",
        help="--all, and every wrong answer and mutant of each exercise (half a day)",
    )
    command.add_argument(
        "--since",
        metavar="COMMIT",
        help="also every test of each package, lesson and folder that differs from COMMIT, or from a `day` before the "
        "last commit, as CI does (25 minutes)",
    )
    command.add_argument("pytest", nargs="*", help="arguments for pytest, after --, such as `-- packages/stream-view`")

    command = _add(commands, "bench", bench)
    command.add_argument("name", choices=sorted(path.stem for path in (TOOLS / "benchmarks").glob("[a-z]*.py")))

    command = _add(commands, "doctor", doctor)
    command.add_argument("--spark", action="store_true", help="what the classroom changes in Spark's defaults, and why")
    command.add_argument("--fix", action="store_true", help="re-create what is missing or damaged of what set-up makes")
    command = _add(commands, "kafka", kafka)
    command.add_argument("action", choices=("start", "stop", "status", "topics"))
    command = _add(commands, "pipeline", pipeline)
    command.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="`pipeline run --help` has all")
    _add(commands, "reset", reset)
    command = _add(commands, "setup", set_up)
    command.add_argument("--all", action="store_true", help="fetch what any lesson needs, Kafka's broker too (45 MB)")
    return parser


def _add(commands, name: str, function) -> argparse.ArgumentParser:
    summary = function.__doc__.splitlines()[0]
    command = commands.add_parser(name, help=summary, description=summary)
    command.set_defaults(command=function)
    return command


def _refuse_to_save(options: argparse.Namespace, lessons: Sequence[Path]) -> None:
    """Outputs go back into, or are compared with, the course's own lessons only, run as they are."""
    guests = [path for path in lessons if not path.is_relative_to(directories.notebooks())]
    asked = [option for option in ("save", "compare") if getattr(options, option)]
    if asked and (guests or options.parameter or options.solved or len(asked) > 1):
        problem = f"--{asked[0]} is for the course's lessons, run as they are."
        raise NotAvailable(problem, "Leave out what goes against it.")


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value
