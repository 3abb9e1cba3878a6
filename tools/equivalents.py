"""Right answers in other words, derived from a right one: what is done stays the same, how it is written does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from streaming_classroom.exercises import last_cell

_SETTING = re.compile(r"^    \.(?:option|trigger|outputMode|queryName)\(.*\)$")
_KEYWORDS = re.compile(
    r"\b(SELECT|FROM|WHERE|GROUP BY|HAVING|AS|AND|OR|NOT|IS|NULL|LEFT JOIN|JOIN|ON|CREATE|TEMP|VIEW|DROP"
    r"|IF EXISTS|UNION ALL|LIKE|DISTINCT)\b"
)


def of(solution: str) -> list[str]:
    """Return cells that do what a right one does, each written differently."""
    made = _of_sql(solution) if last_cell.is_sql(solution) else _of_python(solution)
    return [cell for cell in dict.fromkeys(made) if cell != solution]


def _of_sql(cell: str) -> Iterator[str]:
    yield _KEYWORDS.sub(lambda found: found[0].lower(), cell)
    yield cell.replace("\nFROM", "\n-- as it was asked\nFROM", 1)
    head, *rest = re.split(r"(CREATE TEMP VIEW \w+ AS\n)", cell.strip(), maxsplit=1)
    if rest:
        create, query = rest
        yield f"\n{head}{create}WITH asked AS (\n{query}\n)\nSELECT * FROM asked\n"


def _of_python(cell: str) -> Iterator[str]:
    yield re.sub(r"\n    \.", "\n    # as it was asked\n    .", cell, count=1)
    yield re.sub(r"(DA\.exercise\([^\n]*\n)", r"\1# My answer, the second try\n", cell, count=1)
    yield _settings_turned_round(cell)
    yield _arguments_renamed(cell)
    yield _in_functions(cell)


def _settings_turned_round(cell: str) -> str:
    """Return a cell in which settings that follow each other stand in the opposite order."""
    lines, run = [], []
    for line in [*cell.split("\n"), ""]:
        if _SETTING.match(line) and line.count("(") == line.count(")"):
            run.append(line)
            continue
        lines += [*reversed(run), line]
        run = []
    return "\n".join(lines[:-1])


def _arguments_renamed(cell: str) -> str:
    """Return a cell whose functions call their arguments something else, but those that a text names as well.

    A text may name a column.
    """
    lines = cell.split("\n")
    for node in (node for node in ast.parse(cell).body if isinstance(node, ast.FunctionDef)):
        texts = " ".join(text for one in ast.walk(node) if isinstance(text := getattr(one, "value", None), str))
        words = set(re.findall(r"\w+", texts))
        for number in range(node.lineno - 1, node.end_lineno or node.lineno):
            for argument in (one.arg for one in node.args.args if one.arg not in words):
                lines[number] = re.sub(rf"\b{argument}\b", f"my_{argument}", lines[number])
    return "\n".join(lines)


def _in_functions(cell: str) -> str:
    """Return a cell in which what a variable holds is made by a function."""
    lines = cell.split("\n")
    for node in reversed(ast.parse(cell).body):
        is_call = isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if is_call and isinstance(target := node.targets[0], ast.Name):
            made = lines[node.lineno - 1 : node.end_lineno]
            made[0] = made[0].replace(f"{target.id} = ", "    return ", 1)
            lines[node.lineno - 1 : node.end_lineno] = [
                f"def make_{target.id}():", *made, "", "", f"{target.id} = make_{target.id}()",
            ]  # fmt: skip
    return "\n".join(lines)
