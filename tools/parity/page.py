"""The page, from what was measured; and what a page says of stock Spark, which takes minutes to measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from parity.behaviors import SOURCES, Measured, shown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "parity.md"
_HEAD = """# Parity of pipelines

What Databricks documents of its pipelines, what [declarative_pipelines](../packages/declarative-pipelines/README.md)
does, and what Spark 4.2.0 does by itself. `.venv/bin/python tools/parity` runs each case and writes this page; a test
runs the cases of this package again and compares.

Changes are merged by `id` in the order of `seq`. Rows are shown as `id name city`, of type 2 with `__START_AT __END_AT`
after them. "Same" means that the case gave the rows that follow from what is documented. No workspace was used: where a
case is not documented, nothing is claimed of the platform.

| case | the platform | source | here | same | stock Spark 4.2.0 |
| --- | --- | --- | --- | --- | --- |
"""
_SAME = {True: "yes", False: "**no**", None: "undocumented"}


def text(measured: Sequence[Measured], stock: Mapping[str, str]) -> str:
    """Return the page."""
    return _HEAD + "".join(_line(one, stock) for one in measured)


def stock_of(page: str, measured: Sequence[Measured]) -> dict[str, str]:
    """Return what a page says of stock Spark."""
    lines = {cells[0]: cells[-1] for line in page.splitlines() if len(cells := line.strip("| ").split(" | ")) == 6}
    return {one.behavior.stock: lines[one.behavior.what] for one in measured if one.behavior.what in lines}


def _line(one: Measured, stock: Mapping[str, str]) -> str:
    behavior = one.behavior
    name, url = SOURCES[behavior.source]
    cells = [behavior.what, behavior.platform, f"[{name}]({url})", shown(one.seen), _SAME[one.is_same]]
    return f"| {' | '.join([*cells, stock.get(behavior.stock, 'not measured')])} |\n"
