"""The magics of the dialect, put into IPython's shell.

Names that IPython has already (``%run``, ``%sql`` of another extension) are replaced; ``%pip`` is IPython's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from IPython.core.magic import no_var_expand
from IPython.core.magics.execution import ExecutionMagics

from notebook_dialect.dbutils.fs_magic import run_fs_command
from notebook_dialect.kernel import shell_cell
from notebook_dialect.notebooks import cell_language, include
from notebook_dialect.sql import sql_magic
from stream_view import display
from stream_view.errors import NotAvailable

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import SparkSession

    from notebook_dialect.dbutils import DBUtils
    from notebook_dialect.files.filesystem import FileSystem
    from notebook_dialect.notebooks.running_notebooks import RunningNotebooks


@dataclass(frozen=True)
class MagicContext:
    """What the magics work on.

    Parameters
    ----------
    files
        What ``dbfs:/`` stands for.
    running
        The notebooks that are running.
    utilities
        Returns the running notebook's ``dbutils``.
    get_session
        Returns the session of a notebook that has no ``spark``.
    """

    files: FileSystem
    running: RunningNotebooks
    utilities: Callable[[], DBUtils]
    get_session: Callable[[], SparkSession]

    def widgets(self) -> dict[str, str]:
        """Return the values of the running notebook's widgets."""
        return self.utilities().widgets.getAll()


def install(shell: InteractiveShell, context: MagicContext) -> None:
    """Teach a shell the first lines of cells and the magics behind them; calling it again changes nothing."""
    transforms = shell.input_transformer_manager.cleanup_transforms
    if cell_language.to_cell_magic not in transforms:
        transforms.append(cell_language.to_cell_magic)
    for name, function in _language_magics(shell, context).items():
        shell.register_magic_function(no_var_expand(function), "line_cell", name)
    for name, function in _line_magics(context).items():
        shell.register_magic_function(no_var_expand(function), "line", name)
    _replace_run(shell, context)


def _language_magics(shell: InteractiveShell, context: MagicContext) -> dict:
    """Return the functions behind the languages; each takes what a line or a cell says as one text."""

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
    """Return what was written: the line of a line magic, the body of a cell magic."""
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
