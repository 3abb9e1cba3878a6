"""docs/parity.md has what its cases give, and they give what is documented."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.testing import PipelineTest

from .change_cases import CASES, SPARK_4_3, rows_of
from .table_cases import EXPECTED, measure

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[4] / "docs" / "parity.md"
SNAPSHOTS = [(1, "Ada", 1, 2), (2, "Bo", 1, 2), (2, "Bob", 2, None), (3, "Di", 2, None)]
SNAPSHOTS_AND_REFUSED = """
import dlt
VERSIONS = {1: [(1, "Ada"), (2, "Bo")], 2: [(2, "Bob"), (3, "Di")]}
def versions(newest):
    following = (newest or 0) + 1
    if following in VERSIONS:
        return spark.createDataFrame(VERSIONS[following], "id INT, name STRING"), following
for kind in (1, 2):
    dlt.create_streaming_table(f"snapshots_{kind}")
    dlt.create_auto_cdc_from_snapshot_flow(
        target=f"snapshots_{kind}", source=versions, keys=["id"], stored_as_scd_type=kind)
    dlt.create_streaming_table(f"without_{kind}")
    dlt.create_auto_cdc_flow(target=f"without_{kind}", source=f"feed_{kind}", keys=["id"], sequence_by="seq")
dlt.create_streaming_table("truncated")
dlt.create_auto_cdc_flow(target="truncated", source="feed_3", keys=["id"], sequence_by="seq",
    apply_as_truncates="op = 'T'", stored_as_scd_type=2)
"""


def lines() -> dict[str, list[str]]:
    """Return the cells of the page's cases, by the first one."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return {cells[0]: cells[1:] for cells in rows if len(cells) in (5, 6) and cells[0] not in ("case", "---")}


def shown(seen: Any) -> str:
    """Return what was seen, as a cell of the page has it."""
    if isinstance(seen, str):
        return seen
    rows = [" ".join("NULL" if value is None else str(value) for value in row) for row in seen]
    return ", ".join(f"`{row}`" for row in rows) or "no rows"


def verdict(seen: Any, expected: Any) -> str:
    return "undocumented" if expected is None else "yes" if seen == expected else "**no**"


def snapshots_and_refused(spark: SparkSession, file: Path) -> dict[str, tuple[Any, Any]]:
    """Return what was seen and what is documented."""
    file.write_text(SNAPSHOTS_AND_REFUSED)
    with PipelineTest(file, spark=spark) as pipeline:
        for number, change in ((1, (1, None, "U")), (2, (None, 1, "U")), (3, (1, 1, "T"))):
            pipeline.mock(f"feed_{number}", [change], "id INT, seq LONG, op STRING")
        first = pipeline.run(check=False)
        failed = {flow.name for flow in first.update.flows if flow.error is not None}
        refused = ["the update fails" if name in failed else "" for name in ("without_1", "without_2", "truncated")]
        again = [tuple(row) for row in pipeline.run("snapshots_2").rows("snapshots_2")]

        def rows(dataset: str) -> Sequence[tuple[Any, ...]]:
            return [tuple(row) for row in first.rows(dataset)]

        return {
            "a NULL in the sequence": (refused[0], "the update fails"),
            "a NULL in the key": (refused[1], None),
            "type 2, `apply_as_truncates`": (refused[2], "the update fails"),
            "snapshots, type 1: a row is new, one has changed, one is gone": (
                rows("snapshots_1"), [(2, "Bob"), (3, "Di")],
            ),
            "snapshots, type 2: the same": (rows("snapshots_2"), SNAPSHOTS),
            "snapshots, type 2: no newer snapshot": (again, SNAPSHOTS),
        }  # fmt: skip


def test_the_page_has_what_the_cases_give(spark: SparkSession, tmp_path: Path) -> None:
    cases = [*CASES, *SPARK_4_3]
    rows = dict(zip([case.what for case in cases], rows_of(spark, tmp_path / "changes.py", cases), strict=True))
    seen = {case.what: (rows[case.what], case.expected) for case in CASES}
    seen |= snapshots_and_refused(spark, tmp_path / "more.py")
    seen |= {what: (found, EXPECTED[what]) for what, found in measure(spark, tmp_path / "tables.py").items()}
    page = lines()
    assert {what: page[what][2:4] for what in seen} == {
        what: [shown(found), verdict(found, expected)] for what, (found, expected) in seen.items()
    }
    assert {case.what: page[case.what][1:] for case in SPARK_4_3} == {
        case.what: [shown(case.expected), shown(rows[case.what]), "yes"] for case in SPARK_4_3
    }
    assert set(page) == {*seen, *(case.what for case in SPARK_4_3)}
    verdicts = [cells[3] for what, cells in page.items() if what in seen]
    total, same, unknown, examples = map(int, re.findall(r"\d+", PAGE.read_text(encoding="utf-8").splitlines()[2])[:4])
    assert (total, same, unknown) == (len(seen), verdicts.count("yes"), verdicts.count("undocumented"))
    assert examples == len(SPARK_4_3)
