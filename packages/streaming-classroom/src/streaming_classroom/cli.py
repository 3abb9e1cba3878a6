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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from streaming_classroom.command_parser import CommandParser, grouped, number, parameter, seconds, summary
from streaming_classroom.errors import ClassroomError, NotAvailable
from streaming_classroom.files import directories

INTERRUPTED = 130
MINUTES_OF_A_LESSON = (0.7, 1.1)  # one after the other, on a quick and on a slow laptop
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
        print("\nInterrupted. Run the same command again to resume.", file=sys.stderr)
        return INTERRUPTED


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the parsed arguments; exit with the usage for invalid ones."""
    parser = _parser()
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(2)
    return parser.parse(arguments)


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
        print(f"JupyterLab is running on these files already, {how}:\n{address}", flush=True)
        if options.present:
            print("`DA.present()` in a lesson makes its text large.", flush=True)
        return 0
    print("Starting JupyterLab. Ctrl+C in this terminal stops it; its address:", flush=True)
    return _delegate(jupyterlab.command(root, page, options.port, options.present, options.jupyter))


def start_over(options: argparse.Namespace) -> int:
    """Get a fresh copy of a lesson; yours is kept beside it."""
    from streaming_classroom import workspace  # with filelock, which `--help` does without

    print(workspace.started_over(workspace.start_over(options.lessons)))
    return 0


def run(options: argparse.Namespace) -> int:
    """Run lessons or notebooks unattended, and report which pass."""
    # With what set-up has installed.
    from streaming_classroom.runner.lesson_files import find_lessons, unknown_parameter
    from streaming_classroom.runner.suite import run_lessons

    lessons = find_lessons(options.lessons, directories.notebooks())
    _refuse_to_save(options, lessons)
    if (unknown := unknown_parameter(dict(options.parameter), lessons)) is not None:
        raise NotAvailable(f"No notebook here has a widget or a variable `{unknown}`.", "Correct the parameter's name.")
    _set_up()
    if not options.lessons:
        fewest, most = (round(minutes * len(lessons) / options.jobs) for minutes in MINUTES_OF_A_LESSON)
        print(f"{len(lessons)} lessons, about {fewest} to {most} minutes; Ctrl+C stops them. One: course.py run 05")
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


def list_lessons(_options: argparse.Namespace) -> int:
    """List the lessons: minutes, and how many exercises are right."""
    from streaming_classroom.exercises.progress import ExerciseRecord, counts_of
    from streaming_classroom.runner.lesson_files import find_lessons, lesson_number, stated_minutes

    done = ExerciseRecord().read()
    for path in find_lessons([], directories.notebooks()):
        title = path.stem.partition("-")[2].replace("-", " ")
        counts = counts_of(lesson_number(path.name), done)
        state = f"{counts.right} of {counts.exercises} right" if counts.exercises else ""
        minutes = stated_minutes(path) or ""
        print(f"{lesson_number(path.name):<4} {title:<38} {minutes:>3} min  {state}".rstrip())
    return 0


def progress(options: argparse.Namespace) -> int:
    """Show your finished exercises, or those of a class as CSV."""
    from streaming_classroom.exercises.progress import ExerciseRecord, progress_shown, write_class

    if options.class_folder is None:
        print(progress_shown(ExerciseRecord()))
        return 0
    try:
        if not write_class(options.class_folder, sys.stdout):
            print(f"There is no record in {options.class_folder}.", file=sys.stderr)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def versions() -> str:
    """Return the versions that a report of a problem needs."""
    from importlib.metadata import PackageNotFoundError, version

    names = {"course": "streaming-classroom", "Spark": "pyspark", "Delta": "delta-spark", "JupyterLab": "jupyterlab"}
    found = {}
    for name, distribution in names.items():
        with suppress(PackageNotFoundError):
            found[name] = version(distribution)
    found["Python"] = sys.version.split()[0]
    with suppress(ImportError):  # what set-up has not installed yet
        from streaming_classroom.setup import java

        found["Java"] = str(there.version) if (there := java.find().java) else "none"
    return "\n".join(f"{name} {number}" for name, number in found.items())


def lint(options: argparse.Namespace) -> int:
    """Lint lessons and exercises; without arguments also code and types."""
    return _delegate([sys.executable, "-m", "code_checks", *options.lessons], _with_tools())


def book(options: argparse.Namespace) -> int:
    """Build the book: lessons with their outputs, and documents, as web pages."""
    recorded: list[str] = []
    if options.record is not None:
        _set_up()
        recorded = ["--record", *options.record]
    return _delegate([sys.executable, "-m", "book", *recorded], _with_tools())


def convert(options: argparse.Namespace) -> int:
    """Make an .ipynb of a Databricks notebook (.py or .sql)."""
    from notebook_dialect.conversion import convert as to_notebook

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


def parity(options: argparse.Namespace) -> int:
    """Show what was measured on Databricks, or merge a measurement into the documents."""
    _set_up()
    merge = ["--merge", str(options.merge)] if options.merge else []
    return _delegate([sys.executable, "-m", "parity_kit", *merge], _with_tools())


def doctor(options: argparse.Namespace) -> int:
    """Check this machine, and say how to fix each problem."""
    from streaming_classroom.session import spark_settings
    from streaming_classroom.setup import doctor as checks

    if options.spark:
        print(spark_settings.page())
        return 0
    return checks.main(fix=options.fix)


def reset(_options: argparse.Namespace) -> int:
    """Remove everything the lessons created."""
    from streaming_classroom import workspace as removal

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
    """Start, stop or inspect the Kafka broker, or list its topics."""
    from streaming_classroom.kafka import servers  # with filelock, which `--help` does without

    print(getattr(servers, options.action)())
    return 0


def pipeline(options: argparse.Namespace) -> int:
    """Update a declarative pipeline: run FILE ..., or dry-run FILE ... to plan only."""
    _set_up()
    from declarative_pipelines.__main__ import main as update  # which set-up has installed, with what it needs
    from streaming_classroom.session.spark_session import get_spark

    return update(options.arguments, get_spark)


def set_up(options: argparse.Namespace) -> int:
    """Install everything now, or resume an interrupted installation."""
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
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(TOOLS), os.environ.get("PYTHONPATH")]))}


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


class _Versions(argparse.Action):
    """``--version``, whose text takes a moment to collect."""

    def __call__(self, parser: argparse.ArgumentParser, *_arguments: object, **_more: object) -> None:
        print(versions())
        parser.exit()


def _parser() -> CommandParser:
    groups: dict[str, dict[str, Callable[[argparse.Namespace], int]]] = {
        "Learn": {
            "lab": lab, "list": list_lessons, "progress": progress, "start-over": start_over, "reset": reset,
            "setup": set_up, "doctor": doctor,
        },
        "Run": {"run": run, "convert": convert, "pipeline": pipeline, "kafka": kafka},
        "Contribute": {"test": test, "lint": lint, "bench": bench, "book": book, "parity": parity},
    }  # fmt: skip
    parser = CommandParser(
        prog="course.py",
        usage="course.py [--version] COMMAND ...",
        description="A course on Spark Structured Streaming. Set-up happens by itself, once.",
        epilog=grouped(groups),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Versions, nargs=0, help="versions of course, Spark, Delta, Python, Java")
    parser.commands = parser.add_subparsers(required=True, metavar="COMMAND", help=argparse.SUPPRESS, prog="course.py")
    commands = {}
    for group in groups.values():
        for name, function in group.items():
            commands[name] = parser.commands.add_parser(name, description=summary(function))
            commands[name].set_defaults(command=function)
    _add_arguments(commands)
    return parser


def _add_arguments(commands: Mapping[str, CommandParser]) -> None:
    add = commands["lab"].add_argument
    add("--port", type=number(1, 65535), help="port to try first (default: 8888)")
    add("--present", action="store_true", help="for a projector: large text, nothing but the lesson")
    add("--with-outputs", action="store_true", help="the committed lessons, as they look when run")
    add("jupyter", nargs="*", help="further options for JupyterLab, after --")

    add = commands["progress"].add_argument
    add("--class", dest="class_folder", type=Path, metavar="FOLDER", help="records of a class: prints CSV")

    commands["start-over"].add_argument("lessons", nargs="+", metavar="LESSON", help="number (07)")

    add = commands["setup"].add_argument
    add("--all", action="store_true", help="fetch what any lesson needs, Kafka's broker too (45 MB)")

    add = commands["doctor"].add_argument
    add("--spark", action="store_true", help="what the classroom changes in Spark's defaults, and why")
    add("--fix", action="store_true", help="re-create what is missing or damaged of what set-up makes")

    commands["book"].add_argument(
        "--record",
        nargs="*",
        metavar="LESSON",
        help="run these lessons first, or all, and record their streams, which then play in the pages",
    )
    commands["parity"].add_argument(
        "--merge", type=Path, metavar="FILE", help="what tools/Measure-This-Compute.py has written"
    )

    add = commands["run"].add_argument
    add("lessons", nargs="*", metavar="LESSON", help="number (07), or path of a notebook or folder; default: all")
    add("--save", action="store_true", help="write the outputs back into notebooks/; with --solved only how labs end")
    add("--compare", action="store_true", help="fail where marked outputs differ from the files'")
    add("--solved", action="store_true", help="run the exercises with their solutions filled in")
    add("--jobs", type=number(1), default=1, metavar="N", help="lessons at a time (default: 1)")
    add("--cell-timeout", type=seconds, default=120, metavar="SECONDS", help="default: 120")
    add("--lesson-timeout", type=seconds, default=600, metavar="SECONDS", help="default: 600")
    add("--junit", type=Path, metavar="FILE", help="also write a JUnit XML report")
    add("-p", "--parameter", type=parameter, action="append", default=[], metavar="NAME=VALUE",
        help="a value for the notebook's widgets, as papermill puts it in; may be given more than once")  # fmt: skip

    add = commands["convert"].add_argument
    add("notebook", type=Path, metavar="PATH", help="a notebook in Databricks' source format")
    add("-o", "--output", type=Path, metavar="FILE", help="default: the same name, as .ipynb")

    add = commands["pipeline"].add_argument
    add("arguments", nargs=argparse.REMAINDER, metavar="...", help="`pipeline run --help` has all")

    commands["kafka"].add_argument("action", choices=("start", "stop", "status", "topics"))

    add = commands["test"].add_argument
    add(
        "--all",
        action="store_true",
        help="all lessons, kills, a cluster, Kafka, browser (about three hours)",
    )
    add("--exhaustive", action="store_true", help="--all, and each wrong answer and mutant of each exercise (hours)")
    add("--since", metavar="COMMIT",
        help="also every test of each package, lesson and folder that differs from COMMIT, or from a `day` before the "
        "last commit, as CI does (25 minutes)")  # fmt: skip
    add("pytest", nargs="*", help="arguments for pytest, after --, such as `-- packages/stream-view`")

    add = commands["lint"].add_argument
    add("lessons", nargs="*", metavar="LESSON", help="number (07) or path of a notebook; default: all")

    commands["bench"].add_argument(
        "name", choices=sorted(path.stem for path in (TOOLS / "benchmarks").glob("[a-z]*.py"))
    )


def _refuse_to_save(options: argparse.Namespace, lessons: Sequence[Path]) -> None:
    """Outputs go back into, or are compared with, the course's own lessons only, run as they are."""
    guests = [path for path in lessons if not path.is_relative_to(directories.notebooks())]
    asked = [option for option in ("save", "compare") if getattr(options, option)]
    against_solved = options.solved and "compare" in asked
    if asked and (guests or options.parameter or against_solved or len(asked) > 1):
        others = ["--compare"] * (len(asked) > 1) + ["--solved"] * against_solved
        others += ["-p"] * bool(options.parameter) + list(map(str, guests))
        raise NotAvailable(f"--{asked[0]} is for the course's lessons, run as they are.", f"Leave out {others[0]}.")
