"""The magics of the dialect, put into IPython's shell.

Names that IPython has already (``%run``, ``%sql`` of another extension) are replaced; ``%pip`` is IPython's own.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.magic import no_var_expand
from IPython.core.magics.execution import ExecutionMagics

from notebook_dialect.dbutils.fs_magic import run_fs_command
from notebook_dialect.display import display
from notebook_dialect.kernel import shell_cell
from notebook_dialect.notebooks import cell_language, include
from notebook_dialect.sql import sql_magic
from streaming_base.errors import NotAvailable

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import SparkSession

    from notebook_dialect.dbutils import DBUtils
    from notebook_dialect.files.filesystem import FileSystem
    from notebook_dialect.notebooks.running_notebooks import RunningNotebooks

#: What runs when it is called, and not where it stands.
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)


def defining_line(name: str, namespace: Mapping[str, Any]) -> str | None:
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


def nodes_outside(tree: ast.AST, kinds: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """Yield the nodes of a tree in order, without the children of nodes of some kinds."""
    yield tree
    if not isinstance(tree, kinds):
        for child in ast.iter_child_nodes(tree):
            yield from nodes_outside(child, kinds)


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
    if cell_language.to_cell_magic not in transforms:
        transforms.append(cell_language.to_cell_magic)
    for name, function in _language_magics(shell, context).items():
        shell.register_magic_function(no_var_expand(function), "line_cell", name)
    for name, function in _line_magics(context).items():
        shell.register_magic_function(no_var_expand(function), "line", name)
    _replace_run(shell, context)


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
        shell_cell.run(context.files.root, _text(line, cell))

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
