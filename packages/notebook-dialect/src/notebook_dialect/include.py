"""``%run`` of another notebook: its cells run in the caller's namespace; and the notebooks that are running.

Stock IPython's ``%run`` stays what it is for scripts, and for lines with options of its own; a notebook of the
dialect, by its first line or its suffix, is run here.  Relative names, parameters and places in error messages belong
to the innermost notebook.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import re
import shlex
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streaming_base import front_end
from streaming_base import notebook_files as source
from streaming_base.close_names import close_names
from streaming_base.errors import ExplainedError
from streaming_base.notebook_files import Cell

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_SUGGESTIONS = 8
_OTHERS = (".scala", ".r", ".R")  # found, to say that they cannot be run


@dataclass(eq=False)
class NotebookNotFound(ExplainedError, FileNotFoundError):
    """``%run`` or ``dbutils.notebook.run`` names a notebook that is not there: correct the name."""

    target: str
    directory: Path
    nearest: tuple[str, ...] = ()
    there: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.directory.is_dir():
            return f"There is no notebook {self.target!r}: the folder {self.directory} does not exist."
        hint = f" Did you mean {' or '.join(self.nearest)}?" if self.nearest else ""
        if self.there and not self.nearest:
            hint = f" It has: {', '.join(self.there)}."
        return f"There is no notebook {self.target!r}: looked in {self.directory} for .py, .ipynb and .sql.{hint}"


@dataclass(eq=False)
class IncludeCycle(ExplainedError):
    """Notebooks that include each other would never end: take one of the ``%run`` lines out."""

    chain: tuple[str, ...]

    def __str__(self) -> str:
        return f"These notebooks %run each other in a circle; take one of the lines out: {' -> '.join(self.chain)}"


@dataclass(eq=False)
class BadRunLine(ExplainedError, ValueError):
    """A malformed ``%run`` line."""

    line: str
    problem: str

    def __str__(self) -> str:
        return f'{self.problem} Write it as %run ./Notebook $name="value", not: %run {self.line}'


class NotebookExit(Exception):
    """``dbutils.notebook.exit(value)``: the notebook ends here, on purpose."""

    def __init__(self, value: str) -> None:
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        return f"Notebook exited: {self.value}"


def parse_run_line(line: str) -> tuple[str, dict[str, str]]:
    """Return the name and the parameters of a line such as ``"./My Setup" $mode="reset" $day=3``.

    The name may have spaces with or without quotes around it; the first word that begins with ``$`` ends it.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise BadRunLine(line, "A quotation mark is not closed, or a backslash is the last character.") from error
    names = [number for number, word in enumerate(words) if word.startswith("$")]
    end = names[0] if names else len(words)
    target = " ".join(words[:end])
    if not target:
        raise BadRunLine(line, "The name of a notebook is missing.")
    return target, dict(_argument(line, word) for word in words[end:])


def _argument(line: str, word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not re.fullmatch(r"\$\w+", name):
        raise BadRunLine(line, f"{word!r} is not a parameter, which begins with a $ and a name.")
    if not equals:
        raise BadRunLine(line, f"The parameter {name} has no value.")
    return name[1:], value


@dataclass
class Notebook:
    """A running notebook: its file if known, the folder of its relative names, its parameters, its caller.

    An isolated one, as of ``dbutils.notebook.run``, shares nothing with its caller.
    """

    path: Path | None
    directory: Path
    arguments: Mapping[str, str] = field(default_factory=dict)
    parent: Notebook | None = None
    isolated: bool = False
    cell: Cell | None = None

    def chain(self) -> Iterator[Notebook]:
        """This notebook, its caller, and so on to the one in front of the user."""
        yield self
        if self.parent is not None:
            yield from self.parent.chain()

    def place(self, line: int) -> str:
        """Return where a line (from 1) of the current cell is, as a reader would search for it."""
        if self.path is None or self.cell is None:
            return f"line {line}"
        if self.cell.number is not None:
            return f"{self.path.name}, cell {self.cell.number}, line {self.cell.line + line - 1}"
        return f"{self.path.name}, line {self.cell.line + line - 1}"


class RunningNotebooks:
    """The notebooks that are running, the innermost in ``current``; created by the one in front of the user.

    ``compiled`` are the names under which cells of included notebooks were compiled, as tracebacks show them.
    """

    def __init__(self) -> None:
        # Taken once, at set-up: a cell may change the working directory later.
        self.current = Notebook(_path_of_front_end(), Path.cwd())
        self.compiled: set[str] = set()

    @contextmanager
    def entered(self, path: Path, arguments: Mapping[str, str], isolated: bool = False) -> Iterator[Notebook]:
        """Make another notebook the current one for a ``with`` block."""
        outer = self.current
        self.current = Notebook(path, path.parent, dict(arguments), outer, isolated)
        try:
            yield self.current
        finally:
            self.current = outer

    def arguments(self) -> dict[str, str]:
        """The parameters of the running notebooks by name; the innermost notebook's win."""
        found: dict[str, str] = {}
        for notebook in self.current.chain():
            found = {**notebook.arguments, **found}
            if notebook.isolated:
                break
        return found


def _path_of_front_end() -> Path | None:
    """Return the notebook's file: Jupyter's server tells the kernel by a variable, VS Code by a name."""
    shell = front_end.ipython()
    known = os.environ.get("JPY_SESSION_NAME") or (shell and shell.user_ns.get("__vsc_ipynb_file__"))
    # Only its name is sure: the kernel is started in its directory, and servers differ in what they put before it.
    return Path.cwd() / Path(known).name if known else None


def run_magic(
    running: RunningNotebooks,
    shell: InteractiveShell,
    widgets: Callable[[], Mapping[str, str]],
    stock: Callable[[str], object],
    line: str,
) -> None:
    """Run the notebook of a ``%run`` line; ``stock`` is IPython's own magic, which runs scripts.

    The line's ``$mode=$mode`` passes on the values of the caller's widgets.
    """
    __tracebackhide__ = True
    directory = running.current.directory
    if not line.strip() or line.lstrip().startswith("-") or _is_script(directory, line):
        stock(line)
        return
    target, given = parse_run_line(line)
    own = widgets()
    arguments = {name: own.get(value[1:], value) if value[:1] == "$" else value for name, value in given.items()}
    execute(running, shell, find(directory, target), arguments)


def execute(
    running: RunningNotebooks,
    shell: InteractiveShell,
    path: Path,
    arguments: Mapping[str, str],
    isolated: bool = False,
) -> None:
    """Run every cell of a notebook in the shell's namespace; an isolated one gets none of its callers' parameters.

    Raises IncludeCycle: the notebook is already running; UnreadableNotebook: the file is not a notebook of Python or
    SQL.
    """
    __tracebackhide__ = True
    callers = [one.path for one in running.current.chain()]
    if path in callers:
        circle = [path, *callers[: callers.index(path) + 1]]
        raise IncludeCycle(tuple(step.stem for step in reversed(circle) if step is not None))
    notebook = source.read(path)
    with running.entered(path, arguments, isolated) as current:
        for cell in notebook.cells:
            current.cell = cell
            name = _file_name(path, cell)
            running.compiled.add(name)
            run_cell(shell, name, cell)


def run_cell(shell: InteractiveShell, name: str, cell: source.Cell) -> None:
    """Run one cell as Jupyter would: its magics, its statements, the value of its last expression shown.

    Tracebacks name its file ``name``.  The ``__future__`` imports of this module do not apply to the notebook.
    """
    __tracebackhide__ = True
    # Blank lines in front let every error, a syntax error too, name the line of the file.
    tree = ast.parse("\n" * (cell.line - 1) + shell.transform_cell(cell.text), name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    _evaluate(tree, name, "exec", shell.user_ns)
    if last is None:
        return
    value = _evaluate(ast.Expression(last.value), name, "eval", shell.user_ns)
    if value is not None and not cell.text.rstrip().endswith(";"):
        from IPython.display import display

        display(value)


def _evaluate(tree: ast.Module | ast.Expression, name: str, mode: str, namespace: dict[str, Any]) -> Any:
    """Run code that may have ``await`` outside of functions, and return its value."""
    __tracebackhide__ = True
    code = compile(tree, name, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    value = eval(code, namespace)
    return _run_until_complete(value) if code.co_flags & inspect.CO_COROUTINE else value


def _run_until_complete(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end in an event loop of its own, within the kernel's loop, which waits meanwhile."""
    import asyncio

    __tracebackhide__ = True
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)  # a second loop in one thread is refused otherwise
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.close()
        asyncio._set_running_loop(outer)


def find(directory: Path, target: str) -> Path:
    """Return the file of a notebook that another one in ``directory`` names; NotebookNotFound has the closest names."""
    base = directory / target
    # A name may have dots and no suffix, such as Setup-06.1.
    candidates = [base, *(base.with_name(base.name + suffix) for suffix in (*source.SUFFIXES, *_OTHERS))]
    found = next((path for path in candidates if _is_file(path)), None)
    if found is None:
        raise NotebookNotFound(target, base.parent, *_nearest(base))
    return found.resolve()


def _is_script(directory: Path, line: str) -> bool:
    """Whether a line begins with the name of a Python file that is no notebook; arguments may follow."""
    base = directory / line.split()[0].strip("\"'")
    scripts = [path for path in (base, base.with_name(base.name + ".py")) if path.suffix == ".py" and _is_file(path)]
    return bool(scripts) and not source.is_databricks_source(scripts[0])


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _nearest(base: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of a folder's notebooks that are nearest to one, the nearest first, and its first few names."""
    if not base.parent.is_dir():
        return (), ()
    there = sorted({path.stem for path in base.parent.iterdir() if path.suffix in source.SUFFIXES})
    return tuple(close_names(base.name, there, alike=0.5)), tuple(there[:_SUGGESTIONS])


def _file_name(path: Path, cell: source.Cell) -> str:
    """Return a cell's file name for tracebacks, and register its lines with ``linecache``."""
    name = str(path) if cell.number is None else f"{path}, cell {cell.number}"
    if cell.number is not None:
        lines = [line + "\n" for line in cell.text.splitlines()]
        linecache.cache[name] = (0, None, lines, name)
    return name
