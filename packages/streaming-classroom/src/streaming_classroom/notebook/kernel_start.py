"""What a kernel of the course loads at its start: it explains a cell that is run before set-up.

After a restart of the kernel a page looks as before, and nothing of it is there any more.  A cell that is run then
would fail on the syntax of SQL or on a name that nobody has mistyped; here it says that the set-up cell comes first.

And they do not tell the front end Python's version.  JupyterLab writes what it is told into the notebook, which then is
unsaved as soon as it is opened, and a difference in version control once it is saved.

In a lesson they start Spark meanwhile (:mod:`.early_start`).

IPython loads this as an extension (:mod:`.setup.kernel_settings`), so it imports neither Spark nor widgets.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import no_var_expand

from streaming_base.errors import ExplainedError
from streaming_classroom import environment
from streaming_classroom.files import directories

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

SENTENCE = "This kernel has just been started, and what ran before is gone: run the set-up cells first."
# What set-up defines in every notebook; in a lesson other names are missing for the same reason.
_NAMES = (
    "DA",
    "spark",
    "sc",
    "sqlContext",
    "dbutils",
    "untilStreamIsReady",
    "stopAllStreams",
    "workingDir",
    "userhome",
)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics of lessons as a message that set-up is missing, until set-up replaces them."""
    if environment.is_databricks():
        return
    from notebook_dialect.notebooks import cell_language

    transforms = shell.input_transformer_manager.cleanup_transforms
    if cell_language.to_cell_magic not in transforms:
        transforms.append(cell_language.to_cell_magic)
    magics = {magic for magic in cell_language.LANGUAGES.values() if magic} - set(shell.magics_manager.magics["cell"])
    for name in magics:
        shell.register_magic_function(no_var_expand(_too_early), "line_cell", name)  # type: ignore[arg-type]
    shell.set_custom_exc((NameError, ExplainedError), _show_error)
    if (kernel := getattr(shell, "kernel", None)) is not None:
        kernel.language_info = {name: value for name, value in kernel.language_info.items() if name != "version"}
        notebook = _notebook()
        if notebook is not None and _is_lesson():
            from streaming_classroom.session import early_start  # no other kernel has a use for it

            early_start.begin(notebook)


def _too_early(line: str, cell: str | None = None) -> None:
    """Raise the message that set-up is missing."""
    raise UsageError(SENTENCE)


def _show_error(
    shell: InteractiveShell,
    kind: type,
    error: NameError | ExplainedError,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> list[str] | None:
    """Show an error that explains itself, or that set-up prevents, as a sentence; any other as IPython does."""
    if isinstance(error, ExplainedError):
        sentence = str(error)
    else:
        sentence = f"{error}. {SENTENCE}" if error.name in _NAMES or _is_lesson() else ""
    if sentence:
        lines = [f"{kind.__name__}: {sentence}"]
        shell._showtraceback(kind, error, lines)
        return lines
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    return None


def _notebook() -> Path | None:
    """Return the kernel's notebook, or None where no Jupyter server names it (papermill, nbconvert, nbval, VS Code)."""
    name = os.environ.get("JPY_SESSION_NAME")
    return Path(name).absolute() if name else None


def _is_lesson() -> bool:
    """Whether the notebook is in the course's checkout or among the learner's copies.

    A kernel without the name of its notebook counts by its working directory.
    """
    notebook = _notebook()
    folders = [Path.cwd(), *Path.cwd().parents] if notebook is None else notebook.parents
    return directories.PROJECT in folders or directories.work() in folders
