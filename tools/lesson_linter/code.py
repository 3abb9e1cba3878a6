"""Code cells that run anywhere, their committed outputs, of one run and clean, and the file."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from notebook_dialect import conversion
from notebook_dialect.conversion import jupyter_metadata
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import ENDING
from streaming_classroom.runner.results import EXERCISE, MAY_FAIL, MAY_WRITE_STDERR, NEEDS_CLASSIC

from .lesson import Cell, Lesson, Problem

MOST_LINES = 15  # that are not blank
LONGEST_LINE = 92  # characters that a notebook shows without scrolling
LONGEST_SLEEP = 5  # seconds
LARGEST = 300_000  # bytes, which can be read in a diff
CHECKED = "nbval-check-output"
SKIPPED = "skip-execution"  # nbclient's own
KNOWN_TAGS = (
    ENDING,
    EXERCISE,
    MAY_FAIL,
    MAY_WRITE_STDERR,
    NEEDS_CLASSIC,
    CHECKED,
    SKIPPED,
    "nbval-ignore-output",
    "nbval-skip",
    "parameters",
)
#: Figures that a query's report over Spark Connect has as attributes only; its keys hold None there.
_ATTRIBUTES_ONLY = ("numInputRows", "inputRowsPerSecond", "processedRowsPerSecond")
_MACHINE_PATHS = (
    r"(?<![\w.])/(?:home|Users)/(?!\.\.\.|…)\S|(?<![\w.])/tmp/|[A-Za-z]:\\+Users\b|\bsite-packages\b|\bipykernel_"
)
_CHANGING = {
    "a UUID": re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE),
    "an address in memory": re.compile(r"\b0x[0-9a-f]{6,}\b", re.IGNORECASE),
}
_PROGRESS_BAR = re.compile(r"\r(?!\n)|\d+%\|.*\|")  # a line drawn over, and tqdm


def short_cells(lesson: Lesson) -> Iterator[Problem]:
    """No cell is empty or too long, and no line needs scrolling."""
    for cell in lesson.code:
        written = [number for number, line in enumerate(cell.lines, start=1) if line.strip()]
        if not written:
            yield lesson.problem("short-cells", "write code into this cell, or remove it", cell)
        if len(written) > MOST_LINES:
            message = f"split this cell: {MOST_LINES} lines at most, blank ones not counted"
            yield lesson.problem("short-cells", message, cell, written[MOST_LINES])
        for number, line in enumerate(cell.lines, start=1):
            if len(line) > LONGEST_LINE:
                yield lesson.problem("length", f"break this line: {LONGEST_LINE} characters at most", cell, number)


def parses(lesson: Lesson) -> Iterator[Problem]:
    """IPython and the dialect can parse every cell, unless it shows a syntax error on purpose."""
    for cell in lesson.code:
        error = _parse(cell.source)
        on_purpose = MAY_FAIL in cell.tags and any("SyntaxError" in output.get("ename", "") for output in cell.outputs)
        if isinstance(error, SyntaxError) and not on_purpose:
            yield lesson.problem("parses", f"write valid Python: {error.msg}", cell, _line(cell, error.lineno or 1))


def sleeps(lesson: Lesson) -> Iterator[Problem]:
    """No cell sleeps for long."""
    for cell, node in _nodes(lesson):
        match node:
            case ast.Call(
                func=ast.Name(id="sleep") | ast.Attribute(attr="sleep"),
                args=[ast.Constant(value=int() | float() as seconds), *_],
            ) if seconds > LONGEST_SLEEP:
                message = f"wait for the stream, not for a time over {LONGEST_SLEEP} seconds"
                yield lesson.problem("sleeps", message, cell, _line(cell, node.lineno))


def bare_excepts(lesson: Lesson) -> Iterator[Problem]:
    """No cell catches errors without their name."""
    for cell, node in _nodes(lesson):
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            message = "name the exception that is caught"
            yield lesson.problem("bare-excepts", message, cell, _line(cell, node.lineno))


def figures_of_reports(lesson: Lesson) -> Iterator[Problem]:
    """No cell reads a key of a query's report that holds None over Spark Connect."""
    for cell, node in _nodes(lesson):
        match node:
            case ast.Subscript(value=ast.Name(id=report), slice=ast.Constant(value=str(figure)), lineno=number):
                if figure in _ATTRIBUTES_ONLY:
                    message = f"write {report}.{figure}: the key holds None over Spark Connect"
                    yield lesson.problem("figures-of-reports", message, cell, _line(cell, number))


def machine_paths(lesson: Lesson) -> Iterator[Problem]:
    """No cell and no output names a path of the machine on which it was written."""
    for cell in lesson.cells:
        for number, line in enumerate(cell.lines, start=1):
            if found := _machine_path().search(line):
                message = f"leave out '{found[0]}': other machines have no such path"
                yield lesson.problem("machine-paths", message, cell, number)
        matches = (_machine_path().search(text) for text in strings(cell.outputs))
        for found in sorted({match[0] for match in matches if match}):
            message = f"keep '{found}' out of the output: other machines have no such path"
            yield lesson.problem("machine-paths", message, cell)


def ran(lesson: Lesson) -> Iterator[Problem]:
    """The cells were run from top to bottom, once."""
    command = f"python course.py run {lesson.number} --save"
    if not lesson.has_run:
        yield lesson.problem("ran", f"save the lesson with its outputs: {command}")
    elif cell := first_out_of_order(lesson):
        yield lesson.problem("ran", f"run it from top to bottom: {command}", cell)


def first_out_of_order(lesson: Lesson) -> Cell | None:
    """Return the first cell that was not run in its turn; None if all of them were."""
    running = [cell for cell in lesson.code if cell.source.strip() and SKIPPED not in cell.tags]
    return next((cell for turn, cell in enumerate(running, start=1) if cell.count != turn), None)


def clean(lesson: Lesson) -> Iterator[Problem]:
    """No output is stderr, an unexpected error, a progress bar or a widget."""
    for cell in lesson.code:
        for output in cell.outputs:
            kind = output["output_type"]
            if kind == "error" and MAY_FAIL not in cell.tags:
                yield lesson.problem("clean", f"repair the cell that fails, or tag it {MAY_FAIL}", cell)
            if kind == "stream" and output["name"] == "stderr" and MAY_WRITE_STDERR not in cell.tags:
                message = f"let the cell write nothing to stderr, or tag it {MAY_WRITE_STDERR}"
                yield lesson.problem("clean", message, cell)
            if any("widget" in media for media in output.get("data", {})):
                yield lesson.problem("clean", "show no widget: a saved one is empty", cell)
            if kind != "error" and any(_PROGRESS_BAR.search(text) for text in strings(output.get("text", ""))):
                yield lesson.problem("clean", "show no progress bar: a saved one does not move", cell)


def enough_checked(lesson: Lesson) -> Iterator[Problem]:
    """Enough outputs are marked for comparison."""
    fewest = 3 if lesson.form == "X" else 5
    if len(list(lesson.tagged(CHECKED))) < fewest:
        yield lesson.problem("checked", f"tag at least {fewest} cells with {CHECKED}")


def checked(lesson: Lesson) -> Iterator[Problem]:
    """Each output that is marked for comparison exists, and is the same in every run."""
    for cell in lesson.tagged(CHECKED) if lesson.has_run else ():
        if not cell.outputs:
            yield lesson.problem("checked", f"give this cell an output, or take its tag {CHECKED} away", cell)
        texts = [text for output in cell.outputs for text in strings({**output, "metadata": {}})]
        for name, pattern in _CHANGING.items():
            if any(map(pattern.search, texts)):
                yield lesson.problem("checked", f"keep {name} out of this output: it is another in each run", cell)


def form(lesson: Lesson) -> Iterator[Problem]:
    """The file is as the runner saves it: metadata, ids, known tags, a newline at the end, and not too large."""
    for cell in lesson.cells:
        for tag in cell.tags:
            if tag not in KNOWN_TAGS:
                yield lesson.problem("known-tags", f"use a known tag for '{tag}': {', '.join(KNOWN_TAGS)}", cell)
    if lesson.minor < 5 or any(lesson.metadata.get(name) != value for name, value in jupyter_metadata().items()):
        message = f"correct format, kernelspec and language_info: python course.py run {lesson.number} --save"
        yield lesson.problem("form", message)
    if not lesson.content.endswith(b"\n"):
        yield lesson.problem("form", "end the file with a newline")
    if (size := len(lesson.content)) >= LARGEST:
        yield lesson.problem("size", f"show less: the file has {size:,} bytes, {LARGEST:,} are too many")
    seen: set[str] = set()
    for cell in lesson.cells:
        if not re.fullmatch(rf"l{re.escape(lesson.number)}-\d{{2,}}", cell.id):
            yield lesson.problem("ids", f"name the cell like l{lesson.number}-{cell.number:02}", cell)
        elif cell.id in seen:
            yield lesson.problem("ids", "give the cell an id that no other cell has", cell)
        seen.add(cell.id)


def strings(value: Any) -> Iterator[str]:
    """Yield all strings in a value of JSON, keys as well."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from (text for item in value.values() for text in strings(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in strings(item))


@lru_cache(maxsize=1024)
def _parse(source: str) -> ast.AST | SyntaxError:
    """Return a cell's code as Python's tree, magics turned to calls, or the reason why there is none."""
    from IPython.core.inputtransformer2 import TransformerManager

    transformer = TransformerManager()
    transformer.cleanup_transforms.append(conversion.to_cell_magic)
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


@lru_cache(maxsize=1)
def _machine_path() -> re.Pattern[str]:
    """Return the pattern of usual homes, and of the course's folder and the author's home on this machine."""
    folders = {str(folder) for folder in (directories.PROJECT, Path.home()) if len(folder.parts) > 1}
    here = [rf"(?<![\w.]){re.escape(folder)}(?!\w)" for folder in sorted(folders, key=len, reverse=True)]
    return re.compile("|".join([*here, _MACHINE_PATHS]))
