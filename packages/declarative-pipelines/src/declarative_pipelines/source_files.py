"""Files and folders of Python, SQL and notebooks, read into a pipeline's definitions.

A Python file is run with the names of :func:`names_for_files`.  Of a notebook, cells of Python and of SQL count; what
other magics do to a notebook, such as to install packages, is left out.

A pipeline's files are read in order to know what they define, so what they would show is not shown.  ``dbutils`` is the
notebook's own where there is one; elsewhere it has widgets, which the update's configuration gives values, and secrets.
"""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions import registry, statements
from declarative_pipelines.definitions.model import Definitions, SourceLocation
from declarative_pipelines.errors import BadArgument, BadDefinition, PipelineError, did_you_mean, unset_key
from streaming_base import front_end, notebook_files
from streaming_base.errors import ExplainedError, short_message
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def names_for_files(session: SparkSession, configuration: Mapping[str, str]) -> dict[str, Any]:
    """Return the global names of Python files; a widget has the value of the configuration's key of its name."""
    shell = front_end.ipython()
    there = shell.user_ns if shell is not None else {}
    file_utilities = function_of_sibling("file_utilities")

    def show_nothing(*shown: Any, **options: Any) -> None:
        """Ignore values to show."""

    return {
        "spark": session,
        "sc": session.sparkContext,
        "dbutils": there.get("dbutils") or (file_utilities(configuration) if file_utilities else None),
        "display": show_nothing,
        "displayHTML": show_nothing,
    }


SUFFIXES = (".py", ".sql", ".ipynb")
# Magics of a whole cell, and of a line, below which the cell continues.
_CELLS_LEFT_OUT = ("md", "md-sandbox", "sh", "environment", "skip")
_LINES_LEFT_OUT = (
    "pip", "uv", "conda", "restart_python", "run", "fs", "config", "matplotlib", "load_ext", "reload_ext", "autoreload",
    "set_cell_max_output_size_in_mb",
)  # fmt: skip
_LINE = re.compile(rf"^(?:%(?:{'|'.join(_LINES_LEFT_OUT)})\b|!).*(?:(?<=\\)\n.*)*$", re.MULTILINE)


def files(sources: Sequence[str | Path]) -> list[Path]:
    """Return the files, those of folders sorted and recursive; BadArgument for a missing file or another kind."""
    found: list[Path] = []
    for given in sources:
        path = Path(given)
        inside = sorted(one for one in path.rglob("*") if one.suffix in SUFFIXES and "__pycache__" not in one.parts)
        if path.is_dir() and not inside:
            raise BadArgument(f"The folder {path} has no file that ends in .py, .sql or .ipynb.")
        if not path.exists():
            there = [one.name for one in path.parent.glob("*")] if path.parent.is_dir() else []
            raise BadArgument(f"There is no {path}, seen from {Path.cwd()}.{did_you_mean(path.name, there)}")
        if path.is_file() and path.suffix not in SUFFIXES:
            raise BadArgument(f"{path} defines nothing: a pipeline's files end in .py, .sql or .ipynb.")
        found += inside if path.is_dir() else [path]
    return list(dict.fromkeys(found))


def read(paths: Sequence[Path], names: Mapping[str, Any]) -> Definitions:
    """Return the definitions of files; PipelineError for an unreadable file, a failing one and a wrong definition."""
    definitions = Definitions()
    with registry.collected_definitions(definitions):
        for path in paths:
            _read(path, dict(names), definitions)
    return definitions


def _read(path: Path, names: dict[str, Any], definitions: Definitions) -> None:
    scope = {**names, "__name__": "__pipeline__", "__file__": str(path)}
    with _importable(path.parent):
        if path.suffix == ".ipynb" or notebook_files.is_databricks_source(path):
            for cell in notebook_files.read(path).cells:
                _read_cell(path, cell, scope, definitions)
        elif path.suffix == ".sql":
            _statements(path.read_text(encoding="utf-8"), str(path), definitions)
        else:
            _run(path.read_text(encoding="utf-8"), str(path), scope)


def _read_cell(path: Path, cell: notebook_files.Cell, scope: dict[str, Any], definitions: Definitions) -> None:
    file = str(path) if cell.number is None else f"{path}, cell {cell.number}"
    lines_before = "\n" * (cell.line - 1)  # so that lines are those of the file
    if cell.magic == "sql":
        _statements(lines_before + "\n" + cell.text.partition("\n")[2], file, definitions)
    elif cell.magic is None or cell.magic == "python" or cell.magic in _LINES_LEFT_OUT:
        text = cell.text.replace("%python", "", 1) if cell.magic == "python" else cell.text
        _run(lines_before + _LINE.sub(lambda line: "\n" * line[0].count("\n"), text), file, scope)
    elif cell.magic not in _CELLS_LEFT_OUT:
        raise BadDefinition(
            SourceLocation(file, cell.line), f"%{cell.magic} has no meaning in a pipeline; take the cell out."
        )


def _statements(text: str, file: str, definitions: Definitions) -> None:
    before = len(definitions.datasets)
    statements.read_statements(text, file, definitions)
    added, definitions.datasets[before:] = definitions.datasets[before:], []
    for dataset in added:
        registry.add(definitions, dataset)


def _run(text: str, file: str, scope: dict[str, Any]) -> None:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        exec(compile(text, file, "exec"), scope)
    except PipelineError:
        raise
    except SyntaxError as error:
        raise BadDefinition(SourceLocation(file, error.lineno or 1), f"this is no Python: {error.msg}.") from error
    except Exception as error:
        kind = "" if isinstance(error, ExplainedError) else f"{type(error).__name__}: "
        steps = traceback.walk_tb(error.__traceback__)
        line = [1, *(line for frame, line in steps if frame.f_code.co_filename == file)][-1]
        said = unset_key(error) or f"{kind}{short_message(error)}"
        raise BadDefinition(SourceLocation(file, line), said) from error


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let a file import its neighbors, as on the platform."""
    sys.path.insert(0, str(folder.resolve()))
    try:
        yield
    finally:
        sys.path.remove(str(folder.resolve()))
