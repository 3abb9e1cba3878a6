"""What cells with code may hold: a few short lines that parse, wait for a moment only, hide no error and run anywhere.

One cell at least shows an error on purpose.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache

from notebook_dialect.notebooks import cell_language
from streaming_classroom.runner.results import MAY_FAIL

from .lesson_file import Cell, Lesson
from .problem import Problem

MOST_LINES = 15  # that are not blank: what one takes in at a look
LONGEST_LINE = 120
LONGEST_SLEEP = 5  # seconds
#: What a query's report over Spark Connect has as attributes only; its keys hold None there.
_ATTRIBUTES_ONLY = {"numInputRows", "inputRowsPerSecond", "processedRowsPerSecond"}


def length(lesson: Lesson) -> Iterator[Problem]:
    """No cell is empty, and no line needs scrolling."""
    for cell in lesson.code:
        if not cell.source.strip():
            yield lesson.problem("length", "write code into this cell, or remove it", cell)
        for number, line in enumerate(cell.lines, start=1):
            if len(line) > LONGEST_LINE:
                yield lesson.problem("length", f"break this line: {LONGEST_LINE} characters at most", cell, number)


def short_cells(lesson: Lesson) -> Iterator[Problem]:
    """No cell is too long to take in."""
    for cell in lesson.code:
        written = [number for number, line in enumerate(cell.lines, start=1) if line.strip()]
        if len(written) > MOST_LINES:
            message = f"split this cell: {MOST_LINES} lines at most, blank ones not counted"
            yield lesson.problem("short-cells", message, cell, written[MOST_LINES])


def parses(lesson: Lesson) -> Iterator[Problem]:
    """Every cell is what IPython and the dialect understand."""
    for cell in lesson.code:
        error = _parse(cell.source)
        if isinstance(error, SyntaxError) and not _breaks_on_purpose(cell):
            yield lesson.problem("parses", f"write valid Python: {error.msg}", cell, _line(cell, error.lineno or 1))


def sleeps(lesson: Lesson) -> Iterator[Problem]:
    """No cell sleeps for long."""
    for cell, node in _nodes(lesson):
        if isinstance(node, ast.Call) and _name(node.func) == "sleep" and _is_long(node):
            message = f"wait for the stream, not for a time over {LONGEST_SLEEP} seconds"
            yield lesson.problem("sleeps", message, cell, _line(cell, node.lineno))


def bare_excepts(lesson: Lesson) -> Iterator[Problem]:
    """No cell catches what it does not name."""
    for cell, node in _nodes(lesson):
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            line = _line(cell, node.lineno)
            yield lesson.problem("bare-excepts", "name the exception that is caught", cell, line)


def figures_of_reports(lesson: Lesson) -> Iterator[Problem]:
    """No cell asks a query's report for a figure that it has over Spark Connect as an attribute only."""
    for cell, node in _nodes(lesson):
        match node:
            case ast.Subscript(value=ast.Name(id=report), slice=ast.Constant(value=str(figure)), lineno=number):
                if figure in _ATTRIBUTES_ONLY:
                    message = f"write {report}.{figure}: the key holds None over Spark Connect"
                    yield lesson.problem("figures-of-reports", message, cell, _line(cell, number))


def breaking(lesson: Lesson) -> Iterator[Problem]:
    """At least one cell fails on purpose, with its error committed, and is explained below."""
    failing = list(lesson.tagged(MAY_FAIL))
    if not failing:
        yield lesson.problem("break", f"break something on purpose, in a cell tagged {MAY_FAIL}")
    for cell in failing:
        if lesson.has_run and not any(output["output_type"] == "error" for output in cell.outputs):
            yield lesson.problem("break", f"let this cell fail, or take its tag {MAY_FAIL} away", cell)
        below = lesson.after(cell)
        if below is None or below.kind != "markdown":
            yield lesson.problem("break", "explain the error in a Markdown cell right below", cell)


@lru_cache(maxsize=1024)
def _parse(source: str) -> ast.AST | SyntaxError:
    """Return a cell's code as Python sees it, magics turned to calls, or the reason why there is none."""
    from IPython.core.inputtransformer2 import TransformerManager

    transformer = TransformerManager()
    transformer.cleanup_transforms.append(cell_language.to_cell_magic)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python warns about when it runs the cell
            flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            return compile(transformer.transform_cell(source), "cell", "exec", flags)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:  # null characters, nesting
        return SyntaxError(str(error))


def _nodes(lesson: Lesson) -> Iterator[tuple[Cell, ast.AST]]:
    for cell in lesson.code:
        parsed = _parse(cell.source)
        if isinstance(parsed, ast.AST):
            yield from ((cell, node) for node in ast.walk(parsed))


def _line(cell: Cell, line: int) -> int:
    """Return a line of the parsed code as one of the cell; IPython drops blank lines at the top."""
    blank = len(cell.source) - len(cell.source.lstrip())
    return min(line + cell.source.count("\n", 0, blank), len(cell.lines))


def _breaks_on_purpose(cell: Cell) -> bool:
    return MAY_FAIL in cell.tags and any("SyntaxError" in output.get("ename", "") for output in cell.outputs)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_long(call: ast.Call) -> bool:
    seconds = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else 0
    return isinstance(seconds, int | float) and seconds > LONGEST_SLEEP
