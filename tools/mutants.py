"""Wrong answers that are derived from a right one: one small change each, in the Python of a cell or in its SQL.

A mutant is what a careful learner could have written: a limit that is off by one, a step that is left out, another
join, mode, trigger, length or constant.  The tests that play them decide which still do the task.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from streaming_classroom.exercises import last_cell

# Links of a chain of calls that can be left out and leave a chain that runs.
_LINKS = {
    "where", "withWatermark", "trigger", "option", "outputMode", "dropDuplicatesWithinWatermark", "dropDuplicates",
    "mode", "queryName", "schema", "withColumn",
}  # fmt: skip
_MODES = ("append", "update", "complete")
_DURATION = re.compile(r"(\d+) (second|minute|hour|day)(s?)")

_Rewrite = str | Callable[[re.Match[str]], str]
#: What is looked for in SQL, what it becomes, and what that is called.
_SQL: tuple[tuple[str, str, _Rewrite], ...] = (
    ("limit included", r"(?<![<>=!-])>(?![=>])", ">="),
    ("limit excluded", r">=", ">"),
    ("limit included", r"(?<![<>=!])<(?![=>])", "<="),
    ("limit excluded", r"<=", "<"),
    ("condition turned round", r"(?<![<>!=])=(?!=)|==", "<>"),
    ("condition turned round", r"!=|<>", "="),
    ("constant one more", r"(?<![\w.'$/{-])\d+(?![\w.'}])", lambda found: str(int(found[0]) + 1)),
    ("length doubled", _DURATION.pattern, lambda found: f"{int(found[1]) * 2} {found[2]}s"),
    ("length halved", _DURATION.pattern, lambda found: f"{max(1, int(found[1]) // 2)} {found[2]}{found[3]}"),
    ("least for most", r"\bmax\(", "min("),
    ("most for least", r"\bmin\(", "max("),
    ("first for last", r"\bmax_by\((\w+), \w+\)", lambda found: f"max({found[1]})"),
    ("most for sum", r"\bsum\(", "max("),
    ("doubles counted", r"\bDISTINCT ", ""),
    ("inner join", r"\bLEFT JOIN\b", "JOIN"),
    ("outer join", r"(?<!LEFT )\bJOIN\b", "LEFT JOIN"),
    ("either for both", r"\bAND\b(?! \d)", "OR"),
    ("both for either", r"\bOR\b", "AND"),
    ("one condition left out", r" AND (?!\d)[^\n\"]*?(?=\n|\"| THEN| AND |$)", ""),
    ("filter left out", r"\nWHERE [^\n]*", ""),
    ("filter left out", r"\nHAVING [^\n]*", ""),
    ("anywhere for the beginning", r"LIKE '([^%'])", r"LIKE '%\1"),
    ("NULL left out", r"\bIS NOT TRUE\b", "IS FALSE"),
    ("NULL let in", r"\bIS NOT NULL\b", "IS NULL OR TRUE"),
    ("NULL not asked for", r"\b\w+ IS NULL OR ", ""),
    ("NULL not replaced", r"\bcoalesce\(([\w.]+), 0\)", r"\1"),
    ("greater for lesser", r"\bleast\(", "greatest("),
    ("one key left out", r"(?<=GROUP BY )\w+, ", ""),
    ("one key left out", r"(?<=DISTINCT device_id), time", ""),
    ("new keys left out", r"\n\s*WHEN NOT MATCHED[^\n\"]*", ""),
    ("old keys left as they are", r"\n\s*WHEN MATCHED[^\n]*", ""),
)  # fmt: skip
_IN_CODE: tuple[tuple[str, str, _Rewrite], ...] = (
    ("another checkpoint", r"(?<=checkpoints\}/)([\w/]+)", r"\1_of_another"),
    ("checkpoint in another one", r"(?<=checkpoints\}/)([\w/]+)", r"another/\1"),
    ("once for availableNow", r"availableNow=True", "once=True"),
    ("an interval for availableNow", r"availableNow=True", 'processingTime="1 second"'),
    ("availableNow for an interval", r'processingTime="[^"]*"', "availableNow=True"),
    ("batch number ignored", r'(?<="txnVersion", )batch_id', "1"),
    ("memory for a mark", r"\((batch)\.write\n.*?\.saveAsTable\((\"\w+\")\)\)", "_REMEMBERED"),
    ("overwritten", r'\.mode\("append"\)', '.mode("overwrite")'),
    ("latest first left out", r'"latestFirst", True', '"latestFirst", False'),
    ("inner join", r'"left"\)', '"inner")'),
    ("counted and kept", r"\bexpect(_all)?_or_drop\(", r"expect\1("),
    ("dropped", r"\bexpect_all\(", "expect_all_or_drop("),
    ("versions not kept", r", stored_as_scd_type=2", ""),
    ("deletes not applied", r"apply_as_deletes=\"[^\"]*\", ", ""),
    ("read once", r"readStream", "read"),
    ("one key left out", r'keys=\["(\w+)", "\w+"\]', r'keys=["\1"]'),
    ("another sequence", r'sequence_by="received"', 'sequence_by="measured"'),
)  # fmt: skip
_REMEMBERED = """if batch_id in done:
        return
    done.add(batch_id)
    batch.write.mode("append").saveAsTable({table})"""


@dataclass(frozen=True)
class Mutant:
    """A right answer with one change.

    Attributes
    ----------
    change : str
        What was changed: the kind, and the text before and after.
    code : str
        The whole cell.
    """

    change: str
    code: str


def of(solution: str) -> list[Mutant]:
    """Return the mutants of a cell, each once, in the order of their places."""
    made = _of_sql(solution) if last_cell.is_sql(solution.strip()) else _of_python(solution)
    found: dict[str, str] = {}
    times: Counter[str] = Counter()
    for mutant in made:
        if mutant.code != solution and mutant.code not in found:
            times[mutant.change] += 1
            again = f" ({times[mutant.change]})" if times[mutant.change] > 1 else ""
            found[mutant.code] = mutant.change + again
    return [Mutant(change, code) for code, change in found.items()]


def _of_sql(text: str) -> Iterator[Mutant]:
    begin = text.upper().index("SELECT") if "SELECT" in text.upper() else 0
    yield from _rewritten(text, begin, len(text), _SQL)


def _of_python(source: str) -> Iterator[Mutant]:
    begin = source.index("\n", source.find("DA.exercise(")) if "DA.exercise(" in source else 0
    offsets = [0]
    for line in source.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))

    def span(node: ast.expr) -> tuple[int, int]:
        return offsets[node.lineno - 1] + node.col_offset, offsets[node.end_lineno - 1] + node.end_col_offset

    tree = ast.parse(source)  # one tree: an id is of one node only while the node is there
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LINKS:
            link = span(node.func.value)[1], span(node)[1]
            yield _changed(source, *link, "", "left out")
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield from _of_constant(source, *span(node), node.value)
    yield from _rewritten(source, begin, len(source), _IN_CODE)


def _of_constant(source: str, begin: int, end: int, value: object) -> Iterator[Mutant]:
    if source[begin:end] == str(value) and isinstance(value, int) and not isinstance(value, bool):
        yield _changed(source, begin, end, str(value + 1), "constant one more")
    if not isinstance(value, str) or not source[begin:end].endswith(('"', "'")):
        return
    if value in _MODES:
        yield from (_changed(source, begin, end, f'"{mode}"', "another mode") for mode in _MODES if mode != value)
    if re.search(r"[<>=]|\bIS\b|\bBETWEEN\b|\bMERGE\b|\bSELECT\b", value) or _DURATION.fullmatch(value):
        yield from _rewritten(source, begin, end, _SQL)


def _rewritten(text: str, begin: int, end: int, rules: tuple[tuple[str, str, _Rewrite], ...]) -> Iterator[Mutant]:
    for kind, pattern, new in rules:
        for found in re.compile(pattern, re.DOTALL if new == "_REMEMBERED" else 0).finditer(text, begin, end):
            if new == "_REMEMBERED":
                yield _remembered(text, found)
            else:
                yield _changed(text, *found.span(), new(found) if callable(new) else found.expand(new), kind)


def _remembered(text: str, found: re.Match[str]) -> Mutant:
    """Return a function that keeps in a variable which batches it has seen: right until the kernel restarts."""
    code = text[: found.start()] + _REMEMBERED.format(table=found[2]) + text[found.end() :]
    function = code.rindex("def ", 0, found.start())
    return Mutant("memory for a mark: a set of batch numbers", f"{code[:function]}done = set()\n\n{code[function:]}")


def _changed(text: str, begin: int, end: int, new: str, kind: str) -> Mutant:
    old = " ".join(text[begin:end].split())
    return Mutant(f"{kind}: {old}" + (f" -> {' '.join(new.split())}" if new else ""), text[:begin] + new + text[end:])
