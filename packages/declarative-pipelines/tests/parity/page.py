"""The page, from what was measured; and what a page says of stock Spark, which takes minutes to measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from . import spark_4_3
from .behaviors import SOURCES, Measured, shown

PAGE = Path(__file__).resolve().parents[4] / "docs" / "parity.md"
_HEAD = """# Parity of pipelines

What Databricks documents of its pipelines, what [declarative_pipelines](../packages/declarative-pipelines/README.md)
does, and what Spark 4.2.0 does by itself. A test of the package runs each case and compares; with `WRITE_PARITY_PAGE=1`
it writes this page.

Changes are merged by `id` in the order of `seq`. Rows are shown as `id name city`, of type 2 with `__START_AT __END_AT`
after them. "Same" means that the case gave the rows that follow from what is documented. No workspace was used: where a
case is not documented, nothing is claimed of the platform.

Expectations of a view in SQL: the reference of `CREATE TEMPORARY VIEW` has a version that takes `CONSTRAINT`, and one
that says that only the older `CREATE LIVE VIEW` does. Both forms take it here; lesson 15 writes the older one.

| case | the platform | source | here | same | stock Spark 4.2.0 |
| --- | --- | --- | --- | --- | --- |
"""
_SAME = {True: "yes", False: "**no**", None: "undocumented"}
_SPARK_4_3 = """
## Spark 4.3

Spark 4.3.0 merges changes by itself, of types 1 and 2. Each line is an example of its guide or of its own tests, with
the rows that they state. Nothing was run on Spark 4.3: no Delta of today runs there, and its AUTO CDC needs a connector
that implements Spark's interface `SupportsRowLevelOperations`.

| case | source | Spark 4.3 | here | same |
| --- | --- | --- | --- | --- |
"""
_LIMITS = """
What differs, by the arguments of its functions, its guide and its tests:

| | Spark 4.3.0 | declarative_pipelines |
| --- | --- | --- |
| target | a table with row-level operations; others fail: `AUTOCDC_TARGET_DOES_NOT_SUPPORT_MERGE` | a Delta table |
| flows into a target of changes | one; more fail: `AUTOCDC_MULTIPLE_FLOWS_TO_TARGET` | several |
| two upserts with one sequence value | either wins | the same one wins in either order |
| `track_history_column_list`, `track_history_except_column_list`, `column_list`, `except_column_list` | yes | yes |
| `ignore_null_updates`, `apply_as_truncates`, `once` | no such argument | yes |
| changes from snapshots | no such function | yes |
| expectations | no such function | yes |
| another key than before | fails until a full refresh: `KEY_SCHEMA_DRIFT` | fails until a full refresh: `ChangedFlow` |
| where deleted keys are kept | a second table, and a column of the target | a second table |
"""


def text(measured: Sequence[Measured], compared: Sequence[Measured], stock: Mapping[str, str]) -> str:
    """Return the page: what was measured beside Databricks, what was compared with Spark 4.3, and stock Spark."""
    lines = [_line(one, stock) for one in measured]
    return "".join([_HEAD, *lines, _SPARK_4_3, *map(_compared_line, compared), _LIMITS])


def stock_of(page: str, measured: Sequence[Measured]) -> dict[str, str]:
    """Return what a page says of stock Spark."""
    lines = {cells[0]: cells[-1] for line in page.splitlines() if len(cells := line.strip("| ").split(" | ")) == 6}
    return {one.behavior.stock: lines[one.behavior.what] for one in measured if one.behavior.what in lines}


def _line(one: Measured, stock: Mapping[str, str]) -> str:
    behavior = one.behavior
    name, url = SOURCES[behavior.source]
    cells = [behavior.what, behavior.platform, f"[{name}]({url})", shown(one.seen), _SAME[one.is_same]]
    return f"| {' | '.join([*cells, stock.get(behavior.stock, 'not measured')])} |\n"


def _compared_line(one: Measured) -> str:
    name, url = spark_4_3.SOURCES[one.behavior.source]
    cells = [one.behavior.what, f"[{name}]({url})", shown(one.behavior.expected), shown(one.seen), _SAME[one.is_same]]
    return f"| {' | '.join(cells)} |\n"
