"""The commands of ``course.py``, inside the virtual environment.

Each function is one command; each ends with an exit code.  Imports are local, so that `--help` and a second
start are quick.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from streaming_classroom.errors import ClassroomError, NotAvailable
from streaming_classroom.files import directories
from streaming_classroom.lesson import presenting
from streaming_classroom.session import spark_settings

INTERRUPTED = 130
DEFAULT_PORT = 8888
# Two processes: three keep two cores busy without a pause, and what waits for a deadline then misses it.
SIDE_BY_SIDE = ("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder")
_READING = Path(__file__).parent / "conf" / "reading"  # with a custom.css, as JupyterLab wants it
_JUPYTER_SETTINGS: dict[str, dict[str, Any]] = {
    # A classroom may be offline, and nobody should be asked, on top of a lesson, whether to fetch news.
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # A page that is loaded again has the outputs that were saved: those of a stream come between two saves by hand.
    # And the glossary, to which lessons link, is for reading.
    "@jupyterlab/docmanager-extension:plugin": {
        "autosaveInterval": 10,
        "defaultViewers": {"markdown": "Markdown Preview"},
    },
}


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
    from streaming_classroom import running_lab

    _set_up()
    _settle_jupyter()
    root = directories.PROJECT if options.with_outputs else _workspace()
    lessons = sorted(directories.notebooks().glob("*.ipynb"))
    # Of JupyterLab's two modes, the one for a single document shows a lesson and nothing beside it.
    address = _first_lesson(lessons, mode="doc" if options.present else "lab")
    if there := running_lab.address(root, address):
        return _open_again(there, options)
    start = [f"--ServerApp.root_dir={root}", f"--LabApp.default_url={address}"]
    start += _projector() if options.present else _own_style()
    # JupyterLab looks every three seconds for kernels that were killed; until then their streams seem to be alive.
    start.append("--KernelRestarter.time_to_dead=1")
    # It would search the machine for language servers and list, above the URL, those that are not there.
    start.append("--LanguageServerManager.autodetect=False")
    if getattr(os, "geteuid", lambda: 1)() == 0:
        start.append("--allow-root")  # as in a container, where there is nobody else to be
    # JupyterLab itself takes the next free port where this one is busy, and says which.
    command = [sys.executable, "-m", "jupyterlab", *start, f"--port={options.port or DEFAULT_PORT}", *options.jupyter]
    return _delegate(command)


def _open_again(address: str, options: argparse.Namespace) -> int:
    """Open the running JupyterLab, and print its address."""
    import webbrowser

    opened = "--no-browser" not in options.jupyter and webbrowser.open(address)
    large = " `DA.present()` in a lesson makes its text large." if options.present else ""
    unheard = options.port and urlsplit(address).port != options.port
    elsewhere = f" To have it on port {options.port}, stop that one with Ctrl+C first." if unheard else ""
    how = "and is opened" if opened else "at this address"
    print(f"JupyterLab is running on these files already, {how}: {address}{large}{elsewhere}", flush=True)
    return 0


def start_over(options: argparse.Namespace) -> int:
    """Get a fresh copy of a lesson; yours is kept beside it."""
    from streaming_classroom import workspace  # with filelock, which `--help` does without

    print(workspace.started_over(workspace.start_over(options.lessons)))
    return 0


def run(options: argparse.Namespace) -> int:
    """Execute lessons headless."""
    from streaming_classroom.runner import find_lessons, run_lessons

    lessons = find_lessons(options.lessons, directories.notebooks())
    _refuse_to_save(options, lessons)
    _refuse_unknown_parameters(options, lessons)
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
    if options.spark:
        print(spark_settings.page())
        return 0
    from streaming_classroom.setup import doctor as checks

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
    from streaming_classroom.kafka import commands  # with filelock, which `--help` does without

    print(getattr(commands, options.action)())
    return 0


def pipeline(options: argparse.Namespace) -> int:
    """Update a declarative pipeline: run FILE ..., or dry-run FILE ... to plan only."""
    _set_up()
    from declarative_pipelines import commands  # which set-up has installed, with what it needs
    from streaming_classroom.session.spark_session import get_spark

    return commands.main(options.arguments, get_spark)


def set_up(options: argparse.Namespace) -> int:
    """Perform the steps of set-up again that are missing or failed."""
    from streaming_classroom.setup import archive, steps

    archive.forget_failure()
    if not _set_up(options.all):  # else it has said so itself
        _print_lines(steps.deferred_downloads())
    return 0


def _set_up(everything: bool = False) -> bool:
    """Perform the missing steps of set-up; return whether there were any, after a line about later downloads."""
    from streaming_classroom.setup import steps

    worked = steps.set_up(lambda line: print(line, flush=True), offset=1, everything=everything)
    if worked:
        _print_lines(steps.deferred_downloads())
    return worked


def _print_lines(lines: Sequence[str]) -> None:
    for line in lines:
        print(line, flush=True)


def _workspace() -> Path:
    """Create or update the learner's copies of the lessons; report it, and return their folder."""
    from streaming_classroom import workspace  # with filelock, which `--help` does without

    print(workspace.line(workspace.update()), flush=True)
    return directories.work()


def _with_tools() -> dict[str, str]:
    """Return environment variables with which Python finds the tools."""
    folders = [str(_tools()), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(folders)}


def _tools() -> Path:
    return directories.PROJECT / "tools"


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


def _settle_jupyter() -> None:
    """Configure this environment's JupyterLab for lessons; a person's own settings have precedence."""
    overrides = Path(sys.prefix, "share", "jupyter", "lab", "settings", "overrides.json")
    wanted = json.dumps(_settings_of(overrides) | _JUPYTER_SETTINGS)
    if not overrides.exists() or overrides.read_text(encoding="utf-8") != wanted:
        overrides.parent.mkdir(parents=True, exist_ok=True)
        overrides.write_text(wanted, encoding="utf-8")


def _settings_of(overrides: Path) -> dict[str, Any]:
    """Return the existing settings of other plugins, or an empty mapping."""
    try:
        return dict(json.loads(overrides.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _projector() -> list[str]:
    """Return JupyterLab's options for large text, and for keeping the layout of its page apart from the user's own."""
    from streaming_classroom.files import ownership

    # Its settings for text are the user's own alone, which are not ours to write; a style is of this start.
    return [*_style(presenting.STYLES), f"--LabApp.workspaces_dir={ownership.claim(directories.home()) / 'jupyterlab'}"]


def _own_style() -> list[str]:
    """Return JupyterLab's options for the course's style; none where a person has one of their own."""
    from jupyter_core.paths import jupyter_config_dir  # which only JupyterLab's users have

    return [] if Path(jupyter_config_dir(), "custom", "custom.css").exists() else _style(_READING)


def _style(folder: Path) -> list[str]:
    """Return JupyterLab's options for a ``custom.css`` in a folder."""
    return ["--LabApp.custom_css=True", f"--ServerApp.tornado_settings=static_custom_path={folder}"]


def _first_lesson(lessons: Sequence[Path], mode: str) -> str:
    return f"/{mode}/tree/notebooks/{quote(lessons[0].name)}" if lessons else "/lab"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="course.py",
        description="A course on Spark Structured Streaming. Set-up happens by itself, once.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = _add(commands, "lab", lab)
    command.add_argument("--port", type=_port, help=f"port to try first (default: {DEFAULT_PORT})")
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
    command.add_argument("--jobs", type=_positive, default=1, metavar="N", help="lessons at a time (default: 1)")
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
    command.add_argument("name", choices=_benchmarks())

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
    """Outputs go back only into the course's own lessons, run as they are."""
    guests = [path for path in lessons if not path.is_relative_to(directories.notebooks())]
    if options.save and guests:
        raise NotAvailable(f"--save is for the course's lessons, and {guests[0]} is none.", "Leave it out.")
    if options.compare and (guests or options.save or options.parameter):
        raise NotAvailable("--compare is for the course's lessons, run as they are.", "Leave out what goes against it.")
    if options.solved and (options.save or options.compare):
        raise NotAvailable("--solved runs other cells than the file has.", "Leave --save and --compare out.")
    if options.save and options.parameter:
        raise NotAvailable("--save would keep outputs that come from parameters.", "Leave one of the two out.")


def _refuse_unknown_parameters(options: argparse.Namespace, lessons: Sequence[Path]) -> None:
    if options.parameter:
        from streaming_classroom.runner import parameters  # with the dialect, which other commands do without

        parameters.refuse_unknown(dict(options.parameter), lessons)


def _benchmarks() -> list[str]:
    return sorted(path.stem for path in (_tools() / "benchmarks").glob("[a-z]*.py"))


def _port(text: str) -> int:
    number = int(text)
    if not 0 < number < 2**16:
        raise argparse.ArgumentTypeError("must be between 1 and 65535")
    return number


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
