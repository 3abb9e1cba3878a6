"""What to do about the errors of Python itself that a first hour brings: names, attributes, arguments, magics.

An error that nothing is known about is shown as ever, with its traceback.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import linecache
import os
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Container, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from notebook_dialect.kernel.hints import FUNCTIONS, NOT_STARTED, nodes_outside
from streaming_base.close_names import HIGH_SIMILARITY, closest_name

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)


_ARGUMENT = re.compile(r"(?:(\w+)\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_LOST = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_MAGIC = re.compile(r"^%(\w+)\b", re.MULTILINE)
_OF_FRAMES = "A column has no methods that show or count: call them on a DataFrame, such as `df.select(column).show()`."
_NAMED = 8  # of what an object has
_NONE = (
    "What stands before `.{name}` is None. `awaitTermination()`, `show()` and `display()` return None: call them in a "
    "line of their own."
)


def advice(
    shell: InteractiveShell, error: BaseException, trace: TracebackType | None, set_up: Container[str]
) -> str | None:
    """Return advice on one of Python's own errors, one sentence or two, or None.

    ``set_up`` are the names that the notebook's set-up cell defines.
    """
    for kind, advise in _KINDS.items():
        if isinstance(error, kind):
            return advise(error, shell, trace, set_up)
    return None


def _of_name(error: Any, shell: InteractiveShell, _trace: object, set_up: Container[str]) -> str | None:
    name, namespace = error.name, shell.user_ns
    if not name or isinstance(error, UnboundLocalError):
        return None
    if name in set_up:
        return f"`{name}` comes from the set-up cell: run the set-up cell first."
    if line := _defining_line(name, namespace):
        return f"Run the cell of this notebook that defines it: `{line}`"
    if other := closest_name(name, {*namespace, *dir(builtins)}):
        return f"Did you mean `{other}`?"
    return f"Run the cell that defines `{name}`, or correct the name."


def _of_attribute(error: Any, _shell: object, trace: TracebackType | None, _set_up: object) -> str | None:
    name, owner = error.name or _quoted(str(error)), error.obj
    if owner is None and "NoneType" in str(error):
        return _NONE.format(name=name)
    if type(owner).__name__ == "DataStreamWriter" and not closest_name(name, dir(owner)):
        return f"{NOT_STARTED} Keep what that returns: it is the query."
    owner = _self_of_the_last(trace) if owner is None else owner
    if not name or owner is None:
        return None
    other = closest_name(name, dir(owner))
    there = [known for known in dir(owner) if not known.startswith("_")]
    if other or not there:
        return f"Did you mean `.{other}`?" if other else None
    more = " ..." if len(there) > _NAMED else "."
    return f"Correct the name: there are {', '.join(there[:_NAMED])}{more}"


def _of_argument(
    error: BaseException, shell: InteractiveShell, trace: TracebackType | None, _set_up: object
) -> str | None:
    text = str(error)
    if found := _ARGUMENT.search(text):
        known = _parameters(found[1], found[2], shell.user_ns)
        other = closest_name(found[3], known)
        return f"Did you mean `{other}`?" if other else f"It takes {', '.join(known)}." if known else None
    if text == "'Column' object is not callable":
        from pyspark.sql import Column, DataFrame

        called = _called(trace)
        other = None if hasattr(DataFrame, called) else closest_name(called, dir(Column))
        return f"Did you mean `.{other}`?" if other else _OF_FRAMES
    if text == "unsupported operand type(s) for +: 'int' and 'str'":
        return "If you meant Spark's `sum` of a column: `from pyspark.sql import functions as F`, then `F.sum(...)`."
    return None


def _of_import(error: Any, _shell: object, _trace: object, _set_up: object) -> str | None:
    if found := _LOST.search(str(error)):
        other = closest_name(found[1], dir(sys.modules.get(found[2])))
        return f"Did you mean `{other}`?" if other else f"Correct the name: `dir({found[2]})` lists what is there."
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    package, dot, name = error.name.rpartition(".")
    other = closest_name(name, _modules(package) - {name}, HIGH_SIMILARITY)
    # No command that installs the name: others publish packages under names that people mistype.
    return (
        f"Did you mean `{package}{dot}{other}`?" if other else "Correct the name, or install the package that has it."
    )


def _of_syntax(_error: object, shell: InteractiveShell, _trace: object, _set_up: object) -> str | None:
    """Explain a magic that is not in the first line of its cell, below which everything is taken for Python."""
    cell = shell.history_manager.input_hist_raw[-1] if shell.history_manager else ""
    found = _MAGIC.search(cell)
    if found is None or not cell[: found.start()].strip():
        return None
    if found[1] not in shell.magics_manager.magics["cell"]:
        return None
    above = cell[: found.start()].splitlines()
    only_comments = all(line.lstrip().startswith("#") or not line.strip() for line in above)
    where = "the first line of the cell" if only_comments else "the first line of a cell of its own"
    return f"Put `%{found[1]}` on {where}: below another line the cell is Python."


_KINDS: Mapping[type[BaseException], Callable[[Any, InteractiveShell, Any, Any], str | None]] = {
    NameError: _of_name,
    AttributeError: _of_attribute,
    TypeError: _of_argument,
    ImportError: _of_import,
    SyntaxError: _of_syntax,
}


def _modules(package: str) -> set[str]:
    """Return the modules of a package; without a package, the installed ones and those of Python."""
    if not package:
        return {*metadata.packages_distributions(), *sys.stdlib_module_names}
    return {module.name for module in pkgutil.iter_modules(getattr(sys.modules.get(package), "__path__", []))}


def _called(trace: TracebackType | None) -> str:
    """Return the method that the failing call names, or an empty string.

    A column takes any name for a field of its own, so the error comes with the call and does not know the name.
    """
    if not (frames := traceback.extract_tb(trace)):
        return ""
    frame = frames[-1]
    end = (frame.end_lineno, frame.end_colno)
    try:
        tree = ast.parse("".join(linecache.getlines(frame.filename)))
    except SyntaxError:
        return ""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    here = [call.func for call in calls if (call.end_lineno, call.end_col_offset) == end]
    return next((function.attr for function in here if isinstance(function, ast.Attribute)), "")


def _quoted(text: str) -> str:
    """Return the last name in backticks or quotes of a message, as PySpark's errors have it."""
    names = re.findall(r"[`'](\w+)[`']", text)
    return names[-1] if names else ""


def _self_of_the_last(trace: TracebackType | None) -> Any:
    """Return the object in whose method an error came up; PySpark's own errors do not carry it."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_locals.get("self") if trace else None


def _parameters(owner: str | None, function: str, namespace: Mapping[str, Any]) -> list[str]:
    """Return the parameters of a function that a message names; none where it is not found."""
    modules = [vars(module) for name, module in list(sys.modules.items()) if name.startswith("pyspark.sql") and module]
    for place in (namespace, *modules):
        found = getattr(place.get(owner), function, None) if owner else place.get(function)
        if callable(found):
            return [name for name in inspect.signature(found).parameters if name != "self"]
    return []


def _defining_line(name: str, namespace: Mapping[str, Any]) -> str | None:
    """Return the line of the notebook that defines a name, or None.

    JupyterLab and Jupyter Notebook name the file in the kernel's environment, VS Code among the notebook's variables.
    """
    file = namespace.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    lines = (_definition(name, source) for source in _sources(Path(file))) if file else iter(())
    return next((line for line in lines if line), None)


def _sources(notebook: Path) -> Iterator[str]:
    """Yield the code cells of a notebook as it was last saved; none if the file is not a notebook."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        yield from ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    except (OSError, ValueError, KeyError, TypeError):
        return


def _definition(name: str, source: str) -> str | None:
    """Return the line of a cell that defines a name at the cell's top level, or None."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    found = next((statement for statement in tree.body if name in _bound_names(statement)), None)
    return source.splitlines()[found.lineno - 1].strip() if found else None


def _bound_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in the notebook's scope."""
    nodes = list(nodes_outside(statement, _SCOPES))
    # A walrus in a comprehension binds in the scope around it.
    walruses = [
        inner for node in nodes if isinstance(node, _COMPREHENSIONS) for inner in nodes_outside(node, FUNCTIONS)
    ]
    nodes += [inner.target for inner in walruses if isinstance(inner, ast.NamedExpr)]
    declared = {id(node.target) for node in nodes if isinstance(node, ast.AnnAssign) and node.value is None}
    return {name for node in nodes if id(node) not in declared for name in _bound(node)}


def _bound(node: ast.AST) -> list[str]:
    """Return the names that one node of the syntax binds by itself."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Import() | ast.ImportFrom():
            return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        case ast.Name(ctx=ast.Store()):
            return [node.id]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
    return []
