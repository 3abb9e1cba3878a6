"""``%run`` of another notebook: its cells run in the caller's namespace.

Stock IPython's ``%run`` stays what it is for scripts, and for lines with options of its own; a notebook of the
dialect, by its first line or its suffix, is run here.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_dialect.errors import IncludeCycle, NotebookNotFound
from notebook_dialect.notebooks import run_line
from streaming_base import notebook_files as source
from streaming_base.close_names import close_names

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_dialect.notebooks.running_notebooks import Notebook, RunningNotebooks

_SUGGESTIONS = 8
_OTHERS = (".scala", ".r", ".R")  # found, to say that they cannot be run


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
    wanted = run_line.parse(line)
    own = widgets()
    arguments = {
        name: own.get(value[1:], value) if value[:1] == "$" else value for name, value in wanted.arguments.items()
    }
    execute(running, shell, find(directory, wanted.target), arguments)


def execute(
    running: RunningNotebooks,
    shell: InteractiveShell,
    path: Path,
    arguments: Mapping[str, str],
    isolated: bool = False,
) -> None:
    """Run every cell of a notebook in the shell's namespace; an isolated one gets none of its callers' parameters.

    Raises
    ------
    IncludeCycle
        The notebook is already running.
    UnreadableNotebook
        The file is not a notebook of Python or SQL.
    """
    __tracebackhide__ = True
    _refuse_cycle(running.current, path)
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


def _refuse_cycle(notebook: Notebook, path: Path) -> None:
    running = [one.path for one in notebook.chain()]
    if path in running:
        circle = [path, *running[: running.index(path) + 1]]
        raise IncludeCycle(tuple(step.stem for step in reversed(circle)))


def _file_name(path: Path, cell: source.Cell) -> str:
    """Return a cell's file name for tracebacks, and register its lines with ``linecache``."""
    name = str(path) if cell.number is None else f"{path}, cell {cell.number}"
    if cell.number is not None:
        lines = [line + "\n" for line in cell.text.splitlines()]
        linecache.cache[name] = (0, None, lines, name)
    return name
