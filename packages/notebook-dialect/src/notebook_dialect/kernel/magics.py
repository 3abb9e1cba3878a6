"""The magics of the dialect, put into IPython's shell.

Names that IPython has already (``%run``, ``%sql`` of another extension) are replaced; ``%pip`` is IPython's own.

``%fs ls /path`` is a command of ``dbutils.fs`` written as in a shell.  ``%sh`` shows a script's output while it runs;
what Python calls ``/dbfs/...`` and ``/Volumes/...`` is put into the script as the folders that they are, and out of
its output again.  As on Databricks a failing script does not fail the cell, unless it begins with ``-e``.

Tab in a ``%sql`` cell completes the names of tables and views, and the columns of those that the cell mentions.
"""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.magic import no_var_expand
from IPython.core.magics.execution import ExecutionMagics

from notebook_dialect import conversion, include
from notebook_dialect.dbutils.execution_errors import FsUsageError, did_you_mean
from notebook_dialect.dbutils.fs import FileSystemUtils
from notebook_dialect.sql import sql_magic
from notebook_dialect.sql.spark_sql import display
from streaming_base.errors import NotAvailable

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import SparkSession

    from notebook_dialect.dbutils import DBUtils
    from notebook_dialect.filesystem import FileSystem
    from notebook_dialect.include import RunningNotebooks

COMMANDS = ("ls", "head", "put", "mkdirs", "rm", "cp", "mv", "mounts", "refreshMounts", "mount", "unmount", "help")
_SHORT_OPTIONS = {"-r": "recurse", "-R": "recurse", "--recursive": "recurse", "-f": "overwrite"}
_TRUTHS = {"true": True, "false": False}
_MOUNTS = re.compile(r"(?<![\w./:~-])/(dbfs|Volumes)(?=/|[\s\"')|;&]|$)")
_ONE_WORD = re.compile(r"[\w./+-]+", re.ASCII)
_MOST_TABLES = 5  # mentioned in one cell, whose columns are looked up


@dataclass(frozen=True)
class MagicContext:
    """The objects that the magics use: files, running notebooks, the current ``dbutils``, the default session."""

    files: FileSystem
    running: RunningNotebooks
    utilities: Callable[[], DBUtils]
    get_session: Callable[[], SparkSession]

    def widgets(self) -> dict[str, str]:
        """Return the values of the running notebook's widgets."""
        return self.utilities().widgets.getAll()


def install(shell: InteractiveShell, context: MagicContext) -> None:
    """Install cell languages and magics in a shell; calling it again changes nothing."""
    transforms = shell.input_transformer_manager.cleanup_transforms
    if conversion.to_cell_magic not in transforms:
        transforms.append(conversion.to_cell_magic)
    for name, function in _language_magics(shell, context).items():
        shell.register_magic_function(no_var_expand(function), "line_cell", name)
    for name, function in _line_magics(context).items():
        shell.register_magic_function(no_var_expand(function), "line", name)
    _replace_run(shell, context)
    _install_completion(shell)


def _language_magics(shell: InteractiveShell, context: MagicContext) -> dict:
    """Return the magics of the languages; each takes a line or a cell as one text."""

    def sql(line: str, cell: str | None = None) -> None:
        """Run SQL statements and display the last one's result."""
        __tracebackhide__ = True
        widgets = context.utilities().widgets
        sql_magic.run(_text(line, cell), shell.user_ns, context.running.current, widgets, context.get_session)

    def md(line: str, cell: str | None = None) -> None:
        """Render Markdown."""
        from IPython.display import Markdown, display

        display(Markdown(_text(line, cell)))

    def sh(line: str, cell: str | None = None) -> None:
        """Run a script of the shell."""
        __tracebackhide__ = True
        run_script(context.files.root, _text(line, cell))

    def fs(line: str, cell: str | None = None) -> None:
        """Run a command of dbutils.fs."""
        __tracebackhide__ = True
        if (result := run_fs_command(context.utilities().fs, _text(line, cell))) is not None:
            display(result)

    def scala(line: str, cell: str | None = None) -> None:
        """Say that Scala does not run here."""
        raise NotAvailable("This cell is Scala, and the kernel here speaks Python and SQL.", "Say it in one of them.")

    def r_language(line: str, cell: str | None = None) -> None:
        """Say that R does not run here."""
        raise NotAvailable("This cell is R, and the kernel here speaks Python and SQL.", "Say it in one of them.")

    def skip(line: str, cell: str | None = None) -> None:
        """Skip the cell."""

    def environment(line: str, cell: str | None = None) -> None:
        """Skip the cell: it describes the environment of serverless compute."""

    return {f.__name__: f for f in (sql, md, sh, fs, scala, r_language, skip, environment)}


def _line_magics(context: MagicContext) -> dict:
    def restart_python(line: str) -> None:
        """Do what dbutils.library.restartPython() does."""
        context.utilities().library.restartPython()

    def set_cell_max_output_size_in_mb(line: str) -> None:
        """Do nothing: a cell's output has no limit here."""

    return {f.__name__: f for f in (restart_python, set_cell_max_output_size_in_mb)}


def _text(line: str, cell: str | None) -> str:
    """Return the line of a line magic, or the body of a cell magic."""
    return line if cell is None else f"{line}\n{cell}" if line.strip() else cell


def _replace_run(shell: InteractiveShell, context: MagicContext) -> None:
    """Put our ``%run`` in front of IPython's own, which it hands scripts to."""
    # Not what is registered: IPython registers a stand-in that looks itself up by name, and would find ours.
    stock = ExecutionMagics(shell).run

    @no_var_expand  # a parameter $mode is no variable
    def run(line: str) -> None:
        """Run another notebook here (see the package's README), or a script as IPython does."""
        __tracebackhide__ = True
        include.run_magic(context.running, shell, context.widgets, stock, line)

    shell.register_magic_function(run, "line", "run")  # type: ignore[arg-type]


@dataclass(frozen=True)
class FsCommand:
    """A parsed line: a method of ``dbutils.fs`` and its arguments."""

    name: str
    arguments: dict[str, object]


def run_fs_command(fs: FileSystemUtils, line: str) -> object:
    """Run a ``%fs`` line, such as ``cp -r "/mnt/my files" /tmp/b``, and return the result of ``dbutils.fs``."""
    command = parse_fs_command(line)
    return getattr(fs, command.name)(**command.arguments)


def parse_fs_command(line: str) -> FsCommand:
    """Return the method and the arguments of a ``%fs`` line.

    Words are quoted as in a shell.  Options are the parameters of the method, ``--recurse`` or
    ``--recurse=true``, anywhere in the line; ``-r`` is short for ``--recurse``.
    """
    name, *words = _words(line) or ["help"]
    if name not in COMMANDS:
        raise FsUsageError(
            f"There is no %fs command {name!r}.", f"{did_you_mean(name, COMMANDS)}There are: {', '.join(COMMANDS)}."
        )
    parameters = _parameters(name)
    options = dict(_option(name, word) for word in words if _is_option(word))
    free = [parameter for parameter in parameters.values() if parameter.name not in options]
    values = [word for word in words if not _is_option(word)]
    if len(values) > len(free):
        raise _misused(name, f"has no use for {values[len(free)]!r}")
    given = {parameter.name: value for parameter, value in zip(free, values, strict=False)} | options
    for parameter in parameters.values():
        if parameter.default is parameter.empty and parameter.name not in given:
            raise _misused(name, f"needs {_shown(parameter)}")
    return FsCommand(name, {key: _convert(name, parameters[key], value) for key, value in given.items()})


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        fix = "Close each quote, and quote a path with spaces."
        raise FsUsageError(f"The line cannot be read: {error}.", fix) from None


def _is_option(word: str) -> bool:
    """Whether a word is an option; paths never begin with a hyphen."""
    return word in _SHORT_OPTIONS or re.fullmatch(r"--[A-Za-z]+(=.*)?", word, re.DOTALL) is not None


def _option(command: str, word: str) -> tuple[str, str]:
    spelled, _, value = word.partition("=")
    name = _SHORT_OPTIONS.get(spelled, spelled.removeprefix("--"))
    if name not in _parameters(command):
        raise _misused(command, f"has no option {spelled}")
    return name, value or "true"


def _parameters(command: str) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(getattr(FileSystemUtils, command)).parameters
    return {name: p for name, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD and name != "self"}


def _convert(command: str, parameter: inspect.Parameter, value: str) -> object:
    """Return the word as the type of the parameter's default: a boolean, a number or text."""
    if isinstance(parameter.default, bool):
        if value.lower() not in _TRUTHS:
            raise _misused(command, f"takes true or false for {parameter.name}, not {value!r}")
        return _TRUTHS[value.lower()]
    if isinstance(parameter.default, int):
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise _misused(command, f"takes a number for {parameter.name}, not {value!r}")
        return int(value)
    return value


def _misused(command: str, problem: str) -> FsUsageError:
    shown = " ".join(_shown(parameter) for parameter in _parameters(command).values())
    return FsUsageError(f"%fs {command} {problem}.", f"Write: %fs {command} {shown}".rstrip())


def _shown(parameter: inspect.Parameter) -> str:
    name = parameter.name.rstrip("_")
    return name if parameter.default is parameter.empty else f"[--{name}={str(parameter.default).lower()}]"


def run_script(root: Path, script: str) -> None:
    """Run a script with bash in the kernel's working directory; ``root`` is the folder of ``/dbfs``.

    A script that begins with ``-e`` ends at the first command that fails, with CalledProcessError.
    """
    stripped = script.lstrip()
    strict = stripped.startswith("-e") and stripped[2:3].isspace()
    bash = shutil.which("bash")
    if bash is None:
        raise NotAvailable("This machine has no bash to run the cell with.", "Write it in Python, or install bash.")
    with _shell_safe_path(root) as folder:
        folders = {"dbfs": folder, "Volumes": folder / "Volumes"}
        text = _MOUNTS.sub(lambda found: folders[found[1]].as_posix(), stripped[2:] if strict else script)
        command = [bash, *(["-e"] if strict else []), "-c", text]
        returned = _show_while_running(command, (folder, root))
    if strict and returned:
        raise subprocess.CalledProcessError(returned, "%sh -e")


def _show_while_running(command: list[str], roots: Sequence[Path]) -> int:
    """Run a command, show its output with ``/dbfs`` in place of each of the roots, and return its exit code."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
    ) as process:
        try:
            for line in process.stdout:
                for root in roots:
                    line = line.replace(root.as_posix(), "/dbfs")
                sys.stdout.write(line)
        except KeyboardInterrupt:
            process.terminate()
            raise
    return process.returncode


@contextmanager
def _shell_safe_path(root: Path) -> Iterator[Path]:
    """Return a name of the folder that the shell reads as one word, within quotation marks or without."""
    if _ONE_WORD.fullmatch(root.as_posix()):
        yield root
        return
    places = [place for place in (tempfile.gettempdir(), "/tmp", "/var/tmp") if _ONE_WORD.fullmatch(place)]
    directory = Path(tempfile.mkdtemp(prefix="dbfs-", dir=places[0] if places else None))
    link = directory / "dbfs"
    link.symlink_to(root, target_is_directory=True)
    try:
        yield link
    finally:
        # The link and its folder alone: nothing here may follow it.
        link.unlink()
        directory.rmdir()


def _install_completion(shell: InteractiveShell) -> None:
    matchers = shell.Completer.custom_matchers
    if not any(getattr(matcher, "matcher_identifier", "") == "classroom.sql" for matcher in matchers):
        matchers.append(context_matcher(identifier="classroom.sql", priority=100)(_Matcher(shell)))


class _Matcher:
    """IPython's matcher for SQL cells of one shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.__qualname__ = "sql"  # IPython names a matcher by it

    def __call__(self, context: CompletionContext) -> SimpleMatcherResult:
        """Return the names that begin as the word before the cursor."""
        if not _is_sql(context.full_text):
            return {"completions": []}
        before = context.full_text.splitlines()[context.cursor_line][: context.cursor_position]
        word = re.search(r"[\w.`]*$", before)[0]
        spark = self._shell.user_ns.get("spark")
        names = list(_names(spark, context.full_text, word)) if spark is not None else []
        start = word.casefold()
        found = [SimpleCompletion(text=name, type=kind) for name, kind in names if name.casefold().startswith(start)]
        # Python's own ideas about SQL help nobody.
        return {"completions": found, "matched_fragment": word, "suppress": True, "ordered": True}


def _is_sql(cell: str) -> bool:
    lines = conversion.to_cell_magic(cell.splitlines(keepends=True))
    return bool(lines) and lines[0].startswith(("%%sql", "%sql"))


def _names(spark: SparkSession, cell: str, word: str) -> Iterator[tuple[str, str]]:
    """Give columns of the tables that the cell mentions, then tables, then databases; a kind with each."""
    from pyspark.errors import PySparkException

    try:
        tables = [table.name for table in spark.catalog.listTables()]
        words = {found.casefold() for found in re.findall(r"\w+", cell)}
        mentioned = [name for name in tables if name.casefold() in words and name != word]
        for table in mentioned[:_MOST_TABLES]:
            yield from ((column, "column") for column in spark.table(f"`{table}`").columns)
        yield from ((name, "table") for name in tables)
        database, dot, _rest = word.rpartition(".")
        if dot:
            yield from ((f"{database}.{table.name}", "table") for table in spark.catalog.listTables(database))
        else:
            yield from ((database.name, "schema") for database in spark.catalog.listDatabases())
    except PySparkException:
        return  # a name that is being typed need not exist yet
